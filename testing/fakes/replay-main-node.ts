/** JSON-RPC node of a main chain with one machine, in memory, for tests of `svc replay`. Its ABI encoding is independent of the reader's. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export const ADDRESSES = {
  eventRegistry: '0x00000000000000000000000000000000000000E1',
  machineRegistry: '0x00000000000000000000000000000000000000A1',
  machineSubscription: '0x00000000000000000000000000000000000000B1',
  crossChainMirror: '0x00000000000000000000000000000000000000C1',
  adminFlags: '0x00000000000000000000000000000000000000F1',
  attestationRegistry: '0x00000000000000000000000000000000000000D1',
} as const;

export const NODE_URL = 'http://node.test/key-of-the-provider';

export interface CannedEvent {
  readonly block: number;
  readonly type: number;
  readonly value: bigint;
  readonly currency: string;
  readonly timestamp: bigint;
  readonly trust: number;
  readonly metadata?: Uint8Array;
  /** Whether a chip is on record; a log before the event says so when it differs from the event before. */
  readonly isChipOnRecord?: boolean;
}

export interface CannedChain {
  readonly chainId: bigint;
  readonly machineId: bigint;
  readonly head: number;
  readonly timestampOf: (block: number) => number;
  readonly events: readonly CannedEvent[];
  /** 0 to 4. */
  readonly status: number;
  readonly flaggedAt: bigint;
  readonly trustOverride: number | null;
  readonly priorEvents: bigint;
  /** The block of a MachineEventsImported log, which precedes the other logs of that block. */
  readonly importedAt?: number;
  /** Number of logs before the import, which belong to no readable record. */
  readonly logsBeforeImport?: number;
  readonly maxQueryLimit: number;
  /** Numbers of events before each change of hands. The token is minted in block 0. */
  readonly hands?: readonly number[];
  /** Whether the owner sets the controller in the head block. */
  readonly isControllerSet?: boolean;
  /** KYB record of the operator. */
  readonly kyb?: { readonly expiresAt: number; readonly revokedAt: number };
}

export interface JsonRpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Replaces an honest response with another response or `result`; undefined leaves it unchanged. */
export type Tamper = (request: JsonRpcRequest, honest: unknown) => Response | { readonly result: unknown } | undefined;

export const refuse = (code: number, message = 'refused'): Response =>
  Response.json({ jsonrpc: '2.0', id: 1, error: { code, message } });

/** Creates a node that serves POST requests to NODE_URL and records them. */
export function createCannedNode(chain: CannedChain, tamper: Tamper = () => undefined) {
  const requests: JsonRpcRequest[] = [];
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (url !== NODE_URL) throw new TypeError('fetch failed');
    const request = JSON.parse(init?.body as string) as JsonRpcRequest;
    requests.push(request);
    const honest = respondHonestly(chain, request);
    const tampered = tamper(request, honest);
    if (tampered instanceof Response) return tampered;
    return Response.json({ jsonrpc: '2.0', id: 1, result: tampered === undefined ? honest : tampered.result });
  };
  return { fetch: send, requests };
}

export const keccak = (text: string): string => `0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`;

export const blockHashOf = (block: number): string => keccak(`block ${block}`);

export const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');

function respondHonestly(chain: CannedChain, { method, params }: JsonRpcRequest): unknown {
  if (method === 'eth_chainId') return quantity(chain.chainId);
  if (method === 'eth_getBlockByNumber') return headerOf(chain, Number(params[0]));
  if (method === 'eth_getLogs') return logsOf(chain, params[0] as LogFilter);
  if (method === 'eth_call') return callOf(chain, params[0] as { to: string; data: string });
  throw new Error(`the canned node does not know ${method}`);
}

function headerOf(chain: CannedChain, block: number) {
  if (block > chain.head) return null;
  return { number: quantity(block), hash: blockHashOf(block), timestamp: quantity(chain.timestampOf(block)) };
}

function callOf(chain: CannedChain, { to, data }: { readonly to: string; readonly data: string }): string {
  const args = (data.slice(10).match(/.{64}/g) ?? []).map((hex) => BigInt(`0x${hex}`));
  const isMachine = args[0] === chain.machineId;
  switch (`${to} ${data.slice(0, 10)}`) {
    case `${ADDRESSES.machineSubscription} 0x492f8724`:
      return `0x${word(isMachine ? chain.status : 0)}`;
    case `${ADDRESSES.adminFlags} 0xae7125e6`:
      return `0x${word(chain.flaggedAt)}${word(chain.trustOverride === null ? 0 : 1)}${word(chain.trustOverride ?? 0)}`;
    case `${ADDRESSES.eventRegistry} 0x706304ef`:
      return `0x${word(chain.priorEvents)}`;
    case `${ADDRESSES.eventRegistry} 0x1c2eaa9c`:
      return `0x${word(chain.events.length)}`;
    case `${ADDRESSES.eventRegistry} 0x23beb3dd`:
      return `0x${word(chain.maxQueryLimit)}`;
    case `${ADDRESSES.eventRegistry} 0x0ea4e6a0`: {
      const [, offset = 0n, limit = 0n] = args;
      const page = chain.events.slice(Number(offset), Number(offset + limit));
      return encodeEvents(chain.machineId, page);
    }
    case `${ADDRESSES.machineRegistry} 0xf41875e1`:
      return `0x${word(0)}`;
    case `${ADDRESSES.machineRegistry} 0x6352211e`:
      return `0x${word(OWNER)}`;
    case `${ADDRESSES.attestationRegistry} ${keccak('kybOf(address)').slice(0, 10)}`:
      return args[0] !== OWNER || chain.kyb === undefined
        ? `0x${word(0)}${word(0)}${word(0)}`
        : `0x${word(1)}${word(chain.kyb.expiresAt)}${word(chain.kyb.revokedAt)}`;
    default:
      return '0x';
  }
}

