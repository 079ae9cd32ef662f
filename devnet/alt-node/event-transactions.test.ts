/**
 * Do the transactions do to the log what chain-svm 3.6 says, is each form read back by the service's own reader, and does the program
 * refuse what it should?
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveEventLogAddress } from '../../src/adapters/alt-chain/accounts/account-addresses.ts';
import { decodeAccount } from '../../src/adapters/alt-chain/accounts/account-decoder.ts';
import { machineEventLogLayout } from '../../src/adapters/alt-chain/accounts/machine-event-log.ts';
import { parseRpcAccount } from '../../src/adapters/alt-chain/rpc/rpc-account.ts';
import { readTransaction } from '../../src/adapters/alt-chain/transactions/transaction-operations.ts';
import type { AltEventLog } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { TransactionReadResult } from '../../src/domain/alt-chain/event-operation.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { ReadResult } from '../../src/domain/read-result.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { callRpc } from './alt-chain-client.ts';
import { startAltNode } from './alt-node.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { encodeMachineEventLog } from './event-accounts.ts';
import {
  adoptCarriedEvent,
  closeLog,
  EVENT_REGISTRY_ERROR as REFUSED,
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

async function refusalOf(transaction: Promise<SubmittedTransaction>): Promise<unknown> {
  const error: unknown = await transaction.catch((thrown: unknown) => thrown);
  if (!(error instanceof TransactionFailed)) throw error;
  return error.transaction.err;
}

function custom(code: number, instruction = 0): object {
  return { InstructionError: [instruction, { Custom: code }] };
}

describe.each<TransactionForm>(['plain', 'cpi', 'v0-lookup-table'])('an event, %s', (via) => {
  it('is read from its transaction and stands in the log', async () => {
    const machineId = await createMachine();
    const first = await submitEvent(node, { machineId, signer: OWNER_SEED, record: LONG, via });
    const second = await submitEvent(node, { machineId, signer: CONTROLLER_SEED, record: ACTIVITY, via });
    const submitted = (eventIndex: bigint, record: EventRecord) => ({
      state: 'read',
      operations: [{ kind: 'submitted', machineId, eventIndex, record, evidence: 'log+instruction' }],
    });
    expect(await readBack(first)).toStrictEqual(submitted(0n, LONG));
    expect(await readBack(second)).toStrictEqual(submitted(1n, ACTIVITY));
    expect(await readLog(machineId)).toStrictEqual(present(2n, ACTIVITY));
  });

  it('is read from the instruction alone when a talker filled the log', async () => {
    const machineId = await createMachine();
    const submitted = await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE, via, noisyLogs: true });
    expect(submitted.logs).toContain('Log truncated');
    expect(submitted.logs.filter((line) => line.startsWith('Program data: '))).toStrictEqual([]);
    expect(await readBack(submitted)).toStrictEqual({
      state: 'read',
      operations: [{ kind: 'submitted', machineId, eventIndex: undefined, record: REVENUE, evidence: 'instruction' }],
    });
  });

  it('carries over, is adopted and closed', async () => {
    lastId += 1n;
    const machineId = lastId as MachineId;
    const carried = { machineId, priorEventCount: 30n, record: CARRIED, via };
    const imported = await importMachine(node, { ...carried, authority: LIFECYCLE_SEED });
    expect(await readLog(machineId)).toStrictEqual(present(1n, CARRIED, 30n));
    const adopted = await adoptCarriedEvent(node, { ...carried, authority: ADMIN_SEED, priorEventCount: 31n });
    expect(await readLog(machineId)).toStrictEqual(present(2n, CARRIED, 31n));
    const closed = await closeLog(node, { machineId, authority: LIFECYCLE_SEED, via });
    expect(await readLog(machineId)).toStrictEqual({ state: 'absent' });
    const evidence = 'log+instruction';
    expect([await readBack(imported), await readBack(adopted), await readBack(closed)]).toStrictEqual(
      [
        { kind: 'imported', machineId, priorEventCount: 30n, record: CARRIED, evidence },
        { kind: 'adopted', machineId, priorEventCount: 31n, record: CARRIED, count: 2n, evidence },
        { kind: 'closed', machineId, count: 2n, evidence },
      ].map((operation) => ({ state: 'read', operations: [operation] })),
    );
  });
});

describe('the log', () => {
  it('keeps behind its bump what a longer record left there', async () => {
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

  it('begins anew when a machine comes back', async () => {
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

  it('is opened at an address to which somebody sent lamports', async () => {
    const machineId = await createMachine();
    const { address } = (await machineAddresses(machineId)).machineEventLog;
    node.setAccount(address, { owner: SYSTEM_PROGRAM, data: new Uint8Array(), lamports: 1_000_000n });
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await readLog(machineId)).toStrictEqual(present(1n, REVENUE));
  });
});

describe('the gate', () => {
  it.each<[name: string, state: RegisteredState, code: number]>([
    ['a machine that relocates', { isRelocating: true }, REFUSED.relocating],
    ['a subscription that was never activated', { subscriptionStatus: 0 }, REFUSED.subscription],
    ['a subscription that runs off', { subscriptionStatus: 3 }, REFUSED.subscription],
    ['a subscription that ended', { subscriptionStatus: 4 }, REFUSED.subscription],
  ])('refuses %s', async (_name, state, code) => {
    const machineId = await createMachine(state);
    expect(await refusalOf(submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE }))).toStrictEqual(
      custom(code),
    );
    expect(await readLog(machineId)).toStrictEqual({ state: 'absent' });
  });

  it('lets a subscription in its grace pass', async () => {
    const machineId = await createMachine({ subscriptionStatus: 2 });
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await readLog(machineId)).toStrictEqual(present(1n, REVENUE));
  });

  it('refuses a stranger', async () => {
    const machineId = await createMachine();
    const submission = submitEvent(node, { machineId, signer: STRANGER_SEED, record: REVENUE });
    expect(await refusalOf(submission)).toStrictEqual(custom(REFUSED.signer));
  });

  it('refuses everybody while it is paused', async () => {
    const machineId = await createMachine();
    await placeEventRegistry(node, true);
    const submission = submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    expect(await refusalOf(submission)).toStrictEqual(custom(REFUSED.paused));
    await placeEventRegistry(node);
  });

  it('refuses a machine that is not there', async () => {
    lastId += 1n;
    const submission = submitEvent(node, { machineId: lastId, signer: OWNER_SEED, record: REVENUE });
    expect(await refusalOf(submission)).toStrictEqual(custom(REFUSED.accounts));
  });

  it.each<[name: string, change: Partial<EventRecord>]>([
    ['of an unknown type', { eventType: 2 }],
    ['of an unknown trust level', { trustLevel: 3 }],
    ['from the future', { timestamp: BigInt(GENESIS + 86_400 * 365) }],
    ['without a currency', { currency: '' }],
    ['in a currency in small letters', { currency: 'usd' }],
    ['in a currency of 11 letters', { currency: 'ABCDEFGHIJK' }],
    ['of an activity with a currency', { eventType: 1 }],
    ['with 257 bytes of metadata', { metadata: `0x${'00'.repeat(257)}` }],
  ])('refuses a record %s', async (_name, change) => {
    const machineId = await createMachine();
    const submission = submitEvent(node, { machineId, signer: OWNER_SEED, record: { ...REVENUE, ...change } });
    expect(await refusalOf(submission)).toStrictEqual(custom(REFUSED.record));
  });

  it('refuses administration by others', async () => {
    const machineId = await createMachine();
    const carried = { machineId, priorEventCount: 1n, record: REVENUE };
    await submitEvent(node, { machineId, signer: OWNER_SEED, record: REVENUE });
    const attempts = [
      importMachine(node, { ...carried, authority: ADMIN_SEED }),
      adoptCarriedEvent(node, { ...carried, authority: LIFECYCLE_SEED }),
      closeLog(node, { machineId, authority: OWNER_SEED }),
    ];
    expect(await Promise.all(attempts.map(refusalOf))).toStrictEqual(attempts.map(() => custom(REFUSED.signer)));
  });

  it('imports a machine once, and closes no log that is not open', async () => {
    lastId += 1n;
    const machineId = lastId;
    const carried = { machineId, priorEventCount: 1n, record: undefined, authority: LIFECYCLE_SEED };
    await importMachine(node, carried);
    expect(await refusalOf(importMachine(node, carried))).toStrictEqual(custom(REFUSED.existing));
    const closing = closeLog(node, { machineId: machineId + 1000n, authority: LIFECYCLE_SEED });
    expect(await refusalOf(closing)).toStrictEqual(custom(REFUSED.accounts));
  });

  it('leaves a failed transaction in its block, without a change', async () => {
    const machineId = await createMachine();
    const failure = submitEvent(node, { machineId, signer: STRANGER_SEED, record: REVENUE, noisyLogs: true });
    const error = (await failure.catch((thrown: unknown) => thrown)) as TransactionFailed;
    expect(error.transaction.err).toStrictEqual(custom(REFUSED.signer, 1));
    expect(await readBack(error.transaction)).toStrictEqual({ state: 'read', operations: [] });
  });
});
