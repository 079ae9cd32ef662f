/** Limits of eth_getLogs in every documented form. Limits are scaled down so that short chains reach them. */
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import {
  failure,
  quantity,
  stateless,
  textAnswer,
  type Answer,
  type Behavior,
  type HttpAnswer,
  type IncomingRequest,
} from './behavior.ts';

export interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
}

/** Range of a query, whose last block is resolved. */
interface Range {
  readonly from: number;
  readonly to: number;
  /** Number of blocks, both ends included. */
  readonly blocks: number;
}

/** Returns the filter of a log query by range; undefined for any other call. */
function rangeFilterOf({ method, params }: ProxyCall): LogFilter | undefined {
  if (method !== 'eth_getLogs') return undefined;
  const filter = params[0] as LogFilter;
  return filter.blockHash === undefined ? filter : undefined;
}

async function readRange({ fromBlock, toBlock }: LogFilter, next: Answer): Promise<Range> {
  const resolve = async (tag: string | undefined) => {
    if (tag?.startsWith('0x') === true) return Number(tag);
    const response = await next({ method: 'eth_getBlockByNumber', params: [tag ?? 'latest', false] });
    return Number((response as { readonly result: { readonly number: string } }).result.number);
  };
  const [from, to] = [await resolve(fromBlock), await resolve(toBlock)];
  return { from, to, blocks: to - from + 1 };
}

/** Refuses queries of more than `max` blocks; a refusal of the HTTP request ends its other calls too. */
function limitRange(
  name: string,
  imitates: string,
  max: number,
  refusal: (range: Range) => ProxyResponse,
  http?: { readonly status: number; readonly html?: string },
): Behavior {
  const refused = new WeakSet<ProxyCall>();
  const answer = async (call: ProxyCall, next: Answer): Promise<ProxyResponse> => {
    const filter = rangeFilterOf(call);
    const range = filter && (await readRange(filter, next));
    if (range === undefined || range.blocks <= max) return next(call);
    refused.add(call);
    return refusal(range);
  };
  return stateless(name, imitates, http === undefined ? { answer } : { answer, encode: toStatus(http, refused) });
}

/** Sends a single query that this provider refused with its status. */
function toStatus({ status, html }: { readonly status: number; readonly html?: string }, refused: WeakSet<ProxyCall>) {
  return (answer: HttpAnswer, { calls, isBatch }: IncomingRequest): HttpAnswer => {
    if (isBatch || !refused.has(calls[0]!)) return answer;
    return html === undefined ? { ...answer, status } : textAnswer(status, html);
  };
}

/** Refuses queries with more than `max` logs; `refusal` may suggest a range that fits. */
function limitResults(
  name: string,
  imitates: string,
  max: number,
  refusal: (fitting: Range, range: Range) => ProxyResponse,
): Behavior {
  return stateless(name, imitates, {
    async answer(call, next) {
      const filter = rangeFilterOf(call);
      const response = await next(call);
      if (filter === undefined || !('result' in response)) return response;
      const logs = response.result as readonly { readonly blockNumber: string }[];
      if (logs.length <= max) return response;
      const range = await readRange(filter, next);
      // A provider answers a single block in full.
      if (range.blocks === 1) return response;
      const to = Math.max(range.from, Number(logs[max]!.blockNumber) - 1);
      return refusal({ ...range, to, blocks: to - range.from + 1 }, range);
    },
  });
}

const hexRange = ({ from, to }: Range): string => `[${quantity(from)}, ${quantity(to)}]`;

const addressesOf = ({ address }: LogFilter): readonly string[] => (address === undefined ? [] : [address].flat());

const MAX_LOGS = 60;

