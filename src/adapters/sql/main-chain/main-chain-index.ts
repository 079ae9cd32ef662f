/** Main-chain index: event logs, provenance, ownership and the checkpoint they are indexed up to (`MainChainIndexStore`; chain-evm 3.7 and 4.5). */
import type { MainChainIndexStore } from '../../../ports/store.ts';
import { createActiveMachines } from './active-machines.ts';
import { createBlockStream } from './block-stream.ts';
import { createEventLogs } from './event-logs.ts';
import { createMachineProvenance } from './machine-provenance.ts';
import { createOwnershipRows } from './ownership-rows.ts';
import { createUnfoldedList } from './unfolded-list.ts';
import type { SqlDatabase } from '../engine/sql-program.ts';

export function createMainChainIndexStore(database: SqlDatabase): MainChainIndexStore {
  const stream = createBlockStream(database.dialect, 'main-chain');
  const eventLogs = createEventLogs(database.dialect);
  const provenances = createMachineProvenance(database.dialect);
  const ownershipRows = createOwnershipRows(database.dialect);
  const unfolded = createUnfoldedList(database.dialect);
  const active = createActiveMachines(database.dialect);

  return {
    claimMainChainIdentity: (identity) => database.run(stream.claimIdentity(identity)),
    readMainChainCheckpoint: () => database.run(stream.readCheckpoint()),
    advanceMainChain: (expected, next, logs, ownership) =>
      database.exclusive(
        (function* () {
          if (!(yield* stream.moveCheckpoint(expected, next))) return false;
          yield* eventLogs.append(logs);
          yield* active.record(logs);
          yield* ownershipRows.apply(ownership);
          return true;
        })(),
      ),
    writeHeadObservation: (observation) => database.run(stream.writeHeadObservation(observation)),
    readHeadObservation: () => database.run(stream.readHeadObservation()),
    listEventLogs: (generation, id, from, to) => database.run(eventLogs.list(generation, id, from, to)),
    readEventLogCount: (generation, id) => database.run(eventLogs.count(generation, id)),
    readProvenance: (id) => database.run(provenances.read(id)),
    listActiveMachines: (limit) => database.run(active.list(limit)),
    listUnfolded: (ratesFingerprint, limit, after) => database.snapshot(unfolded.list(ratesFingerprint, limit, after)),
  };
}