/** Encodes `MachineEvent[]` (chain-evm 2). */
export function encodeEvents(machineId: bigint, events: readonly CannedEvent[]): string {
  const tuples = events.map((event) => {
    const metadata = encodeBytes(event.metadata ?? new Uint8Array());
    const head = [
      word(machineId),
      word(event.type),
      word(event.value),
      word(event.timestamp),
      word(0),
      word(event.trust),
      word(0),
      word(0),
      word(10 * 32),
      word(10 * 32 + metadata.length / 2),
    ];
    return head.join('') + metadata + encodeBytes(utf8ToBytes(event.currency));
  });
  let next = tuples.length * 32;
  const offsets = tuples.map((tuple) => {
    const offset = word(next);
    next += tuple.length / 2;
    return offset;
  });
  return `0x${word(32)}${word(tuples.length)}${offsets.join('')}${tuples.join('')}`;
}

function encodeBytes(bytes: Uint8Array): string {
  const hex = bytesToHex(bytes);
  return word(bytes.length) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

/** Logs of a chain by the chain, because every query of a range would hash them again. */
const listedLogs = new WeakMap<CannedChain, ReturnType<typeof listLogs>>();

interface LogFilter {
  readonly address: string;
  readonly topics: readonly (string | readonly string[] | null)[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

/** Owner, and so the printed operator. */
const OWNER = 0xa11cen;

function logsOf(chain: CannedChain, filter: LogFilter) {
  const logs = listedLogs.get(chain) ?? listLogs(chain);
  listedLogs.set(chain, logs);
  return logs.filter(
    ({ address, topics, blockNumber }) =>
      address === filter.address.toLowerCase() &&
      within(Number(blockNumber), filter) &&
      filter.topics.every((topic, at) => topic === null || [topic].flat().includes(topics[at]!)),
  );
}

function listLogs(chain: CannedChain) {
  const id = `0x${word(chain.machineId)}`;
  const logs: { address: string; block: number; topics: string[]; data: string }[] = [];
  const add = (address: string, block: number, [signature, ...topics]: string[], data = '') =>
    void logs.push({ address, block, topics: [keccak(signature!), ...topics], data: `0x${data}` });
  const submit = (block: number, index: number, event: Pick<CannedEvent, 'type' | 'value' | 'currency'>) => {
    const topics = [id, `0x${word(index)}`, keccak(event.currency)];
    const data = word(event.type) + word(event.value);
    add(ADDRESSES.eventRegistry, block, ['EventSubmitted(uint256,uint256,uint8,uint256,string)', ...topics], data);
  };
  let holder = OWNER;
  const transfer = (block: number, from: bigint) => {
    const topics = [`0x${word(from)}`, `0x${word(holder)}`, id];
    add(ADDRESSES.machineRegistry, block, ['Transfer(address,address,uint256)', ...topics]);
  };
  const sell = (block: number) => {
    holder += 1n;
    transfer(block, holder - 1n);
  };

  transfer(0, 0n);
  const importedAt = chain.importedAt ?? 0;
  for (let index = 0; index < (chain.logsBeforeImport ?? 0); index++) {
    submit(importedAt, index, { type: 1, value: 7n, currency: '' });
  }
  if (chain.importedAt !== undefined) {
    add(ADDRESSES.eventRegistry, importedAt, ['MachineEventsImported(uint256,uint256)', id], word(chain.priorEvents));
  }
  let isChipOnRecord = false;
  chain.events.forEach((event, position) => {
    if (chain.hands?.includes(position) === true) sell(event.block);
    if (event.isChipOnRecord !== undefined && event.isChipOnRecord !== isChipOnRecord) {
      isChipOnRecord = event.isChipOnRecord;
      const attested = ['ChipAttested(uint256,uint64,uint64,bytes32)', word(1) + word(0) + word(9)] as const;
      const revoked = ['ChipRevoked(uint256,uint64)', word(1)] as const;
      const [signature, data] = isChipOnRecord ? attested : revoked;
      add(ADDRESSES.attestationRegistry, event.block, [signature, id], data);
    }
    submit(event.block, Number(chain.priorEvents) + position, event);
  });
  if (chain.hands?.includes(chain.events.length) === true) sell(chain.head);
  if (chain.isControllerSet === true) {
    const topics = [id, `0x${word(0)}`, `0x${word(holder)}`];
    add(ADDRESSES.machineRegistry, chain.head, ['ControllerUpdated(uint256,address,address)', ...topics]);
  }
  return logs.map(({ address, block, topics, data }, logIndex) => ({
    address: address.toLowerCase(),
    blockNumber: quantity(block),
    blockHash: blockHashOf(block),
    removed: false,
    logIndex: quantity(logIndex),
    transactionHash: keccak(`transaction ${logIndex}`),
    topics,
    data,
  }));
}

const within = (block: number, range: { readonly fromBlock: string; readonly toBlock: string }): boolean =>
  block >= Number(range.fromBlock) && block <= Number(range.toBlock);

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