export const LOG_BEHAVIORS: readonly Behavior[] = [
  limitRange(
    'logs-10-alchemy',
    '4: Alchemy, HTTP 400',
    10,
    ({ from }) =>
      failure(
        -32_600,
        `You can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${quantity(from)}, ${quantity(from + 9)}]`,
      ),
    { status: 400 },
  ),
  limitRange(
    'logs-5-quicknode',
    '4: QuickNode, HTTP 413',
    5,
    () => failure(-32_614, 'eth_getLogs is limited to a 5 range'),
    { status: 413 },
  ),
  limitRange(
    'logs-1000-quicknode',
    '4: QuickNode, thousands separator',
    1_000,
    () => failure(-32_614, 'eth_getLogs is limited to a 1,000 range'),
    { status: 413 },
  ),
  limitRange('logs-100-chainstack', '4: Chainstack, no number', 100, () =>
    failure(-32_000, 'Block range limit exceeded.'),
  ),
  limitRange('logs-64-ankr', '4: Ankr, no number', 64, () => failure(-32_600, 'block range is too wide')),
  limitRange(
    'logs-100-drpc',
    '4: dRPC, code 35',
    100,
    () => failure(35, 'ranges over 100 blocks are not supported on freetier'),
    { status: 400 },
  ),
  limitRange('logs-64-infura', '4: Infura, range', 64, ({ blocks }) =>
    failure(-32_602, `range ${blocks} exceeds limit of 64`),
  ),
  limitRange('logs-64-geth', '3: geth', 64, () => failure(-32_602, 'exceed maximum block range 64')),
  limitRange('logs-100-reth', '3: reth', 100, () => failure(-32_602, 'query exceeds max block range 100')),
  limitRange('logs-50-besu', '3: besu', 50, () => failure(-32_005, 'Requested range exceeds maximum RPC range limit')),
  // Compares the difference of the ends: one block more than the number in the text passes.
  limitRange('logs-1024-frontier', '3: Frontier', 1_025, () =>
    failure(-32_603, 'block range is too wide (maximum 1024)'),
  ),
  limitRange('logs-32-frontier', '3: Frontier, scaled', 33, () =>
    failure(-32_603, 'block range is too wide (maximum 32)'),
  ),
  limitRange('logs-48-coreth', '3: coreth', 49, ({ from, to }) =>
    failure(-32_000, `requested too many blocks from ${from} to ${to}, maximum is set to 48`),
  ),
  limitRange('logs-50-proxyd', '3: proxyd, HTTP 400', 50, () => failure(-32_602, 'block range greater than 50 max'), {
    status: 400,
  }),
  limitRange('logs-50-blockpi', '4: BlockPI', 50, () =>
    failure(-32_602, 'eth_getLogs is limited to 50 block range. Please check the parameter requirements'),
  ),
  limitRange('logs-50-payload', '4: the reason only in data', 50, ({ blocks }) =>
    failure(-32_602, 'invalid params', { payload: `range ${blocks} is bigger than range limit 50` }),
  ),
  limitRange('logs-50-publicnode', '4: -32701', 50, () => failure(-32_701, 'exceed maximum block range: 50')),
  limitRange('logs-50-unclear', '1: an unclear error', 50, () => failure(-32_000, 'internal error')),
  limitRange('logs-timeout-frontier', '3: Frontier, 10 s', 40, () =>
    failure(-32_603, 'query timeout of 10 seconds exceeded'),
  ),
  limitRange('logs-timeout-aurora', '3: Aurora', 40, () =>
    failure(-32_603, 'Internal Error - canceling statement due to statement timeout'),
  ),
  limitRange('logs-timeout-504', '4: HTML 504 for a wide range', 40, () => failure(-32_603, ''), {
    status: 504,
    html: '<html><title>504 Gateway Time-out</title></html>',
  }),
  limitResults('logs-results-infura', '4: Infura, results', MAX_LOGS, ({ from, to }) =>
    failure(
      -32_005,
      `query returned more than ${MAX_LOGS} results. Try with this block range ${hexRange({ from, to, blocks: 0 })}.`,
      { from: quantity(from), to: quantity(to), limit: MAX_LOGS },
    ),
  ),
  limitResults('logs-results-reth', '3: reth, decimal range', MAX_LOGS, ({ from, to }) =>
    failure(-32_602, `query exceeds max results ${MAX_LOGS}, retry with the range ${from}-${to}`),
  ),
  limitResults('logs-results-zksync', '3: zkSync', MAX_LOGS, (fitting) =>
    failure(-32_602, `Query returned more than ${MAX_LOGS} results. Try with this block range ${hexRange(fitting)}.`),
  ),
  limitResults('logs-results-nethermind', '3: nethermind', MAX_LOGS, () =>
    failure(-32_005, `Too many logs requested. Max logs per response is ${MAX_LOGS}.`),
  ),
  limitResults('logs-results-alchemy', '4: Alchemy, size', MAX_LOGS, (fitting) =>
    failure(
      -32_602,
      `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: ${hexRange(fitting)}`,
    ),
  ),
  limitResults('logs-size-publicnode', '4: response size', MAX_LOGS, () =>
    failure(-32_000, 'response size should not greater than 10000000 bytes'),
  ),
  stateless('logs-address-required', '4: public endpoints that need an address', {
    answer: (call, next) =>
      call.method === 'eth_getLogs' && addressesOf(call.params[0] as LogFilter).length === 0
        ? failure(
            -32_701,
            'Please specify an address in your request or, to remove restrictions, order a dedicated full node here',
          )
        : next(call),
  }),
  stateless('logs-one-address', '3: limit of addresses', {
    answer: (call, next) =>
      call.method === 'eth_getLogs' && addressesOf(call.params[0] as LogFilter).length > 1
        ? failure(-32_602, 'exceed max addresses or topics per search position')
        : next(call),
  }),
  stateless(
    'logs-off-bnb',
    '4: BNB public, logs switched off',
    {
      answer: (call, next) => (call.method === 'eth_getLogs' ? failure(-32_005, 'limit exceeded') : next(call)),
    },
    'refused',
  ),
  stateless(
    'logs-not-found',
    '7: a method switched off',
    {
      answer: (call, next) =>
        call.method === 'eth_getLogs'
          ? failure(-32_601, 'the method eth_getLogs does not exist/is not available')
          : next(call),
    },
    'refused',
  ),
];
