/** What nodes and chains differ in: heads, blocks, blooms, receipts, tags, state and contracts. */
import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionResult,
  parseAbi,
  numberToHex,
  toFunctionSelector,
  type Hex,
} from 'viem';
import { MULTICALL3_ADDRESS } from '../../../src/adapters/main-chain/reads/multicall.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../../src/domain/index-rules/receipts-root.ts';
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import {
  changeResults,
  failure,
  quantity,
  stateful,
  stateless,
  type Answer,
  type Behavior,
  type Hooks,
} from './behavior.ts';
import type { LogFilter } from './log-behaviors.ts';

type Block = Readonly<Record<string, unknown>>;
type Log = Readonly<Record<string, unknown>>;
type Receipt = Readonly<Record<string, unknown>>;

const ZERO_HASH = `0x${'0'.repeat(64)}`;
const ZERO_BLOOM = `0x${'0'.repeat(512)}`;
/** Number of newest blocks whose state is retained. */
const RETAINED_STATES = 128;
/** First block whose history is retained. */
const FIRST_RETAINED_BLOCK = 40;

const BLOCK_METHODS = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash']);

/** Changes every block that exists. */
function changeBlocks(change: (block: Block) => Block): Hooks {
  return {
    async answer(call, next) {
      const response = await next(call);
      if (!BLOCK_METHODS.has(call.method) || !('result' in response) || response.result === null) return response;
      return { result: change(response.result as Block) };
    },
  };
}

async function readHead(next: Answer): Promise<number> {
  const response = await next({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  return Number((response as { readonly result: { readonly number: string } }).result.number);
}

/** Returns the number in a block parameter, undefined for tags and hashes. */
function numberOf(parameter: unknown): number | undefined {
  return typeof parameter === 'string' && parameter.startsWith('0x') && parameter.length < 20
    ? Number(parameter)
    : undefined;
}

/** Position of the block parameter by method. */
const STATE_METHODS: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_getCode: 1,
  eth_getBalance: 1,
  eth_getStorageAt: 2,
};

/** Answers calls of state at numbered blocks with an error when the block is older than `retained` blocks. */
function pruneState(message: (block: number) => string): Hooks {
  return {
    async answer(call, next) {
      const position = STATE_METHODS[call.method];
      const parameter = position === undefined ? undefined : call.params[position];
      const block = isHashPin(parameter) ? await readNumber(parameter.blockHash, next) : numberOf(parameter);
      if (block === undefined || block > (await readHead(next)) - RETAINED_STATES) return next(call);
      return failure(-32_000, message(block));
    },
  };
}

interface HashPin {
  readonly blockHash: string;
}

function isHashPin(parameter: unknown): parameter is HashPin {
  return typeof parameter === 'object' && parameter !== null && 'blockHash' in parameter;
}

/** Returns number and parent of the block at which a call reads state. */
async function readBlockOf({ params: [, at] }: ProxyCall, next: Answer) {
  const method = isHashPin(at) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  const response = await next({ method, params: [isHashPin(at) ? at.blockHash : at, false] });
  return (response as { readonly result: { readonly number: Hex; readonly parentHash: Hex } }).result;
}

async function readNumber(hash: string, next: Answer): Promise<number | undefined> {
  const response = await next({ method: 'eth_getBlockByHash', params: [hash, false] });
  const block = 'result' in response ? (response.result as { readonly number: string } | null) : null;
  return block === null ? undefined : Number(block.number);
}

/** Answers history before the first retained block with an error; ranges that begin there too. */
function pruneHistory(refusal: (block: number) => ProxyResponse): Hooks {
  return {
    answer(call, next) {
      const { method, params } = call;
      const filter = method === 'eth_getLogs' ? (params[0] as LogFilter) : undefined;
      const block =
        filter === undefined
          ? method === 'eth_getBlockReceipts'
            ? numberOf(params[0])
            : undefined
          : numberOf(filter.fromBlock);
      return block !== undefined && block < FIRST_RETAINED_BLOCK ? refusal(block) : next(call);
    },
  };
}

/** Serves each second request for the newest block from a node that lags. */
function lagEverySecond(blocks: number): Hooks {
  let polls = 0;
  const isNewest = ({ method, params }: ProxyCall) =>
    method === 'eth_blockNumber' || (BLOCK_METHODS.has(method) && params[0] === 'latest');
  return {
    async answer(call, next) {
      if (!isNewest(call) || ++polls % 2 === 1) return next(call);
      const older = Math.max(0, (await readHead(next)) - blocks);
      return call.method === 'eth_blockNumber'
        ? { result: quantity(older) }
        : next({ method: call.method, params: [quantity(older), false] });
    },
  };
}

/** Answers the first requests for each new block as if it did not exist yet. */
function announceEarly(absent: (call: ProxyCall) => ProxyResponse): Hooks {
  let newest = 0;
  let left = 0;
  return {
    async answer(call, next) {
      const { method, params } = call;
      const isLatest = BLOCK_METHODS.has(method) && params[0] === 'latest';
      if (isLatest) {
        const response = await next(call);
        const number = Number((response as { readonly result: { readonly number: string } }).result.number);
        if (number > newest) [newest, left] = [number, 2];
        return response;
      }
      const position = method === 'eth_getBlockByNumber' ? 0 : STATE_METHODS[method];
      const block = position === undefined ? undefined : numberOf(params[position]);
      if (block !== newest || left === 0) return next(call);
      left -= 1;
      return absent(call);
    },
  };
}

const MULTICALL = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
]);
const GET_BLOCK_NUMBER = '0x42cbb15c';
const ARB_BLOCK_NUMBER = toFunctionSelector('arbBlockNumber()');
const ARB_BLOCK_HASH = toFunctionSelector('arbBlockHash(uint256)');
const AGGREGATE3 = toFunctionSelector('aggregate3((address,bool,bytes)[])');
/** Distance of the parent chain's number. */
const PARENT_OFFSET = 1_000_000;

