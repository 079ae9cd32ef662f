/**
 * Transactions that write events on the local alt chain: the four instructions of chain-svm 3.6 in the forms that an indexer meets: plain,
 * through another program, as a version 0 message with a lookup table, and with a truncated log.
 */
import { createHash } from 'node:crypto';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { BorshWriter } from './borsh-writer.ts';
import { encodeLookupTable, LOOKUP_TABLE_PROGRAM } from './lookup-table.ts';
import { machineAddresses, singletonAddresses } from './program-addresses.ts';
import { keyOfSeed } from './signed-transaction.ts';
import type { AccountUse, LookupTable, PlannedInstruction } from './signed-transaction.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

export type TransactionForm = 'plain' | 'cpi' | 'v0-lookup-table';

export interface SubmissionOptions {
  /** Absent = plain. */
  readonly via?: TransactionForm | undefined;
  /** Adds an instruction in front that fills the log, so that the line of the event is dropped. */
  readonly noisyLogs?: boolean | undefined;
}

export interface EventSubmission extends SubmissionOptions {
  readonly machineId: bigint;
  /** 32-byte seed of the owner or the controller, who also pays. */
  readonly signer: Uint8Array;
  readonly record: EventRecord;
}

export interface CarriedEvents extends SubmissionOptions {
  readonly machineId: bigint;
  /** 32-byte seed: of the lifecycle authority for an import, of the administrator for an adoption. */
  readonly authority: Uint8Array;
  readonly priorEventCount: bigint;
  /** Undefined: no event is carried over. */
  readonly record: EventRecord | undefined;
}

export interface LogClosing extends SubmissionOptions {
  readonly machineId: bigint;
  /** 32-byte seed of the lifecycle authority. */
  readonly authority: Uint8Array;
  /** Absent = the authority. */
  readonly rentRecipient?: AltKey | undefined;
}

/** The transaction failed in its block. */
export class TransactionFailed extends Error {
  readonly transaction: SubmittedTransaction;

  constructor(transaction: SubmittedTransaction) {
    super(`${JSON.stringify(transaction.err)}: ${transaction.logs.at(-1) ?? ''}`);
    this.transaction = transaction;
  }
}

/** `Custom` error codes of the program. */
export const EVENT_REGISTRY_ERROR = {
  data: 6000,
  accounts: 6001,
  signer: 6002,
  paused: 6003,
  relocating: 6004,
  subscription: 6005,
  record: 6006,
  existing: 6007,
} as const;

const FORWARD = Uint8Array.of(0);
/** 100 lines of 100 bytes: more than a transaction log holds, and short enough that no event line fits after them. */
const FILL_LOG = Uint8Array.of(1, 100);

/** Submits an event. Throws `TransactionFailed` when the program rejects it. */
export async function submitEvent(node: AltNode, event: EventSubmission): Promise<SubmittedTransaction> {
  const { machineId, record, signer } = event;
  const [own, singletons] = await Promise.all([machineAddresses(machineId), singletonAddresses()]);
  const data = new BorshWriter().hex('aa7f8995a8b2ff0c').word(machineId).eventRecord(record).bytes();
  const accounts = [
    { address: await keyOfSeed(signer), isSigner: true, isWritable: true },
    { address: singletons.eventRegistry.address },
    { address: own.machine.address },
    { address: own.subscriptionTerminal.address },
    { address: own.machineEventLog.address, isWritable: true },
    { address: SYSTEM_PROGRAM },
  ];
  return submit(node, { program: node.programs.eventRegistry, accounts, data }, signer, event);
}

/** Imports a machine from another chain and opens its log. Throws `TransactionFailed` when the program rejects it. */
export async function importMachine(node: AltNode, carried: CarriedEvents): Promise<SubmittedTransaction> {
  return submitCarried(node, '6ebec5ec87be4d42', carried);
}

/** Adds an event of another chain. Throws `TransactionFailed` when the program rejects it. */
export async function adoptCarriedEvent(node: AltNode, carried: CarriedEvents): Promise<SubmittedTransaction> {
  return submitCarried(node, '5ec1c766cb544f04', carried);
}

/** Closes the log of a machine that is retired or leaves. Throws `TransactionFailed` when the program rejects it. */
export async function closeLog(node: AltNode, closing: LogClosing): Promise<SubmittedTransaction> {
  const { authority, machineId, rentRecipient } = closing;
  const [own, singletons] = await Promise.all([machineAddresses(machineId), singletonAddresses()]);
  const signer = await keyOfSeed(authority);
  const data = new BorshWriter().hex('838668416997ca7c').word(machineId).bytes();
  const accounts = [
    { address: signer, isSigner: true },
    { address: singletons.eventRegistry.address },
    { address: rentRecipient ?? signer, isWritable: true },
    { address: own.machineEventLog.address, isWritable: true },
  ];
  return submit(node, { program: node.programs.eventRegistry, accounts, data }, authority, closing);
}

async function submitCarried(
  node: AltNode,
  discriminator: string,
  carried: CarriedEvents,
): Promise<SubmittedTransaction> {
  const { authority, machineId, priorEventCount, record } = carried;
  const [own, singletons] = await Promise.all([machineAddresses(machineId), singletonAddresses()]);
  const signer = await keyOfSeed(authority);
  const data = new BorshWriter()
    .hex(discriminator)
    .word(machineId)
    .u64(priorEventCount)
    .option(record, (writer, value) => writer.eventRecord(value))
    .bytes();
  const accounts = [
    { address: signer, isSigner: true },
    { address: signer, isSigner: true, isWritable: true },
    { address: singletons.eventRegistry.address },
    { address: own.machineEventLog.address, isWritable: true },
    { address: SYSTEM_PROGRAM },
  ];
  return submit(node, { program: node.programs.eventRegistry, accounts, data }, authority, carried);
}

async function submit(
  node: AltNode,
  instruction: PlannedInstruction,
  signer: Uint8Array,
  { noisyLogs, via }: SubmissionOptions,
): Promise<SubmittedTransaction> {
  const { caller } = node.programs;
  const wanted = via === 'cpi' ? toCallerInstruction(caller, instruction) : instruction;
  const noise = { program: caller, accounts: [], data: FILL_LOG };
  const transaction = await node.submit({
    instructions: noisyLogs === true ? [noise, wanted] : [wanted],
    signers: [signer],
    lookupTable: via === 'v0-lookup-table' ? placeLookupTable(node, instruction.accounts) : undefined,
  });
  if (transaction.err !== null) throw new TransactionFailed(transaction);
  return transaction;
}

/** Wraps an instruction in a call by another program. */
function toCallerInstruction(caller: AltKey, { accounts, data, program }: PlannedInstruction): PlannedInstruction {
  return {
    program: caller,
    accounts: [{ address: program }, ...accounts],
    data: new BorshWriter().raw(FORWARD).raw(data).bytes(),
  };
}

/** Writes a lookup table of all accounts that do not sign. Equal accounts share a table. */
function placeLookupTable(node: AltNode, accounts: readonly AccountUse[]): LookupTable {
  const addresses = accounts.filter(({ isSigner }) => isSigner !== true).map((account) => account.address);
  const hash = createHash('sha256').update(`lookup table of ${addresses.join()}`).digest();
  const address = formatAltKey(new Uint8Array(hash));
  node.setAccount(address, { owner: LOOKUP_TABLE_PROGRAM, data: encodeLookupTable(addresses) });
  return { address, addresses };
}
