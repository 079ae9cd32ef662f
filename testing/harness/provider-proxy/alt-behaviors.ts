/** What Solana nodes and their providers do. */
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import {
  changeResults,
  errorItem,
  failure,
  jsonAnswer,
  RESET,
  stateful,
  stateless,
  textAnswer,
  type Behavior,
} from './behavior.ts';
import { createBucket } from './rate-behaviors.ts';

const MAX_BODY_BYTES = 50 * 1024;
/** Calls between two refusals. */
const EVERY = 6;

/** Refuses each sixth call. */
function refuseCalls(
  name: string,
  imitates: string,
  refusal: ProxyResponse,
  isAffected: (call: ProxyCall) => boolean = () => true,
): Behavior {
  return stateful(name, imitates, () => {
    let calls = 0;
    return { answer: (call, next) => (isAffected(call) && ++calls % EVERY === 0 ? refusal : next(call)) };
  });
}

function limitAccounts(max: number): Behavior {
  return stateless(`alt-${max}-accounts`, '7: getMultipleAccounts', {
    answer: (call, next) =>
      call.method === 'getMultipleAccounts' && (call.params[0] as readonly string[]).length > max
        ? failure(-32_602, `Too many inputs provided; max ${max}`)
        : next(call),
  });
}

function dropMember(name: string, imitates: string, member: string, value: unknown): Behavior {
  const replace = (each: Readonly<Record<string, unknown>>) => ({ ...each, [member]: value });
  return stateless(
    name,
    imitates,
    changeResults('getSignaturesForAddress', (result) =>
      (result as readonly Readonly<Record<string, unknown>>[]).map(replace),
    ),
  );
}

const CALLS_PER_SECOND = 40;

/** Refuses calls above the rate. */
function limitRate(name: string, imitates: string, refusal: ProxyResponse): Behavior {
  return stateful(name, imitates, () => {
    const take = createBucket(CALLS_PER_SECOND);
    return { answer: (call, next) => (take(1) ? next(call) : refusal) };
  });
}

export const ALT_BEHAVIORS: readonly Behavior[] = [
  stateful('alt-32016-early', '7: -32016 for the first calls', () => {
    let calls = 0;
    return {
      answer: (call, next) =>
        ++calls <= 3 ? failure(-32_016, 'Minimum context slot has not been reached', { contextSlot: 1 }) : next(call),
    };
  }),
  refuseCalls(
    'alt-32016-often',
    '7: -32016 of nodes that lag',
    failure(-32_016, 'Minimum context slot has not been reached', { contextSlot: 1 }),
  ),
  refuseCalls(
    'alt-32005-behind',
    '7: -32005 node unhealthy',
    failure(-32_005, 'Node is behind by 42 slots', { numSlotsBehind: 42 }),
  ),
  limitRate('alt-32429', '7: Helius, -32429 with HTTP 200', failure(-32_429, 'rate limited')),
  limitRate(
    'alt-32007-quicknode',
    '7: QuickNode, a rate',
    failure(-32_007, '15/second request limit reached - reduce calls per second'),
  ),
  refuseCalls(
    'alt-32014-not-yet',
    '7: block status not yet available',
    failure(-32_014, 'Block status not yet available for slot'),
    ({ method }) => method.startsWith('getBlock'),
  ),
  stateful('alt-429-public', '7: the public endpoint', () => {
    const take = createBucket(CALLS_PER_SECOND);
    const refusal = jsonAnswer(errorItem(1, 429, 'Too many requests for a specific RPC call'), 429, {
      'retry-after': '1',
    });
    return { refuse: ({ calls }) => (take(calls.length) ? undefined : refusal) };
  }),
  limitAccounts(100),
  limitAccounts(5),
  stateless('alt-batches-off', '7: Firedancer, one call a request', {
    refuse: ({ isBatch }) =>
      isBatch ? jsonAnswer(errorItem(null, -32_600, 'Batch requests are not supported'), 400) : undefined,
  }),
  stateless('alt-batch-10', '7: Helius, ten historical calls', {
    refuse: ({ isBatch, calls }) =>
      isBatch && calls.length > 10 ? jsonAnswer(errorItem(null, -32_600, 'Batch size exceeded'), 413) : undefined,
  }),
  stateless('alt-body-50k', '7: Agave, HTTP 413 without JSON', {
    refuse: ({ bytes }) => (bytes > MAX_BODY_BYTES ? textAnswer(413, '') : undefined),
  }),
  dropMember('alt-null-block-time', '7: blockTime may be null', 'blockTime', null),
  dropMember('alt-no-confirmation-status', '7: Firedancer', 'confirmationStatus', undefined),
  dropMember('alt-no-memo', '7: Firedancer', 'memo', undefined),
  stateless(
    'alt-no-program-accounts',
    '7: methods switched off',
    {
      answer: (call, next) =>
        call.method === 'getProgramAccounts'
          ? failure(-32_010, 'key excluded from account secondary indexes')
          : next(call),
    },
    'refused',
  ),
  stateful('alt-missing-transactions', '7: getTransaction null for a while', () => {
    let calls = 0;
    return {
      answer: (call, next) =>
        call.method === 'getTransaction' && ++calls % EVERY === 0 ? { result: null } : next(call),
    };
  }),
  stateful('alt-reset', '1: a reset connection', () => {
    let requests = 0;
    return { refuse: () => (++requests % EVERY === 0 ? RESET : undefined) };
  }),
  stateless(
    'alt-gone',
    '7: Triton, HTTP 410 for a method',
    {
      refuse: ({ calls }) =>
        calls.some(({ method }) => method === 'getProgramAccounts') ? textAnswer(410, '') : undefined,
    },
    'refused',
  ),
];
