/** Which tables are there? The columns as the drivers give them back; `migrations.ts` makes them. */

/** Streams of blocks that are taken over, and of signatures. */
export type StreamName = 'main-chain' | 'alt-events';

export interface Schema {
  /** Which deployment the rows of a stream belong to. */
  index_identities: { stream: StreamName; identity: string };
  checkpoints: { stream: StreamName; block_number: number; block_hash: string };
  head_observations: { stream: StreamName; block_number: number; observed_at: number };
  /**
   * One row per machine with a log or a fold. `settled_<slot>` names the configuration under which every known log is folded: 0 when
   * there is none, null when there is no log. Listing what is left needs no look at the others. It may miss a settled machine,
   * never an unsettled one.
   */
  event_histories: {
    history_id: number;
    machine_id: Uint8Array;
    generation: number;
    epoch: number;
    log_count: number;
    settled_0: number | null;
    settled_1: number | null;
  };
  /** Rows of earlier epochs stay; nothing reads them. */
  event_logs: {
    history_id: number;
    epoch: number;
    seq: number;
    event_index: string;
    event_type: number;
    value: string;
    block_number: number;
    block_timestamp: number;
  };
  /** Which configurations folds are kept for; `claim` grows with every change of the one in use. */
  fold_slots: { slot: number; configuration_id: number; rates_fingerprint: string; claim: number };
  /** A row of a configuration that lost its slot is dead, and written over by the machine's next fold. */
  folds: {
    history_id: number;
    slot: number;
    configuration_id: number;
    epoch: number;
    next_seq: number;
    state: string;
  };
  /** Days of folds of machines with many events; all of a machine and slot are of one configuration and epoch, and dead where that is another. */
  fold_days: {
    history_id: number;
    slot: number;
    day: number;
    configuration_id: number;
    epoch: number;
    next_seq: number;
    state: string;
  };
  /** The machines with the newest logs, as many as a list may hold. */
  active_machines: { machine_id: Uint8Array; block_number: number; block_timestamp: number };
  /** What the chain says at the checkpoint; no row where there is no token. */
  machine_owners: { machine_id: Uint8Array; owner: Uint8Array; controller: Uint8Array | null };
  /** The newest block at which any owner was read. */
  ownership_reads: { only_row: number; block_number: number };
  /** Owners and controllers alike, once for each machine. */
  holdings: { holder: Uint8Array; machine_id: Uint8Array };
  /** `version` grows with every change of the holder's rows. */
  holders: { holder: Uint8Array; total: number; version: number };
  /** The decision in force of each machine; `signer` as the store is given it. */
  decisions: { machine_id: Uint8Array; opted_in: number; signed_at: number; signer: string };
  /** Every decision that was ever in force, one per machine and second of signing. Rows are only added. */
  decision_audit: {
    machine_id: Uint8Array;
    signed_at: number;
    opted_in: number;
    signer: string;
    signature: string;
    applied_at: number;
  };
  fx_rates: { currency: string; day: number; rate: string };
  fx_coverage: { only_row: number; through_day: number };
  /** How far the history of the alt chain's events is walked; `open_*`, `top_*` and `cursor_*` are null while no interval is open. */
  alt_walks: {
    only_row: number;
    revision: number;
    done_signature: string | null;
    done_slot: number | null;
    observed_slot: number | null;
    observed_at: number | null;
    top_signature: string | null;
    top_slot: number | null;
    cursor_signature: string | null;
    cursor_slot: number | null;
    is_listed: number;
    open_observed_slot: number | null;
    open_observed_at: number | null;
  };
  alt_listed: { slot: number; signature: string; block_time: number | null };
  alt_parked: { signature: string; slot: number; block_time: number | null; attempts: number; retry_at: number };
  alt_machines: {
    machine_id: Uint8Array;
    revision: number;
    incarnation: number;
    event_count: number;
    next_index: number;
    prior_event_count: string;
    operation_count: number;
    last_slot: number;
    newest_block_time: number | null;
    problem: string | null;
  };
  /** `log_number` is the index or the count that a log names; operations of earlier incarnations stay. */
  alt_operations: {
    machine_id: Uint8Array;
    seq: number;
    incarnation: number;
    event_index: number | null;
    kind: string;
    log_number: string | null;
    prior_event_count: string | null;
    record: string | null;
    signature: string;
    slot: number;
    position: number | null;
    op_order: number;
    block_time: number | null;
  };
  /** A row of another revision than the machine's is dead. */
  alt_folds: {
    machine_id: Uint8Array;
    slot: number;
    configuration_id: number;
    revision: number;
    next_seq: number;
    state: string;
  };
  /** As `fold_days`, by revision. */
  alt_fold_days: {
    machine_id: Uint8Array;
    slot: number;
    day: number;
    configuration_id: number;
    revision: number;
    next_seq: number;
    state: string;
  };
  /** The hash of the nonce, never the nonce. */
  challenges: {
    nonce_hash: Uint8Array;
    machine_id: Uint8Array;
    did_controller: Uint8Array;
    chain_id: number;
    issued_at: number;
    expires_at: number;
    consumed_at: number | null;
    /** Hash of the document. */
    consumed_by: Uint8Array | null;
  };
  /** Its lock is what issuers wait for. */
  challenge_issuing: { only_row: number; issued: number };
  /** Rows are only added; `evidence` is null where hashes only are kept. */
  evidence_intakes: {
    receipt_id: Uint8Array;
    evidence_hash: Uint8Array;
    machine_id: Uint8Array;
    chip_ref: Uint8Array;
    leaf_fingerprint: Uint8Array;
    leaf_serial: Uint8Array;
    controller: Uint8Array;
    received_at: number;
    evidence: Uint8Array | null;
  };
  /** Of the one snapshot that is kept, and of what deployment it is. */
  alt_fleet_observation: { only_row: number; identity: string; slot: number; observed_at: number };
  /** Machines by the operator that their accounts name. */
  alt_fleets: { operator: Uint8Array; machine_id: Uint8Array };
  alt_fleet_unreadable: { operator: Uint8Array; row_count: number };
  write_probe: { only_row: number; writes: number };
  schema_migrations: { version: number; name: string };
}
