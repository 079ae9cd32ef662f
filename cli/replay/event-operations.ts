/**
 * Operations of an alt-chain transaction on the event log of one machine. Reads the executed instructions, outer and inner, whose data no
 * node truncates (chain-svm 3.5, 3.6 and 6), and ignores program logs.
 */
import { parseList, parseObject, parseText } from './solana-responses.ts';
import { MalformedSolana, parseBase58, readBorsh, type BorshReader } from './solana-bytes.ts';

/** Members of an event record that the rating uses, and all its bytes. */
export interface AltRecord {
  readonly type: bigint;
  readonly value: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly trust: bigint;
  readonly sourceChainId: bigint;
  readonly sourceTxHash: string;
  readonly metadata: Uint8Array;
  readonly currencyBytes: Uint8Array;
  readonly hex: string;
}

export type EventOperation =
  | { readonly kind: 'append'; readonly record: AltRecord }
  /** The record that a relocation carried over, and the number of events left behind. */
  | { readonly kind: 'carried'; readonly prior: bigint; readonly record: AltRecord | undefined }
  | { readonly kind: 'closed' };

/** Operation with the position of its instruction among those that the transaction executed. */
export type ExecutedOperation = EventOperation & { readonly order: number };

/** Selects the event log. */
export interface LogOf {
  readonly machineId: bigint;
  readonly eventRegistry: string;
  /** Of the machine's event log. */
  readonly logAddress: string;
}

interface Executed {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: string;
}

/** Parses a response of `getTransaction` in the encoding `json`. Throws `MalformedSolana` unless it is complete. */
export function readEventOperations(response: unknown, signature: string, log: LogOf): ExecutedOperation[] {
  const { transaction, meta, version } = parseObject(response);
  const { message, signatures } = parseObject(transaction);
  const { err, innerInstructions, loadedAddresses } = parseObject(meta);
  if (parseList(signatures)[0] !== signature) throw new MalformedSolana('another transaction');
  if (version !== undefined && version !== 'legacy' && version !== 0) throw new MalformedSolana('an unknown version');
  if (err !== null) throw new MalformedSolana('a failed transaction, listed as successful');

  const { accountKeys, instructions } = parseObject(message);
  const { writable = [], readonly = [] } = parseObject(loadedAddresses ?? {});
  const keys = [...parseList(accountKeys), ...parseList(writable), ...parseList(readonly)].map(parseText);
  const inner = Map.groupBy(parseList(innerInstructions).map(parseObject), ({ index }) => index);
  return parseList(instructions)
    .flatMap((outer, index) => [
      outer,
      ...(inner.get(index) ?? []).flatMap((group) => parseList(group['instructions'])),
    ])
    .map((instruction) => parseInstruction(instruction, keys))
    .flatMap((executed, order) => {
      const operation = readOperation(executed, log);
      return operation === undefined ? [] : [{ ...operation, order }];
    });
}

function parseInstruction(value: unknown, keys: readonly string[]): Executed {
  const { programIdIndex, accounts, data } = parseObject(value);
  const keyAt = (index: unknown): string => {
    const key = typeof index === 'number' ? keys[index] : undefined;
    if (key === undefined) throw new MalformedSolana('an account that the transaction does not name');
    return key;
  };
  return { program: keyAt(programIdIndex), accounts: parseList(accounts).map(keyAt), data: parseText(data) };
}

/** Instructions that change a log, by discriminator: index of the log's account, and parser of the data after the machine id. */
const INSTRUCTIONS: Readonly<
  Record<string, readonly [logAccount: number, read: (data: BorshReader) => EventOperation]>
> = {
  // submit_event
  aa7f8995a8b2ff0c: [4, (data) => ({ kind: 'append', record: readRecord(data) })],
  // import_machine
  '6ebec5ec87be4d42': [3, readCarried],
  // adopt_carried_event
  '5ec1c766cb544f04': [3, readCarried],
  // close_machine_event_log
  '838668416997ca7c': [3, () => ({ kind: 'closed' })],
};

/** Returns undefined for another program, for an instruction that changes no log, and for the log of another machine. */
function readOperation({ program, accounts, data }: Executed, log: LogOf): EventOperation | undefined {
  if (program !== log.eventRegistry) return undefined;
  const bytes = parseBase58(data);
  const [logAccount, read] = INSTRUCTIONS[Buffer.from(bytes.subarray(0, 8)).toString('hex')] ?? [];
  if (logAccount === undefined || read === undefined) return undefined;
  const reader = readBorsh(bytes.subarray(8));
  const isOurs = reader.word() === log.machineId;
  if (isOurs !== (accounts[logAccount] === log.logAddress)) throw new MalformedSolana('a log of another machine');
  return isOurs ? read(reader) : undefined;
}

function readCarried(data: BorshReader): EventOperation {
  return { kind: 'carried', prior: data.uint(8), record: data.option(() => readRecord(data)) };
}

/** Parses an event record (chain-svm 3.5). */
export function readRecord(data: BorshReader): AltRecord {
  const bytesRead = data.mark();
  const type = data.uint(1);
  const value = data.word();
  const timestamp = data.uint(8);
  data.take(32);
  const trust = data.uint(1);
  const sourceChainId = data.uint(8);
  const sourceTxHash = `0x${Buffer.from(data.take(32)).toString('hex')}`;
  const metadata = data.sized();
  const currencyBytes = data.sized();
  const citation = { sourceChainId, sourceTxHash, metadata };
  return { type, value, timestamp, trust, ...citation, currencyBytes, hex: bytesRead() };
}