/** Replaces `block.number` as contracts see it, and adds `ArbSys`. */
async function respondAsArbitrum(response: ProxyResponse, call: ProxyCall, next: Answer): Promise<ProxyResponse> {
  const { data } = call.params[0] as { readonly data?: Hex };
  if (!('result' in response) || data === undefined || response.result === '0x') return response;
  const toParent = (word: string): Hex => `0x${(BigInt(word) + BigInt(PARENT_OFFSET)).toString(16).padStart(64, '0')}`;
  if (data.startsWith(GET_BLOCK_NUMBER)) return { result: toParent(response.result as string) };
  if (!data.startsWith(AGGREGATE3)) return response;
  const [inner] = decodeFunctionData({ abi: MULTICALL, data }).args;
  const results = decodeFunctionResult({ abi: MULTICALL, functionName: 'aggregate3', data: response.result as Hex });
  const block = await readBlockOf(call, next);
  const changed = results.map((each, i) => {
    const { callData } = inner[i]!;
    if (callData.startsWith(GET_BLOCK_NUMBER)) return { ...each, returnData: toParent(each.returnData) };
    if (callData.startsWith(ARB_BLOCK_NUMBER))
      return { success: true, returnData: numberToHex(BigInt(block.number), { size: 32 }) };
    return callData.startsWith(ARB_BLOCK_HASH) ? { success: true, returnData: block.parentHash } : each;
  });
  return { result: encodeFunctionResult({ abi: MULTICALL, functionName: 'aggregate3', result: changed }) };
}

/** Answers calls of one method with an error. */
const refuseMethod = (method: string, refusal: ProxyResponse): Hooks => ({
  answer: (call, next) => (call.method === method ? refusal : next(call)),
});

const UNKNOWN_METHOD = failure(-32_601, 'Method not found');

/** Answers the tag `finalized`, and `safe`. */
const answerFinalized = (answer: ProxyResponse): Hooks => ({
  answer: (call, next) =>
    call.method === 'eth_getBlockByNumber' && (call.params[0] === 'finalized' || call.params[0] === 'safe')
      ? answer
      : next(call),
});

const callTarget = ({ method, params }: ProxyCall): { readonly to?: string; readonly data?: string } | undefined =>
  method === 'eth_call' ? (params[0] as { readonly to?: string; readonly data?: string }) : undefined;

const MAX_CALL_DATA = 8_000;
/** Beyond the lag that the interface allows. */
const FINALITY_DISTANCE = 150;

/** Address that the alleged state-sync logs come from. */
const STATE_SYNC_LOG = {
  address: '0x0000000000000000000000000000000000001010',
  topics: [`0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63`],
  data: '0x',
  removed: false,
};

