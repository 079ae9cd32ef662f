/** JSON-RPC node of an alt chain with one machine, in memory, for tests of `svc replay`. Its encoding is independent of the readers. */
import { deriveAddress, formatBase58, toWord } from '../../cli/replay/solana-bytes.ts';

export const ALT_PROGRAMS = {
  genesisHash: formatBase58(new Uint8Array(32).fill(9)),
  machineRegistry: formatBase58(new Uint8Array(32).fill(10)),
  eventRegistry: formatBase58(new Uint8Array(32).fill(11)),
} as const;

export const MACHINE_ID = 2n ** 255n + 7n;
export const NEWEST_SLOT = 1_000;

export interface CannedRecord {
  readonly type?: number;
  readonly value: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly trust?: number;
  readonly currency?: string;
  readonly metadata?: string;
}

/** A transaction with one operation on the log of the machine. */
export interface CannedTransaction {
  readonly name: string;
  readonly slot: number;
  /** Position in the block, default 0. */
  readonly place?: number;
  readonly does: 'submit' | 'import' | 'close';
  readonly record?: CannedRecord;
  readonly prior?: bigint;
  readonly hasFailed?: boolean;
}

export interface CannedAltChain {
  readonly transactions: readonly CannedTransaction[];
  /** Content of the log's account; undefined: there is none. */
  readonly shown: { readonly count: bigint; readonly prior?: bigint; readonly last?: CannedRecord } | undefined;
}

export const timeOf = (slot: number): number => 1_700_000_000 + slot;

const WORD = toWord(MACHINE_ID);
const LOG = deriveAddress(ALT_PROGRAMS.eventRegistry, 'MachineEventLog', WORD);
const MACHINE = deriveAddress(ALT_PROGRAMS.machineRegistry, 'Machine', WORD);
const REGISTRY = deriveAddress(ALT_PROGRAMS.machineRegistry, 'MachineRegistry');
const STRANGER = formatBase58(new Uint8Array(32).fill(12));

export type AltRequest = readonly [method: string, params: readonly unknown[]];
/** Replaces an honest result; undefined leaves it unchanged. */
export type AltTamper = (request: AltRequest, honest: unknown) => { readonly result: unknown } | undefined;

export function createCannedAltRpc(chain: CannedAltChain, tamper: AltTamper = () => undefined) {
  const requests: AltRequest[] = [];
  return {
    requests,
    rpc: async (method: string, params: readonly unknown[]): Promise<unknown> => {
      const request: AltRequest = [method, params];
      requests.push(request);
      const honest = respondHonestly(chain, request);
      const tampered = tamper(request, honest);
      return tampered === undefined ? honest : tampered.result;
    },
  };
}

function respondHonestly(chain: CannedAltChain, [method, [first, options]]: AltRequest): unknown {
  const newestFirst = chain.transactions.toReversed();
  switch (method) {
    case 'getGenesisHash':
      return ALT_PROGRAMS.genesisHash;
    case 'getMultipleAccounts':
      return { context: { slot: NEWEST_SLOT }, value: (first as string[]).map((key) => accountAt(chain, key)) };
    case 'getSignaturesForAddress': {
      const { before } = options as { readonly before?: string };
      const rows = newestFirst.map(({ name, slot, hasFailed = false }) => ({
        ...{ signature: signatureOf(name), slot, blockTime: timeOf(slot) },
        err: hasFailed ? { InstructionError: [0, { Custom: 6000 }] } : null,
      }));
      const start = before === undefined ? 0 : rows.findIndex(({ signature }) => signature === before) + 1;
      return first === LOG ? rows.slice(start, start + 2) : [];
    }
    case 'getTransaction':
      return toTransactionResponse(chain.transactions.find(({ name }) => signatureOf(name) === first));
    case 'getBlock': {
      const ofSlot = chain.transactions.filter(({ slot }) => slot === first);
      const inOrder = ofSlot.sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
      return { signatures: [signatureOf('stranger'), ...inOrder.map(({ name }) => signatureOf(name))] };
    }
    case 'getBlockTime':
      return timeOf(Number(first));
    default:
      throw new Error(method);
  }
}

export function signatureOf(name: string): string {
  return formatBase58(Buffer.from(name.padEnd(64, '.')));
}

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const sized = (text: string): Buffer =>
  Buffer.concat([Buffer.from(Uint32Array.of(text.length).buffer), Buffer.from(text)]);

function encodeRecord({
  type = 0,
  value,
  timestamp,
  trust = 1,
  currency = 'USD',
  metadata = '{}',
}: CannedRecord): Buffer {
  const head = [Buffer.from([type]), toWord(value), u64(timestamp), Buffer.alloc(32), Buffer.from([trust])];
  return Buffer.concat([...head, u64(5n), Buffer.alloc(32), sized(metadata), sized(currency)]);
}

const option = (record: CannedRecord | undefined): Buffer =>
  record === undefined ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), encodeRecord(record)]);

function accountAt({ shown }: CannedAltChain, key: string): object | null {
  const account = (owner: string, ...parts: Uint8Array[]) => ({
    ...{ owner, executable: false, lamports: 1 },
    data: [Buffer.concat(parts).toString('base64'), 'base64'],
  });
  const { machineRegistry, eventRegistry } = ALT_PROGRAMS;
  if (key === MACHINE) return account(machineRegistry, Buffer.from('1966160d3af38a4f', 'hex'), WORD, Buffer.alloc(146));
  if (key === REGISTRY) {
    return account(machineRegistry, Buffer.from('2fae6ef6b8b6fcda', 'hex'), Buffer.alloc(64), Buffer.from([5, 0]));
  }
  if (key !== LOG || shown === undefined) return null;
  const parts = [WORD, u64(shown.count), u64(shown.prior ?? 0n), option(shown.last)];
  return account(eventRegistry, Buffer.from('7a8ada9cb47241f8', 'hex'), ...parts, Buffer.alloc(99, 0xee));
}

function toTransactionResponse(transaction: CannedTransaction | undefined): object | null {
  if (transaction === undefined) return null;
  const { name, slot, does, record, prior = 0n } = transaction;
  const data = {
    submit: () => [Buffer.from('aa7f8995a8b2ff0c', 'hex'), WORD, encodeRecord(record!)],
    import: () => [Buffer.from('6ebec5ec87be4d42', 'hex'), WORD, u64(prior), option(record)],
    close: () => [Buffer.from('838668416997ca7c', 'hex'), WORD],
  }[does]();
  const accounts = does === 'submit' ? [0, 0, 0, 0, 2] : [0, 0, 0, 2];
  return {
    ...{ slot, version: 'legacy', blockTime: timeOf(slot) },
    transaction: {
      signatures: [signatureOf(name)],
      message: {
        accountKeys: [STRANGER, ALT_PROGRAMS.eventRegistry, LOG],
        instructions: [{ programIdIndex: 1, accounts, data: formatBase58(Buffer.concat(data)) }],
      },
    },
    meta: { err: null, innerInstructions: [], logMessages: null, loadedAddresses: { writable: [], readonly: [] } },
  };
}
