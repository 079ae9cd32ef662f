/** How far a machine is scanned, and whether that holds for its current history and the configuration. */
import type { PaymentMachine } from '../../../ports/payment-store.ts';
import { bytes } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { readFirst, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import type { Schema } from '../schema/schema.ts';
import { toIdBytes } from '../schema/stored-machine-id.ts';
import { keyOf, MACHINE } from './payment-rows.ts';

type ScanRow = Schema['payment_scans'];

export interface ScanReads {
  /** Returns the configuration that all rows belong to. */
  readFingerprint(): SqlProgram<string | undefined>;
  /** Sets the configuration that this process uses. */
  use(fingerprint: string): void;
  /** Returns whether the rows belong to it; else another process has replaced it, and nothing may be written. */
  holdsUsed(): SqlProgram<boolean>;
  /** Returns the version of a machine's history; undefined without one. */
  readVersion(machine: PaymentMachine): SqlProgram<number | undefined>;
  readScan(machine: PaymentMachine): SqlProgram<ScanRow | undefined>;
  /** Returns the scan; undefined where it is of another configuration or history. */
  readCurrentScan(fingerprint: string, machine: PaymentMachine): SqlProgram<ScanRow | undefined>;
}

export function createScanReads({ dialect }: SqlDatabase): ScanReads {
  let used: string | undefined;
  const query = prepareText(dialect);
  const selectFingerprint = query<{ fingerprint: string }>()(
    {},
    (q) => q`SELECT fingerprint FROM payment_configuration`,
  );
  const selectVersion = {
    main: query<{ version: number }>()(
      { id: bytes },
      (q, { id }) => q`SELECT epoch AS version FROM event_histories WHERE machine_id = ${id} AND generation = 2`,
    ),
    alt: query<{ version: number }>()(
      { id: bytes },
      (q, { id }) => q`SELECT revision AS version FROM alt_machines WHERE machine_id = ${id}`,
    ),
  };
  const selectScan = query<ScanRow>()(
    MACHINE,
    (q, { home, id }) => q`SELECT * FROM payment_scans WHERE home = ${home} AND machine_id = ${id}`,
  );

  function* readFingerprint(): SqlProgram<string | undefined> {
    return (yield* readFirst(selectFingerprint({})))?.fingerprint;
  }

  function* readVersion({ home, id }: PaymentMachine): SqlProgram<number | undefined> {
    return (yield* readFirst(selectVersion[home]({ id: toIdBytes(id) })))?.version;
  }

  const readScan = (machine: PaymentMachine): SqlProgram<ScanRow | undefined> => readFirst(selectScan(keyOf(machine)));

  function* readCurrentScan(fingerprint: string, machine: PaymentMachine): SqlProgram<ScanRow | undefined> {
    if ((yield* readFingerprint()) !== fingerprint) return undefined;
    const scan = yield* readScan(machine);
    return scan?.version === (yield* readVersion(machine)) ? scan : undefined;
  }

  return {
    readFingerprint,
    use(fingerprint) {
      used = fingerprint;
    },
    *holdsUsed() {
      return (yield* readFingerprint()) === used;
    },
    readVersion,
    readScan,
    readCurrentScan,
  };
}