/** Adds a log of a state sync, as bor does, to blocks with logs. */
function addStateSync(logs: readonly Log[]): readonly Log[] {
  return [...Map.groupBy(logs, ({ blockHash }) => blockHash)].flatMap(([, group]) => {
    const last = group.at(-1)!;
    const logIndex = quantity(Number(last['logIndex']) + 1);
    return [
      ...group,
      {
        ...last,
        ...STATE_SYNC_LOG,
        logIndex,
        transactionHash: `0x${'5'.repeat(64)}`,
        transactionIndex: quantity(Number(last['transactionIndex']) + 1),
      },
    ];
  });
}

export const CHAIN_BEHAVIORS: readonly Behavior[] = [
  stateful('head-goes-back', '6: nodes behind one address that lag', () => lagEverySecond(3)),
  stateful('null-new-block', '6: null for a block just announced', () =>
    announceEarly(({ method }) =>
      method === 'eth_getBlockByNumber' ? { result: null } : failure(-32_000, 'header not found'),
    ),
  ),
  stateful('short-logs-at-head', '6: logs short without an error near the head', () => {
    let queries = 0;
    return {
      async answer(call, next) {
        const response = await next(call);
        if (call.method !== 'eth_getLogs' || !('result' in response) || ++queries % 2 === 0) return response;
        const head = await readHead(next);
        return {
          result: (response.result as readonly Log[]).filter(({ blockNumber }) => Number(blockNumber) <= head - 2),
        };
      },
    };
  }),
  stateless('no-log-times', '3: no blockTimestamp in logs', {
    async answer(call, next) {
      const response = await next(call);
      if (!('result' in response)) return response;
      const strip = ({ blockTimestamp: _, ...log }: Log) => log;
      if (call.method === 'eth_getLogs') return { result: (response.result as readonly Log[]).map(strip) };
      if (call.method !== 'eth_getBlockReceipts' || response.result === null) return response;
      const receipts = response.result as readonly Receipt[];
      return {
        result: receipts.map((receipt) => ({ ...receipt, logs: (receipt['logs'] as readonly Log[]).map(strip) })),
      };
    },
  }),
  stateless(
    'zero-blooms',
    '5: zkSync, Aurora: blooms of zero',
    changeBlocks((block) => ({ ...block, logsBloom: ZERO_BLOOM })),
  ),
  stateful('zero-blooms-sometimes', '5: zkSync: zero where the row has none', () => {
    let blocks = 0;
    return changeBlocks((block) => (++blocks % 2 === 0 ? { ...block, logsBloom: ZERO_BLOOM } : block));
  }),
  stateless(
    'null-blooms',
    '5: null blooms',
    changeBlocks((block) => ({ ...block, logsBloom: null })),
  ),
  stateless(
    'full-blooms',
    '5: blooms set in blocks without logs',
    changeBlocks((block) => ({ ...block, logsBloom: `0x${'f'.repeat(512)}` })),
  ),
  stateless(
    'zero-receipts-root',
    '5: zkSync: receipts root of zero',
    changeBlocks((block) => ({ ...block, receiptsRoot: ZERO_HASH })),
  ),
  stateless(
    'empty-receipts-root',
    '5: Zilliqa 2: the root of no receipts in every block',
    changeBlocks((block) => ({ ...block, receiptsRoot: EMPTY_RECEIPTS_ROOT })),
  ),
  stateless(
    'other-receipts-root',
    '5: synthetic receipts root',
    changeBlocks((block) => ({ ...block, receiptsRoot: block['hash'] })),
  ),
  stateless('no-block-receipts', '5: older Frontier', refuseMethod('eth_getBlockReceipts', UNKNOWN_METHOD)),
  stateless(
    'no-receipts-mismatch',
    '5: bor: receipts length mismatch',
    refuseMethod('eth_getBlockReceipts', failure(-32_000, 'receipts length mismatch: 1 vs 0')),
  ),
  stateless(
    'state-sync-logs',
    '5: bor: logs that are not under the receipts root',
    changeResults('eth_getLogs', (result, { params }) =>
      // A filter by address does not match these logs.
      (params[0] as LogFilter).address === undefined ? addStateSync(result as readonly Log[]) : result,
    ),
  ),
  stateless(
    'no-size-members',
    '5: Frontier: no size and total difficulty',
    changeBlocks(({ size: _, totalDifficulty: _t, withdrawals: _w, ...block }) => block),
  ),
  stateless(
    'further-header-members',
    '5: Nitro, coreth: further members',
    changeBlocks((block) => ({
      ...block,
      l1BlockNumber: '0x1312d00',
      sendRoot: ZERO_HASH,
      sendCount: '0x1',
      blockGasCost: '0x0',
    })),
  ),
  stateless(
    'pruned-state-geth',
    '6: geth, 128 states',
    pruneState((block) => `missing trie node ${ZERO_HASH.slice(2)} (path ) state ${block} is not available`),
  ),
  stateless(
    'pruned-state-reth',
    '6: reth and erigon',
    pruneState((block) => `state at block #${block} is pruned`),
  ),
  stateless(
    'pruned-state-substrate',
    '6: Substrate',
    pruneState((block) => `State already discarded for ${block}`),
  ),
  stateless(
    'pruned-history-4444',
    '3: geth and reth, code 4444',
    pruneHistory(() => failure(4_444, 'pruned history unavailable')),
    'refused',
  ),
  stateless(
    'pruned-history-null',
    '6: receipts null for old blocks',
    changeResults('eth_getBlockReceipts', (result, { params }) => {
      const block = numberOf(params[0]);
      return block !== undefined && block < FIRST_RETAINED_BLOCK ? null : result;
    }),
  ),
  stateless('no-finalized-null', '6: private Besu: null', answerFinalized({ result: null }), 'refused'),
  stateless('no-finalized-39001', '6: -39001', answerFinalized(failure(-39_001, 'Unknown block')), 'refused'),
  stateless(
    'no-finalized-geth',
    '6: geth before finality',
    answerFinalized(failure(-32_000, 'finalized block not found')),
    'refused',
  ),
  stateless(
    'no-finalized-invalid',
    '6: the tag is not known',
    answerFinalized(failure(-32_602, 'invalid argument 0: hex string without 0x prefix')),
    'refused',
  ),
  stateless(
    'finality-distant',
    '6: rollups whose finality trails',
    {
      async answer(call, next) {
        if (call.method !== 'eth_getBlockByNumber' || call.params[0] !== 'finalized') return next(call);
        const finalized = Math.max(0, (await readHead(next)) - FINALITY_DISTANCE);
        return next({ ...call, params: [quantity(finalized), false] });
      },
    },
    'refused',
  ),
  stateless(
    'no-state',
    '6: no state, not even of the newest blocks',
    {
      answer: (call, next) =>
        call.method in STATE_METHODS ? failure(-32_000, 'missing trie node (path ) is not available') : next(call),
    },
    'refused',
  ),
  stateless('no-hash-pins', '6: no EIP-1898', {
    answer: (call, next) =>
      isHashPin(call.params[STATE_METHODS[call.method] ?? -1])
        ? failure(-32_602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string')
        : next(call),
  }),
  stateless('no-deployless-calls', '6: no call without an address', {
    answer(call, next) {
      const target = callTarget(call);
      return target !== undefined && target.to === undefined ? failure(-32_602, 'missing field to') : next(call);
    },
  }),
  stateless('no-call-overrides', '6: only two parameters', {
    answer: (call, next) =>
      call.method === 'eth_call' && call.params.length > 2
        ? failure(-32_602, 'too many arguments, want at most 2')
        : next(call),
  }),
  stateless('parent-block-number', '5: Arbitrum: block.number of the parent chain', {
    answer: async (call, next) =>
      call.method === 'eth_call' ? respondAsArbitrum(await next(call), call, next) : next(call),
  }),
  stateless('no-multicall', '6: no Multicall3', {
    answer(call, next) {
      const address = call.method === 'eth_getCode' ? call.params[0] : callTarget(call)?.to;
      return String(address).toLowerCase() === MULTICALL3_ADDRESS ? { result: '0x' } : next(call);
    },
  }),
  stateless('out-of-gas', '6: a low gas limit of calls', {
    answer: (call, next) =>
      (callTarget(call)?.data?.length ?? 0) > MAX_CALL_DATA ? failure(-32_000, 'out of gas') : next(call),
  }),
  stateless(
    'wrong-chain-id',
    '6: another chain',
    changeResults('eth_chainId', () => '0x1'),
    'refused',
  ),
  stateless(
    'chain-id-decimal',
    '6: chain id as a number',
    changeResults('eth_chainId', (result) => String(Number(result))),
    'refused',
  ),
  stateless('unknown-block-empty', '3: an unknown block by hash is empty', {
    async answer(call, next) {
      const response = await next(call);
      return call.method === 'eth_getLogs' &&
        'error' in response &&
        (call.params[0] as LogFilter).blockHash !== undefined
        ? { result: [] }
        : response;
    },
  }),
];
