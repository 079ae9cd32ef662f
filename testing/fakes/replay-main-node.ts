/** JSON-RPC node of a main chain with one machine, in memory, for tests of `svc replay`. Its ABI encoding is independent of the reader's. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export const ADDRESSES = {
  eventRegistry: '0x00000000000000000000000000000000000000E1',
  machineSubscription: '0x00000000000000000000000000000000000000B1',
  crossChainMirror: '0x00000000000000000000000000000000000000C1',
  adminFlags: '0x00000000000000000000000000000000000000F1',
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
  if (method === 'eth_getLogs') return logsOf(chain, params[0] as { fromBlock: string; toBlock: string });
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

function logsOf(chain: CannedChain, range: { readonly fromBlock: string; readonly toBlock: string }) {
  const base = (block: number) => ({
    address: ADDRESSES.eventRegistry.toLowerCase(),
    blockNumber: quantity(block),
    blockHash: blockHashOf(block),
    removed: false,
  });
  const submitted = (block: number, index: number, event: Pick<CannedEvent, 'type' | 'value' | 'currency'>) => ({
    ...base(block),
    topics: [
      keccak('EventSubmitted(uint256,uint256,uint8,uint256,string)'),
      `0x${word(chain.machineId)}`,
      `0x${word(index)}`,
      keccak(event.currency),
    ],
    data: `0x${word(event.type)}${word(event.value)}`,
  });
  const importedAt = chain.importedAt ?? 0;
  const older = Array.from({ length: chain.logsBeforeImport ?? 0 }, (_, index) =>
    submitted(importedAt, index, { type: 1, value: 7n, currency: '' }),
  );
  const imported = {
    ...base(importedAt),
    topics: [keccak('MachineEventsImported(uint256,uint256)'), `0x${word(chain.machineId)}`],
    data: `0x${word(chain.priorEvents)}`,
  };
  return [
    ...older,
    ...(chain.importedAt === undefined ? [] : [imported]),
    ...chain.events.map((event, position) => submitted(event.block, Number(chain.priorEvents) + position, event)),
  ]
    .map((log, logIndex) => ({ ...log, logIndex: quantity(logIndex) }))
    .filter(({ blockNumber }) => within(Number(blockNumber), range));
}

const within = (block: number, range: { readonly fromBlock: string; readonly toBlock: string }): boolean =>
  block >= Number(range.fromBlock) && block <= Number(range.toBlock);

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
