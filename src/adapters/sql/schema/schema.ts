/** Row types of all tables, as the drivers return them; `migrations.ts` creates the tables. */

import type { ProofKind } from '../../../ports/index-proof.ts';

/** Indexed streams: blocks of the main chain, signatures of the alt chain. */
/** `main-chain-contracts`: optional contracts of the stream `main-chain`, which has no other rows of this name. */
export type StreamName = 'main-chain' | 'main-chain-contracts' | 'alt-events';

export interface Schema {
  /** Deployment that the rows of a stream belong to. */
  index_identities: { stream: StreamName; identity: string };
  checkpoints: { stream: StreamName; block_number: number; block_hash: string };
  head_observations: { stream: StreamName; block_number: number; observed_at: number };
  /**
   * One row per machine with a log or a rating state. `settled_<slot>` is the configuration under which every known log is folded: 0
   * if there is none, null if there is no log. Unfolded machines are found by it without reading the others. It may list a settled
   * machine as unfolded, never the reverse.
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
  /** Rows of earlier epochs stay and are read by repairs only. */
  event_logs: {
    history_id: number;
    epoch: number;
    seq: number;
    event_index: string;
    event_type: number;
    value: string;
    block_number: number;
    block_timestamp: number;
    log_index: number;
    is_chip_on_record: number;
    changed_hands_before: number | null;
  };
  /** Provenance at the checkpoint; `changed_at`, `changed_seq` and `changed_transaction` are null together. */
  machine_provenance: {
    machine_id: Uint8Array;
    owner: Uint8Array | null;
    changed_at: number | null;
    changed_seq: number | null;
    changed_transaction: string | null;
    is_accepted: number;
    accepted_at: number | null;
    changed_after: number | null;
    /** Decimal text. */
    chip_expires_at: string | null;
  };
  /** Imports by the epoch that they started. Epochs started by a repair have none. */
  event_imports: { history_id: number; epoch: number; block_number: number; log_index: number };
  /** Machines named by logs whose ownership was not read yet. */
  unread_machines: { machine_id: Uint8Array };
  /** Blocks with stored logs whose range is not complete; `block_timestamp` is 0 while it is unknown. */
  log_blocks: {
    block_number: number;
    block_hash: Uint8Array;
    block_timestamp: number;
    digest: Uint8Array;
    is_proven: number;
  };
  /** Ranges known to hold no further logs. */
  proof_segments: { kind: ProofKind; from_block: number; to_block: number };
  /** Configurations that rating states are stored for; `claim` grows with every change of the one in use. */
  fold_slots: { slot: number; configuration_id: number; rates_fingerprint: string; claim: number };
  /** Rating states. A row of a configuration that lost its slot is dead, and overwritten by the machine's next state. */
  folds: {
    history_id: number;
    slot: number;
    configuration_id: number;
    epoch: number;
    next_seq: number;
    state: string;
  };
  /** Days of rating states of machines with many events. The days of a machine and slot share one configuration and epoch; others are dead. */
  fold_days: {
    history_id: number;
    slot: number;
    day: number;
    configuration_id: number;
    epoch: number;
    next_seq: number;
    state: string;
  };
  /** Machines with the newest logs, up to the limit of the list. */
  active_machines: { machine_id: Uint8Array; block_number: number; block_timestamp: number };
  /** Owner and controller at the checkpoint; no row without a token. `is_home` is 0 for a machine homed elsewhere, which is not listed. */
  machine_owners: { machine_id: Uint8Array; owner: Uint8Array; controller: Uint8Array | null; is_home: number };
  /** Newest block at which any owner was read, and the number of writes that changed owners, also without a new checkpoint. */
  ownership_reads: {
    only_row: number;
    block_number: number;
    repairs: number;
    /** Machines after this id are to be read again; null: none is. */
    reread_after: Uint8Array | null;
  };
  /** Machines by owner or controller, once per pair. */
  holdings: { holder: Uint8Array; machine_id: Uint8Array };
  /** `total` counts listed machines, `token_count` owned tokens. `version` grows with every change of the holder's rows. */
  holders: { holder: Uint8Array; total: number; version: number; token_count: number };
  /** Number of event logs of the current registry, of every epoch. */
  event_totals: { only_row: number; log_count: number };
  /** Transfers, changes of controllers, and logs of chip records and other facts. Times of chip records are decimal text. */
  registry_logs: {
    machine_id: Uint8Array;
    block_number: number;
    log_index: number;
    kind: string;
    /** Of transfers and facts. */
    block_timestamp: number | null;
    /** Null for chip records. */
    transaction_hash: string | null;
    from_address: Uint8Array | null;
    to_address: Uint8Array | null;
    issued_at: string | null;
    expires_at: string | null;
    revoked_at: string | null;
    /** Of facts: decimal text. */
    value: string | null;
  };
  /** Current decision of each machine; `signer` as passed to the store. */
  decisions: { machine_id: Uint8Array; opted_in: number; signed_at: number; signer: string };
  /**
   * Decision log: every decision that was current, one per machine and second of signing. The columns after `applied_at` are null in rows
   * that are older than the chain, and `slot` also for main-chain machines; `previous` is empty in the first row of a chain.
   */
  decision_audit: {
    machine_id: Uint8Array;
    signed_at: number;
    opted_in: number;
    signer: string;
    signature: string;
    applied_at: number;
    message: string | null;
    owner: string | null;
    controller: string | null;
    block_number: number | null;
    block_hash: Uint8Array | null;
    slot: number | null;
    previous: Uint8Array | null;
    hash: Uint8Array | null;
  };
  /** Signed head of the rows of each machine that were pruned. */
  decision_checkpoints: {
    machine_id: Uint8Array;
    hash: Uint8Array;
    log_count: number;
    signed_at: number;
    signer: string;
    signature: string;
  };
  fx_rates: { currency: string; day: number; rate: string };
  fx_coverage: { only_row: number; through_day: number };
  /** Progress of the walk of the alt chain's event history; `open_*`, `top_*` and `cursor_*` are null while no interval is open. */
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
  /** `log_number` is the index or count that a log names; operations of earlier incarnations stay. */
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
  /** Rating states of the alt chain. A row of another revision than the machine's is dead. */
  alt_folds: {
    machine_id: Uint8Array;
    slot: number;
    configuration_id: number;
    revision: number;
    next_seq: number;
    state: string;
  };
  /** Like `fold_days`, by revision. */
  alt_fold_days: {
    machine_id: Uint8Array;
    slot: number;
    day: number;
    configuration_id: number;
    revision: number;
    next_seq: number;
    state: string;
  };
  /** Evidence challenges; stores the hash of the nonce, never the nonce. */
  challenges: {
    nonce_hash: Uint8Array;
    machine_id: Uint8Array;
    did_controller: Uint8Array;
    chain_id: number;
    issued_at: number;
    expires_at: number;
    consumed_at: number | null;
    /** Hash of the accepted document. */
    consumed_by: Uint8Array | null;
  };
  /** Row that issuers lock to serialize the check of the caps. */
  challenge_issuing: { only_row: number; issued: number };
  /** Evidence records. Append-only; `evidence` is null if only hashes are retained. */
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
  /** Sources and rates that the payment rows belong to; `claim_revision` counts the writes that changed claims. */
  payment_configuration: { only_row: number; fingerprint: string; claim_revision: number };
  /** Block time through which every machine of a home chain (0 main, 1 alt) is searched for claims. */
  payment_positions: { home: number; scanned_through: number };
  payment_scans: {
    home: number;
    machine_id: Uint8Array;
    version: number;
    claims_seq: number;
    cited_seq: number;
    through_block: number;
    /** Whether a claim is in force, so that transfers of the machine matter. */
    has_claims: number;
  };
  payment_claims: {
    home: number;
    machine_id: Uint8Array;
    seq: number;
    account: string;
    owner: string;
    since: number;
    block: number;
    place: number;
    end_at: number | null;
    end_seq: number | null;
  };
  /** Followed citations and their verdicts. Of those of one machine and source that are undecided, the first one is open. */
  payment_citations: {
    home: number;
    machine_id: Uint8Array;
    seq: number;
    source: string;
    reference: string;
    cents: number;
    event_day: number;
    event_timestamp: number;
    block_timestamp: number;
    is_attested: number;
    hands_ended_at: number | null;
    code: string;
    is_open: number;
    attempts: number;
    retry_at: number;
    paid_cents: number;
    token: string | null;
    payer: string | null;
    worth_cents: number | null;
    returned_cents: number | null;
    payment_time: number | null;
  };
  /** Addresses whose transfers are read, from the time they became own; `through_block` is null until the first read. */
  payment_senders: { source: string; address: string; since: number; through_block: number | null };
  payment_flows: {
    source: string;
    sender: string;
    block: number;
    place: number;
    receiver: string;
    token: string;
    units: string;
    block_time: number;
    is_whole: number;
  };
  /** Flows of Solana transactions that a machine cites. */
  payment_cited_flows: {
    home: number;
    machine_id: Uint8Array;
    source: string;
    reference: string;
    place: number;
    seq: number;
    sender: string;
    receiver: string;
    token: string;
    units: string;
    block: number;
    block_time: number;
  };
  /** Who changed a record of the attestation registry, and why; append-only. */
  attestation_reviews: {
    transaction_hash: Uint8Array;
    change: string;
    receipt_id: Uint8Array | null;
    subject: string;
    reviewer: string;
    reason: string | null;
    expires_at: number | null;
    operator: Uint8Array | null;
    reviewed_at: number;
  };
  /** Keys of rating statements; append-only. `position` counts from 1 in the order of addition. */
  statement_keys: {
    address: Uint8Array;
    position: number;
    not_before: number | null;
    not_after: number | null;
    revoked_at: number | null;
  };
  /** Deployment, slot and time of the one stored snapshot. */
  alt_fleet_observation: { only_row: number; identity: string; slot: number; observed_at: number };
  /** Machines by the operator named in their accounts. */
  alt_fleets: { operator: Uint8Array; machine_id: Uint8Array };
  alt_fleet_unreadable: { operator: Uint8Array; row_count: number };
  /** Hints about RPC nodes, by the SHA-256 of their URL. */
  node_profiles: { url_hash: Uint8Array; profile: string; updated_at: number };
  write_probe: { only_row: number; writes: number };
  schema_migrations: { version: number; name: string };
  /** Machines to observe, and the values of the last observation as JSON; null: none, or absent. Touched machines are due at second 0. */
  observed_machines: {
    machine_id: Uint8Array;
    version: number;
    touches: number;
    due_at: number;
    observed_operator: Uint8Array | null;
    observed_values: string | null;
    observed_owner: string | null;
    /** Bits of the facets; null: not listed in the directory. */
    facets: number | null;
    score: number | null;
    revenue_cents: number | null;
    event_count: number | null;
    /** 0: no event. */
    last_event_at: number | null;
    observed_block: number | null;
    observed_at: number | null;
    /** 1: known but never observed when the feed opened. */
    precedes_feed: number;
  };
  /** Number of listed machines by the bits of their facets. */
  directory_counts: { facets: number; machines: number };
  /** Counter of changes; its row lock orders the writers. */
  change_feed: { only_row: number; newest_cursor: number; pruned_through: number; opened_at: number | null };
  changes: {
    change_cursor: number;
    kind: string;
    machine_id: Uint8Array;
    operator: Uint8Array | null;
    from_value: string | null;
    to_value: string | null;
    block_number: number;
    observed_at: number;
  };
  webhook_receivers: { receiver: string; examined_through: number };
  /** Deliveries that are not accepted yet; `retry_at` is null for a dead letter. */
  webhook_deliveries: {
    receiver: string;
    delivered_cursor: number;
    attempts: number;
    retry_at: number | null;
    problem: string | null;
  };
}
