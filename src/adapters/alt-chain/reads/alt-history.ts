/**
 * What happened on the alt chain, and what do its programs hold as a whole? (chain-svm 6 and 7.) For the indexers: one call for
 * each question, nothing kept, and a node that asks to wait is told to them, who know how long they can.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { TransactionReading } from '../../../domain/alt-chain/event-operation.ts';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../../../ports/alt-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import {
  deriveEventLogAddress,
  deriveSingletonAddresses,
  rememberById,
  type AltPrograms,
} from '../accounts/account-addresses.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { mayPass, toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import { readEventLogCounts, type EventLogPrograms } from './event-log-counts.ts';
import { readFleetRows } from './fleet-rows.ts';
import { createSemaphore } from '../rpc/semaphore.ts';
import { AltRpcError } from '../rpc/json-rpc.ts';
import { expectObject } from '../rpc/json-shape.ts';
import type { AltChainLimits } from '../limits.ts';
import { listMachineAccountKeys, unwrapDeployment, toMachineAccounts } from './machine-accounts.ts';
import {
  getMultipleAccounts,
  getBlockSignatures,
  getBlockTime,
  getEventLogRows,
  getFirstAvailableBlock,
  getFleetRows,
  getSignaturesForAddress,
  getSlot,
  getTransaction,
  type RpcMethod,
} from '../rpc/rpc-methods.ts';
import { readTransaction } from '../transactions/transaction-operations.ts';

export interface AltHistoryOptions {
  readonly endpoints: AltNodes;
  readonly programs: AltPrograms;
  readonly ordinal: number;
  readonly limits: AltChainLimits;
  readonly startRead: () => Deadline;
  readonly genesisHash: AltKey;
  /** Throws `ChainUnreadable` while the deployment is known to be another. */
  readonly needSound: () => void;
}

/** The transaction has a version that nobody knows here. */
const VERSION_NOT_SUPPORTED = -32015;

/** Addresses of so many logs are remembered, about 200 bytes each. */
const REMEMBERED_LOGS = 50_000;

export function createAltHistory(options: AltHistoryOptions): AltHistory {
  const { endpoints, programs, ordinal, genesisHash, limits, needSound, startRead } = options;
  const { eventRegistry, machineRegistry } = programs;
  const singletons = deriveSingletonAddresses(programs);
  const eventLogOf = rememberById((id) => deriveEventLogAddress(eventRegistry, id), REMEMBERED_LOGS);
  const enter = createSemaphore(limits.maxHistoryCalls);

  /** `exceptions`: failures that are an answer to this question, undefined for all others. */
  async function ask<T>(question: RpcMethod<T>, exceptions: (failure: AltRpcError) => T | undefined = () => undefined) {
    needSound();
    try {
      return await enter(() => endpoints.ask(question, startRead()));
    } catch (error) {
      if (!(error instanceof AltRpcError)) throw error;
      const answer = exceptions(error);
      if (answer !== undefined) return answer;
      throw mayPass(error) ? toBusy(error) : toAltFault(error);
    }
  }

  async function readMachineCount(): Promise<bigint> {
    const accounts = await ask(getMultipleAccounts(listMachineAccountKeys([], singletons)));
    return unwrapDeployment(toMachineAccounts(accounts, [], programs, ordinal)).machineCount;
  }

  function toBusy({ retryAfterSeconds }: AltRpcError): AltNodeBusy {
    const maxSeconds = limits.maxRetryAfterMilliseconds / 1000;
    return new AltNodeBusy(retryAfterSeconds && Math.min(retryAfterSeconds, maxSeconds));
  }

  return {
    async checkGenesis() {
      const hashes = await endpoints.readGenesisHashes(startRead());
      if (hashes.includes(genesisHash)) return;
      throw chainUnreadable('alt', hashes.some((hash) => hash !== undefined) ? 'wrong-chain' : 'transport');
    },
    readSlot: () => ask(getSlot),
    readFirstAvailableSlot: () => ask(getFirstAvailableBlock),
    listSignatures(about, before) {
      const address = about === 'event-registry' ? eventRegistry : eventLogOf(about);
      return ask(getSignaturesForAddress(address, before));
    },
    readTransaction: (row) =>
      ask(
        getTransaction(row.signature, (answer) => readListed(answer, row, { eventRegistry, eventLogOf })),
        ({ code }) => (code === VERSION_NOT_SUPPORTED ? { state: 'unreadable' } : undefined),
      ),
    async readBlockTime(slot) {
      // One block that a node has lost must not hold up all others.
      const { seconds } = await ask(getBlockTime(slot), ({ kind }) =>
        kind === 'no-block' ? { seconds: undefined } : undefined,
      );
      return seconds;
    },
    readBlockSignatures: (slot) => ask(getBlockSignatures(slot)),
    async readEventLogCounts() {
      const { slot, rows } = await ask(getEventLogRows(eventRegistry));
      const counts = await readEventLogCounts(rows, { eventRegistry, eventLogOf }).catch((error: unknown) => {
        throw error instanceof Undecodable ? chainUnreadable('alt', 'malformed') : error;
      });
      return { slot, counts };
    },
    async readFleet() {
      const countBefore = await readMachineCount();
      const { slot, rows } = await ask(getFleetRows(machineRegistry));
      const countAfter = await readMachineCount();
      const fleet = readFleetRows(rows, machineRegistry);
      if (fleet === undefined) throw chainUnreadable('alt', 'malformed');
      return { slot, fleet, countBefore, countAfter };
    },
  };
}

/** Reads a transaction that a list named. The list and the transaction must agree on whether it failed. */
function readListed(
  answer: unknown,
  { signature, slot, blockTime, hasFailed }: SignatureRow,
  programs: EventLogPrograms,
): TransactionReading {
  const reading = readTransaction(answer, { signature, slot, blockTime, ...programs });
  if (reading.state !== 'read' && reading.state !== 'parked') return reading;
  const { err } = expectObject(expectObject(answer)['meta']);
  return (err !== null) === hasFailed ? reading : { state: 'unreadable' };
}
