/** Event transactions of the local alt chain: effects on the log (chain-svm 3.6), decoding by the service, and rejections by the program. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveEventLogAddress } from '../../src/adapters/alt-chain/accounts/account-addresses.ts';
import { decodeAccount } from '../../src/adapters/alt-chain/accounts/account-decoder.ts';
import { machineEventLogLayout } from '../../src/adapters/alt-chain/accounts/machine-event-log.ts';
import { parseRpcAccount } from '../../src/adapters/alt-chain/rpc/rpc-account.ts';
import { readTransaction } from '../../src/adapters/alt-chain/transactions/transaction-operations.ts';
import type { AltEventLog } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { TransactionReadResult } from '../../src/domain/alt-chain/event-operation.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { ABSENT, type ReadResult } from '../../src/domain/read-result.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { callRpc } from './alt-chain-client.ts';
import { startAltNode } from './alt-node.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { encodeMachineEventLog } from './event-accounts.ts';
import {
  adoptCarriedEvent,
  closeLog,
  EVENT_REGISTRY_ERROR as ERROR,
  importMachine,
  submitEvent,
  TransactionFailed,
} from './event-transactions.ts';
import type { TransactionForm } from './event-transactions.ts';
import { machineAddresses } from './program-addresses.ts';
import {
  ACTIVITY,
  ADMIN_SEED,
  CONTROLLER_SEED,
  GENESIS,
  LIFECYCLE_SEED,
  OWNER_SEED,
  placeEventRegistry,
  placeMachine,
  REVENUE,
  STRANGER_SEED,
} from './registered-machine.ts';
import type { RegisteredState } from './registered-machine.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

const LONG: EventRecord = { ...REVENUE, metadata: `0x${'ab'.repeat(256)}`, currency: 'ABCDEFGH10' };
const CARRIED: EventRecord = { ...LONG, eventType: 9, trustLevel: 7, currency: 'shaped elsewhere' };

let node: AltNode;
let lastId = 0n;

beforeAll(async () => {
  node = await startAltNode({ genesisTimestamp: GENESIS });
  await placeEventRegistry(node);
});
afterAll(() => node.stop());

async function createMachine(state?: RegisteredState): Promise<MachineId> {
  lastId += 1n;
  await placeMachine(node, lastId, state);
  return lastId as MachineId;
}

async function readBack({ signature, slot }: SubmittedTransaction): Promise<TransactionReadResult> {
  node.advanceSlots(32);
  const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const { eventRegistry } = node.programs;
  return readTransaction(await callRpc(node, 'getTransaction', signature, options), {
    ...{ signature, slot, eventRegistry },
    blockTime: GENESIS,
    eventLogOf: (id) => deriveEventLogAddress(eventRegistry, id),
  });
}

async function readLog(machineId: MachineId): Promise<ReadResult<AltEventLog>> {
  const { address } = (await machineAddresses(machineId)).machineEventLog;
  const { value } = await callRpc<{ value: unknown }>(node, 'getAccountInfo', address, {
    ...{ encoding: 'base64', commitment: 'processed' },
  });
  const expected = { program: node.programs.eventRegistry, subject: machineId };
  return decodeAccount(parseRpcAccount(value), machineEventLogLayout, expected);
}

function present(count: bigint, lastEvent: EventRecord | undefined, priorEventCount = 0n): ReadResult<AltEventLog> {
  return { state: 'present', value: { count, lastEvent, priorEventCount } };
}

async function errorOf(transaction: Promise<SubmittedTransaction>): Promise<unknown> {
  const error: unknown = await transaction.catch((thrown: unknown) => thrown);
  if (!(error instanceof TransactionFailed)) throw error;
  return error.transaction.err;
}

function custom(code: number, instruction = 0): object {
  return { InstructionError: [instruction, { Custom: code }] };
}

describe.each<TransactionForm>(['plain', 'cpi', 'v0-lookup-table'])('an event submitted as %s', (via) => {
  it('is decoded from its transaction and stored in the log', async () => {
    const machineId = await createMachine();
    const first = await submitEvent(node, { machineId, signer: OWNER_SEED, record: LONG, via });
    const second = await submitEvent(node, { machineId, signer: CONTROLLER_SEED, record: ACTIVITY, via });
    const submitted = (eventIndex: bigint, record: EventRecord) => ({
      state: 'read',
      operations: [{ kind: 'submitted', machineId, eventIndex, record }],
    });
    expect(await readBack(first)).toStrictEqual(submitted(0n, LONG));
    expect(await readBack(second)).toStrictEqual(submitted(1n, ACTIVITY));
    expect(await readLog(machineId)).toStrictEqual(present(2n, ACTIVITY));
  });

  it('is decoded from the instruction alone when the log is full', async () => {
    const machineId = await createMachine();
    const submitted = await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE, via, noisyLogs: true });
    expect(submitted.logs).toContain('Log truncated');
    expect(submitted.logs.filter((line) => line.startsWith('Program data: '))).toStrictEqual([]);
    expect(await readBack(submitted)).toStrictEqual({
      state: 'read',
      operations: [{ kind: 'submitted', machineId, eventIndex: undefined, record: REVENUE }],
    });
  });

  it('is imported, adopted and removed with its log', async () => {
    lastId += 1n;
    const machineId = lastId as MachineId;
    const carried = { machineId, priorEventCount: 30n, record: CARRIED, via };
    const imported = await importMachine(node, { ...carried, authority: LIFECYCLE_SEED });
    expect(await readLog(machineId)).toStrictEqual(present(1n, CARRIED, 30n));
    const adopted = await adoptCarriedEvent(node, { ...carried, authority: ADMIN_SEED, priorEventCount: 31n });
    expect(await readLog(machineId)).toStrictEqual(present(2n, CARRIED, 31n));
    const closed = await closeLog(node, { machineId, authority: LIFECYCLE_SEED, via });
    expect(await readLog(machineId)).toStrictEqual(ABSENT);
    expect([await readBack(imported), await readBack(adopted), await readBack(closed)]).toStrictEqual(
      [
        { kind: 'imported', machineId, priorEventCount: 30n, record: CARRIED },
        { kind: 'adopted', machineId, priorEventCount: 31n, record: CARRIED, count: 2n },
        { kind: 'closed', machineId, count: 2n },
      ].map((operation) => ({ state: 'read', operations: [operation] })),
    );
  });
});

describe('the event log', () => {
  it('retains stale bytes of a longer record after its bump', async () => {
    const machineId = await createMachine();
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: LONG });
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: ACTIVITY });
    const { address, bump } = (await machineAddresses(machineId)).machineEventLog;
    const expected = encodeMachineEventLog({ machineId, count: 1n, priorEventCount: 0n, lastEvent: LONG, bump });
    const front = { machineId, count: 2n, priorEventCount: 0n, lastEvent: ACTIVITY, bump };
    expected.set(encodeMachineEventLog(front).subarray(0, 57 + 122 + 1));
    const { value } = await callRpc<{ value: { data: [string, string] } }>(node, 'getAccountInfo', address, {
      ...{ encoding: 'base64', commitment: 'processed' },
    });
    expect(value.data[0]).toBe(Buffer.from(expected).toString('base64'));
  });

  it('restarts at index 0 after it was closed', async () => {
    const machineId = await createMachine();
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: LONG });
    await closeLog(node, { machineId, authority: LIFECYCLE_SEED });
    const again = await submitEvent(node, { machineId, signer: OWNER_SEED, record: ACTIVITY });
    expect(await readLog(machineId)).toStrictEqual(present(1n, ACTIVITY));
    expect(await readBack(again)).toMatchObject({ operations: [{ eventIndex: 0n }] });
  });

  it('is opened empty by an import that brings no record', async () => {
    lastId += 1n;
    const machineId = lastId as MachineId;
    await importMachine(node, { machineId, authority: LIFECYCLE_SEED, priorEventCount: 3n, record: undefined });
    expect(await readLog(machineId)).toStrictEqual(present(0n, undefined, 3n));
  });

  it('is opened at an address that already has lamports', async () => {
    const machineId = await createMachine();
    const { address } = (await machineAddresses(machineId)).machineEventLog;
    node.setAccount(address, { owner: SYSTEM_PROGRAM, data: new Uint8Array(), lamports: 1_000_000n });
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await readLog(machineId)).toStrictEqual(present(1n, REVENUE));
  });
});

describe('the event registry program', () => {
  it.each<[name: string, state: RegisteredState, code: number]>([
    ['a relocating machine', { isRelocating: true }, ERROR.relocating],
    ['a subscription that was never activated', { subscriptionStatus: 0 }, ERROR.subscription],
    ['a subscription in runoff', { subscriptionStatus: 3 }, ERROR.subscription],
    ['a subscription that ended', { subscriptionStatus: 4 }, ERROR.subscription],
  ])('rejects %s', async (_name, state, code) => {
    const machineId = await createMachine(state);
    expect(await errorOf(submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE }))).toStrictEqual(
      custom(code),
    );
    expect(await readLog(machineId)).toStrictEqual(ABSENT);
  });

  it('accepts a subscription in grace', async () => {
    const machineId = await createMachine({ subscriptionStatus: 2 });
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await readLog(machineId)).toStrictEqual(present(1n, REVENUE));
  });

  it('rejects a signer without rights', async () => {
    const machineId = await createMachine();
    const submission = submitEvent(node, { machineId, signer: STRANGER_SEED, record: REVENUE });
    expect(await errorOf(submission)).toStrictEqual(custom(ERROR.signer));
  });

  it('rejects all submissions while paused', async () => {
    const machineId = await createMachine();
    await placeEventRegistry(node, true);
    const submission = submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await errorOf(submission)).toStrictEqual(custom(ERROR.paused));
    await placeEventRegistry(node);
  });

  it('rejects an unknown machine', async () => {
    lastId += 1n;
    const submission = submitEvent(node, { machineId: lastId, signer: OWNER_SEED, record: REVENUE });
    expect(await errorOf(submission)).toStrictEqual(custom(ERROR.accounts));
  });

  it.each<[name: string, change: Partial<EventRecord>]>([
    ['of an unknown type', { eventType: 2 }],
    ['of an unknown trust level', { trustLevel: 3 }],
    ['from the future', { timestamp: BigInt(GENESIS + 86_400 * 365) }],
    ['without a currency', { currency: '' }],
    ['with a lowercase currency', { currency: 'usd' }],
    ['with a currency of 11 letters', { currency: 'ABCDEFGHIJK' }],
    ['of activity with a currency', { eventType: 1 }],
    ['with 257 bytes of metadata', { metadata: `0x${'00'.repeat(257)}` }],
  ])('rejects a record %s', async (_name, change) => {
    const machineId = await createMachine();
    const submission = submitEvent(node, { machineId, signer: OWNER_SEED, record: { ...REVENUE, ...change } });
    expect(await errorOf(submission)).toStrictEqual(custom(ERROR.record));
  });

  it('rejects administration by other signers', async () => {
    const machineId = await createMachine();
    const carried = { machineId, priorEventCount: 1n, record: REVENUE };
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    const attempts = [
      importMachine(node, { ...carried, authority: ADMIN_SEED }),
      adoptCarriedEvent(node, { ...carried, authority: LIFECYCLE_SEED }),
      closeLog(node, { machineId, authority: OWNER_SEED }),
    ];
    expect(await Promise.all(attempts.map(errorOf))).toStrictEqual(attempts.map(() => custom(ERROR.signer)));
  });

  it('rejects a second import and closing a log that is not open', async () => {
    lastId += 1n;
    const machineId = lastId;
    const carried = { machineId, priorEventCount: 1n, record: undefined, authority: LIFECYCLE_SEED };
    await importMachine(node, carried);
    expect(await errorOf(importMachine(node, carried))).toStrictEqual(custom(ERROR.existing));
    const closing = closeLog(node, { machineId: machineId + 1000n, authority: LIFECYCLE_SEED });
    expect(await errorOf(closing)).toStrictEqual(custom(ERROR.accounts));
  });

  it('leaves a failed transaction in its block without effects', async () => {
    const machineId = await createMachine();
    const failure = submitEvent(node, { machineId, signer: STRANGER_SEED, record: REVENUE, noisyLogs: true });
    const error = (await failure.catch((thrown: unknown) => thrown)) as TransactionFailed;
    expect(error.transaction.err).toStrictEqual(custom(ERROR.signer, 1));
    expect(await readBack(error.transaction)).toStrictEqual({ state: 'read', operations: [] });
  });
});
