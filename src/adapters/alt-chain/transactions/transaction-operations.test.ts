/** Tests transaction reading against the vectors and against further inconsistent results. */
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { formatBase58 } from '../../../domain/identifiers/base58.ts';
import { deriveEventLogAddress } from '../accounts/account-addresses.ts';
import { parseBase64 } from '../rpc/base64.ts';
import { readTransaction } from './transaction-operations.ts';
import { createTickCounter } from '../../../../testing/harness/tick-counter.ts';
import {
  eventCases,
  toEventRecord,
  toId,
  transactionCases,
  vectorMachines,
  vectorPrograms,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';
import {
  responseOf,
  readAs,
  readChanged,
  toVectorReading,
  type TransactionResponse,
} from '../../../../testing/fixtures/alt-transactions.ts';

const { eventRegistry, stateAndSync } = vectorPrograms;
const one = responseOf('one event, legacy');
const looked = responseOf('two events in one v0 transaction, accounts from a lookup table');

describe('the transactions of the vectors', () => {
  it('are 16', () => {
    expect(transactionCases).toHaveLength(16);
  });

  it.each(transactionCases)('are read as expected: $name', async ({ response, expect: expected }) => {
    expect(toVectorReading(await readAs(response, response))).toStrictEqual(expected);
  });

  it.each(transactionCases)('lose only the numbers without logs: $name', async ({ response, expect: expected }) => {
    const silent = await readChanged(response, ({ meta }) => (meta.logMessages = null));
    const isSubmitted = (operation: Record<string, unknown>) => operation['op'] === 'submit';
    expect(toVectorReading(silent)).toStrictEqual(
      expected === 'unreadable'
        ? expected
        : expected.map((operation) => ({
            ...operation,
            ...(isSubmitted(operation) ? { eventIndex: null } : {}),
            ...(operation['op'] === 'close' ? { count: null } : {}),
          })),
    );
  });
});

describe('a record that an administrator adopted', () => {
  const { machineId, decoded, instruction } = eventCases[0]!;
  const word = hexToBytes(vectorMachines[0]!.word.slice(2));
  const prior = hexToBytes('0700000000000000');
  const record = parseBase64(instruction)!.subarray(8 + 32);
  const call = concatBytes(hexToBytes('5ec1c766cb544f04'), word, prior, Uint8Array.of(1), record);
  const payload = concatBytes(hexToBytes('94bce30db27982f5'), word, prior, hexToBytes('0100000000000000'));
  const operation = {
    kind: 'adopted',
    machineId: toId(machineId),
    priorEventCount: 7n,
    record: toEventRecord(decoded),
  };
  const readAdoption = (logMessages: string[] | null) =>
    readChanged(one, (copy) => {
      Object.assign(instructionOf(copy), { data: formatBase58(call), accounts: [0, 0, 2, 1, 5] });
      copy.meta.logMessages = logMessages;
    });
  const frame = (line: string) => [`Program ${eventRegistry} invoke [1]`, line, `Program ${eventRegistry} success`];

  it('is read from the instruction, its count from the log', async () => {
    const line = `Program data: ${Buffer.from(payload).toString('base64')}`;
    expect(await readAdoption(frame(line))).toStrictEqual({
      state: 'read',
      operations: [{ ...operation, count: 1n }],
    });
  });

  it('has no count without logs', async () => {
    expect(await readAdoption(null)).toStrictEqual({
      state: 'read',
      operations: [{ ...operation, count: undefined }],
    });
  });

  it('is unreadable when the log holds a submission', async () => {
    expect(await readAdoption(frame(eventCases[0]!.logLine))).toStrictEqual({ state: 'unreadable' });
  });
});

describe('an incomplete result', () => {
  it('is not here yet when it is null', async () => {
    expect(await readAs(one, null)).toStrictEqual({ state: 'not-here-yet' });
  });

  it('is parked when the block time is unknown', async () => {
    expect(await readAs(one, one, null)).toStrictEqual({ state: 'parked' });
  });

  it.each(['log closed on retirement', 'failed transaction', 'unknown instruction of our program'])(
    'needs no block time without an event: %s',
    async (name) => {
      expect(await readAs(responseOf(name), responseOf(name), null)).toMatchObject({ state: 'read' });
    },
  );

  it('may omit loaded addresses for a legacy transaction', async () => {
    const reading = await readChanged(one, ({ meta }) => delete meta.loadedAddresses);
    expect(reading.state).toBe('read');
  });

  it.each<[name: string, apply: (copy: TransactionResponse) => unknown]>([
    ['another signature', ({ transaction }) => (transaction.signatures[0] = '1'.repeat(64))],
    ['another slot', (copy) => (copy.slot += 1)],
    ['a newer version', (copy) => (copy.version = 1)],
    ['no version', (copy) => delete copy.version],
    ['no meta', (copy) => Object.assign(copy, { meta: null })],
    ['no err', ({ meta }) => delete meta.err],
    ['inner instructions not recorded', ({ meta }) => (meta.innerInstructions = null)],
    ['inner instructions of no outer one', ({ meta }) => (meta.innerInstructions = [{ index: 1, instructions: [] }])],
    ['repeated inner instructions', ({ meta }) => (meta.innerInstructions = [innerOfFirst(), innerOfFirst()])],
    ['a program outside the table', (copy) => (instructionOf(copy).programIdIndex = 200)],
    ['a negative index', (copy) => (instructionOf(copy).programIdIndex = -1)],
    ['an account outside the table', (copy) => (instructionOf(copy).accounts[4] = 200)],
    ['too few accounts', (copy) => (instructionOf(copy).accounts.length = 4)],
    ['the log of another machine', (copy) => (instructionOf(copy).accounts[4] = 0)],
    ['data that is not base58', (copy) => (instructionOf(copy).data += '0')],
    ['data over the size limit', (copy) => (instructionOf(copy).data = '2'.repeat(20_000))],
    ['more keys than a byte can name', ({ transaction }) => addKeys(transaction.message.accountKeys, 256)],
    ['an invalid key', ({ transaction }) => (transaction.message.accountKeys[0] = 'abc')],
    ['a loaded address without a lookup', ({ meta }) => meta.loadedAddresses!.writable.push('1'.repeat(32))],
    ['logs that are not texts', ({ meta }) => Object.assign(meta, { logMessages: [1] })],
    ['no log event', (copy) => changeLogs(copy, (line) => (isData(line) ? [] : [line]))],
    ['a repeated log event', (copy) => changeLogs(copy, (line) => (isData(line) ? [line, line] : [line]))],
    [
      'a log event of another record',
      (copy) => changeLogs(copy, (line) => (isData(line) ? eventCases[1]!.logLine : line)),
    ],
    [
      'a log event of another machine',
      (copy) => changeLogs(copy, (line) => (isData(line) ? ofOtherMachine(line) : line)),
    ],
    ['an unclosed frame', ({ meta }) => meta.logMessages!.pop()],
    [
      'a frame closed by another program',
      (copy) => changeLogs(copy, (line) => line.replace(/\w+ success$/, `${stateAndSync} success`)),
    ],
    ['a frame at the wrong depth', (copy) => changeLogs(copy, (line) => line.replace('[1]', '[2]'))],
  ])('is unreadable with %s', async (_name, apply) => {
    expect(await readChanged(one, apply)).toStrictEqual({ state: 'unreadable' });
  });

  it.each<[name: string, apply: (copy: TransactionResponse) => unknown]>([
    ['fewer addresses than looked up', ({ meta }) => meta.loadedAddresses!.readonly.pop()],
    ['no addresses', ({ meta }) => delete meta.loadedAddresses],
    ['no lookups', ({ transaction }) => delete transaction.message.addressTableLookups],
  ])('is unreadable with a lookup table and %s', async (_name, apply) => {
    expect(await readChanged(looked, apply)).toStrictEqual({ state: 'unreadable' });
  });
});

it('a long transaction is read in several ticks', async () => {
  const counter = createTickCounter();
  const long = structuredClone(one);
  long.transaction.message.instructions = new Array(60).fill(instructionOf(one));
  long.meta.logMessages = null;
  const reading = await readTransaction(long, {
    signature: one.transaction.signatures[0]!,
    slot: one.slot,
    blockTime: 1_788_000_100,
    eventRegistry,
    eventLogOf(id) {
      counter.count();
      return deriveEventLogAddress(eventRegistry, id);
    },
  });
  expect(reading.state === 'read' && reading.operations).toHaveLength(60);
  expect(counter.most).toBeLessThanOrEqual(10);
});

function instructionOf({
  transaction,
}: TransactionResponse): TransactionResponse['transaction']['message']['instructions'][number] {
  return transaction.message.instructions[0]!;
}

function innerOfFirst(): unknown {
  return { index: 0, instructions: [] };
}

function addKeys(keys: string[], count: number): void {
  keys.push(...new Array<string>(count).fill(stateAndSync));
}

/** Returns the same log event with another machine id. */
function ofOtherMachine(line: string): string {
  const payload = Buffer.from(line.replace('Program data: ', ''), 'base64');
  payload.set(hexToBytes(vectorMachines[1]!.word.slice(2)), 8);
  return `Program data: ${payload.toString('base64')}`;
}

function isData(line: string): boolean {
  return line.startsWith('Program data: ');
}

function changeLogs({ meta }: TransactionResponse, toLines: (line: string) => string | string[]): void {
  meta.logMessages = meta.logMessages!.flatMap(toLines);
}
