/** Main-chain index: event logs, provenance, ownership and the checkpoint they are indexed up to (`MainChainIndexStore`; chain-evm 3.7 and 4.5). */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { NO_PROVENANCE, type Provenance } from '../../../domain/machine/provenance.ts';
import type { EventLogEntry, MainChainIndexStore } from '../../../ports/store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { createActiveMachines } from './active-machines.ts';
import { createBlockStream } from './block-stream.ts';
import { createEventLogs } from './event-logs.ts';
import { createEventRepair } from './event-repair.ts';
import { createEventTotals } from './event-totals.ts';
import { createIndexClaim } from './index-claim.ts';
import { createIndexedMachines } from './indexed-machines.ts';
import { createMachineProvenance } from './machine-provenance.ts';
import { createProofProgress } from './proof-progress.ts';
import { createRegistryLogs } from './registry-logs.ts';
import { createOwnershipRows } from './ownership-rows.ts';
import { createUnfoldedList } from './unfolded-list.ts';
import type { SqlDatabase, SqlProgram } from '../engine/sql-program.ts';

export function createMainChainIndexStore(database: SqlDatabase): MainChainIndexStore {
  const stream = createBlockStream(database.dialect, 'main-chain');
  const contracts = createBlockStream(database.dialect, 'main-chain-contracts');
  const eventLogs = createEventLogs(database.dialect);
  const provenances = createMachineProvenance(database.dialect);
  const ownershipRows = createOwnershipRows(database.dialect);
  const eventTotals = createEventTotals(database.dialect);
  const eventRepair = createEventRepair(database.dialect);
  const registryLogs = createRegistryLogs(database.dialect);
  const indexedMachines = createIndexedMachines(database.dialect, registryLogs);
  const proof = createProofProgress(database.dialect);
  const unfolded = createUnfoldedList(database.dialect);
  const active = createActiveMachines(database.dialect);
  const observed = createTouchedMachines(database.dialect);
  const touch = (id: MachineId) => observed.touch({ machines: [id], kybOperators: [] });

  const claim = createIndexClaim([stream, contracts], function* () {
    return (yield* stream.readCheckpoint()) === undefined;
  });

  function* readProvenance(id: MachineId): SqlProgram<Provenance | undefined> {
    // Otherwise the search for a log without a time would read every log of the machine.
    const isUnknown = (yield* registryLogs.exceedsLimit(id)) || (yield* registryLogs.isUntimed(id));
    return isUnknown ? undefined : yield* provenances.read(id);
  }

  return {
    claimMainChainIdentity: (...identities) => database.exclusive(claim.claim(identities)),
    readMainChainCheckpoint: () => database.run(stream.readCheckpoint()),
    advanceMainChain: (expected, next, logs, ownership, unproven, touched) =>
      database.exclusive(
        (function* () {
          if (expected === undefined && !(yield* claim.holds())) return false;
          if (!(yield* stream.moveCheckpoint(expected, next))) return false;
          yield* eventLogs.append(logs);
          yield* eventTotals.add(countCurrent(logs));
          yield* active.record(logs);
          yield* ownershipRows.apply(ownership);
          if (touched !== undefined) yield* observed.touch(touched);
          if (unproven !== undefined) yield* proof.addUnproven(unproven);
          else
            yield* proof.addSegment({
              fromBlock: (expected?.blockNumber ?? -1) + 1,
              toBlock: next.blockNumber,
              kind: 'headers',
            });
          return true;
        })(),
      ),
    readIndexedMachine: (id) => database.snapshot(indexedMachines.read(id)),
    replaceEventLogs: (checkpoint, generation, id, logs, expectedEpoch) =>
      database.exclusive(
        (function* () {
          if (!(yield* stream.isAt(checkpoint))) return false;
          if ((yield* eventLogs.count(generation, id)).epoch !== expectedEpoch) return false;
          yield* proof.reopen(yield* eventRepair.replaceHistory(generation, id, logs));
          if (generation === 'current') yield* touch(id);
          return true;
        })(),
      ),
    listEventCounts: (after, limit) =>
      database.snapshot(
        (function* () {
          const checkpoint = yield* stream.readCheckpoint();
          return { checkpoint, counts: yield* eventTotals.listCounts(after, limit) };
        })(),
      ),
    readEventTotal: () =>
      database.snapshot(
        (function* () {
          const checkpoint = yield* stream.readCheckpoint();
          return checkpoint && { checkpoint, total: yield* eventTotals.read() };
        })(),
      ),
    replaceRegistryLogs: (group, id, throughBlock, logs, expectedEpoch) =>
      database.exclusive(
        (function* () {
          if ((yield* eventLogs.count('current', id)).epoch !== expectedEpoch) return false;
          yield* proof.reopen(yield* eventRepair.replaceRegistryLogs(group, id, throughBlock, logs));
          yield* touch(id);
          return true;
        })(),
      ),
    writeHeadObservation: (observation) => database.run(stream.writeHeadObservation(observation)),
    readHeadObservation: () => database.run(stream.readHeadObservation()),
    listEventLogs: (generation, id, from, to) => database.run(eventLogs.list(generation, id, from, to)),
    readEventLogCount: (generation, id) => database.run(eventLogs.count(generation, id)),
    readEventHistory: (generation, id, from, to) =>
      database.snapshot(
        (function* () {
          const checkpoint = yield* stream.readCheckpoint();
          if (checkpoint === undefined) return undefined;
          const provenance = generation === 'current' ? yield* readProvenance(id) : NO_PROVENANCE;
          if (provenance === undefined) return undefined;
          const { count, epoch } = yield* eventLogs.count(generation, id);
          const rows = from < Math.min(to, count) ? yield* eventLogs.list(generation, id, from, to) : [];
          return { checkpoint, count, epoch, provenance, rows };
        })(),
      ),
    readProvenance: (id) => database.snapshot(readProvenance(id)),
    listActiveMachines: (limit) => database.run(active.list(limit)),
    listUnfolded: (ratesFingerprint, limit, after) => database.snapshot(unfolded.list(ratesFingerprint, limit, after)),
  };
}

function countCurrent(logs: readonly EventLogEntry[]): number {
  return logs.reduce((sum, { kind, generation }) => sum + Number(kind === 'submitted' && generation === 'current'), 0);
}
