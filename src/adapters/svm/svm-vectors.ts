/**
 * What do the published vectors of the alt chain say? Test support: their files as they stand, and an account of theirs as a node
 * answers it (chain-svm 10).
 */
import { readFileSync } from 'node:fs';
import { parseAltKey, type AltKey } from '../../domain/alt-identifiers.ts';
import type { MachineId } from '../../domain/identifiers.ts';
import type { EventRecord, Reading } from '../../domain/machine-facts.ts';
import type { AltPrograms } from './account-addresses.ts';
import { parseRpcAccount, type RawAccount } from './rpc-account.ts';

export interface VectorAccount {
  address: string;
  owner: string;
  lamports: number;
  executable: boolean;
  space: number;
  data: string;
}

export type MachineAccountName = 'machine' | 'machineState' | 'subscriptionTerminal' | 'machineEventLog';

export interface VectorMachine {
  name: string;
  machineId: string;
  word: string;
  pdas: Record<MachineAccountName, { address: string; bump: number }>;
  accounts: Record<MachineAccountName, VectorAccount | null>;
  decoded: {
    machine: Record<string, unknown> & { bump: number; operator: string | null };
    machineState: Record<string, unknown> | null;
    subscriptionTerminal: Record<string, unknown> | null;
    machineEventLog: { count: string; priorEventCount: string; lastEvent: VectorEvent | null } | null;
  };
  verdict: 'present' | 'relocating';
}

export interface VectorEvent {
  eventType: number;
  value: string;
  timestamp: string;
  dataHash: string;
  trustLevel: number;
  sourceChainId: string;
  sourceTxHash: string;
  metadata: string;
  currency: string;
}

export interface MalformedCase {
  name: string;
  accountType: MachineAccountName;
  readFor: string;
  account: VectorAccount | null;
  verdict: string;
}

export interface BindingCase {
  name: string;
  solanaAddr: string;
  pda: string;
  bump: number;
  account: VectorAccount | null;
  outcome: 'bound' | 'binding_revoked' | 'not_bound' | 'unreadable';
  evmAddress: string | null;
}

export interface SingletonCase {
  name: string;
  account: VectorAccount;
  decoded: Record<string, unknown>;
}

export interface EventCase {
  machineId: string;
  eventIndex: string;
  payload: string;
  payloadBytes: number;
  instruction: string;
  logLine: string;
  decoded: VectorEvent;
}

/** What tests change in an answer of `getTransaction`; the rest of it is there too. */
export interface TransactionCase {
  name: string;
  response: {
    slot: number;
    version?: unknown;
    transaction: {
      signatures: string[];
      message: {
        accountKeys: string[];
        addressTableLookups?: unknown;
        instructions: { programIdIndex: number; accounts: number[]; data: string }[];
      };
    };
    meta: {
      err?: unknown;
      innerInstructions: unknown;
      loadedAddresses?: { writable: string[]; readonly: string[] };
      logMessages: string[] | null;
    };
  };
  expect: 'unreadable' | readonly Record<string, unknown>[];
}

export interface SnapshotRow {
  pubkey: string;
  account: Record<string, unknown> & { data: [string, string] };
}

interface SnapshotFile {
  request: { config: object };
  machineCount: number;
  rows: SnapshotRow[];
  expect: { byOperator: Record<string, string[]>; unlisted: string[]; relocating: string[] };
  badRows: { why: string; pubkey: string; data: [string, string] }[];
}

interface ProgramsFile {
  protocolChainId: number;
  programs: Record<string, string>;
  discriminators: Record<'account' | 'event' | 'instruction', Record<string, string>>;
  singletonPdas: Record<string, { program: string; seedsUtf8: string[]; address: string; bump: number }>;
}

export const programsFile = readVectors<ProgramsFile>('programs.json');
export const vectorMachines = readVectors<{ machines: VectorMachine[] }>('machines.json').machines;
export const malformedCases = readVectors<{ cases: MalformedCase[] }>('malformed.json').cases;
export const bindingsFile = readVectors<{ seedPrefix: string; cases: BindingCase[] }>('bindings.json');
export const singletonCases = readVectors<{ accounts: SingletonCase[] }>('singletons.json').accounts;
export const eventCases = readVectors<{ events: EventCase[] }>('events.json').events;
export const transactionCases = readVectors<{ cases: TransactionCase[] }>('transactions.json').cases;
export const snapshotFile = readVectors<SnapshotFile>('snapshot.json');

export function programOf(role: string): AltKey {
  return parseAltKey(programsFile.programs[role]!)!;
}

export const vectorPrograms: AltPrograms = {
  machineRegistry: programOf('machine_registry'),
  stateAndSync: programOf('state_and_sync'),
  subscriptionTerminal: programOf('subscription_terminal'),
  eventRegistry: programOf('event_registry'),
};

/** An account as `getMultipleAccounts` spells it. */
export function toRpcAccount(account: VectorAccount | null): unknown {
  return account && { ...account, data: [account.data, 'base64'] };
}

export function toReading(account: VectorAccount | null): Reading<RawAccount> {
  return parseRpcAccount(toRpcAccount(account));
}

export function toId(decimal: string): MachineId {
  return BigInt(decimal) as MachineId;
}

export function toEventRecord(event: VectorEvent): EventRecord {
  return {
    ...event,
    value: BigInt(event.value),
    timestamp: BigInt(event.timestamp),
    sourceChainId: BigInt(event.sourceChainId),
  };
}

function readVectors<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../../../test/vectors/svm/${file}`, import.meta.url), 'utf8')) as T;
}
