/**
 * Schema migrations. The list is append-only: a released migration never changes. Both databases run the same text; `schema.ts`
 * describes the resulting tables.
 */
import type { Dialect } from '../engine/dialect.ts';

export interface Migration {
  readonly name: string;
  statements(dialect: Dialect): readonly string[];
}

/** All migrations; the version of a migration is its position, from 1. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'main-chain event index, folds, rates of currencies',
    statements: ({ columns: { integer, small, text, bytes }, table, clustered }) => [
      `CREATE TABLE index_identities (
        stream ${text} NOT NULL PRIMARY KEY,
        identity ${text} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE checkpoints (
        stream ${text} NOT NULL PRIMARY KEY,
        block_number ${integer} NOT NULL,
        block_hash ${text} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE head_observations (
        stream ${text} NOT NULL PRIMARY KEY,
        block_number ${integer} NOT NULL,
        observed_at ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE event_histories (
        history_id ${integer} NOT NULL PRIMARY KEY,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        generation ${small} NOT NULL,
        epoch ${small} NOT NULL,
        log_count ${integer} NOT NULL,
        settled_0 ${small},
        settled_1 ${small}
      ) ${table}`,
      'CREATE UNIQUE INDEX event_histories_by_machine ON event_histories (machine_id, generation)',
      `CREATE INDEX event_histories_by_settled_0 ON event_histories (settled_0, machine_id, generation)
        WHERE settled_0 IS NOT NULL`,
      `CREATE INDEX event_histories_by_settled_1 ON event_histories (settled_1, machine_id, generation)
        WHERE settled_1 IS NOT NULL`,
      `CREATE TABLE event_logs (
        history_id ${integer} NOT NULL,
        epoch ${small} NOT NULL,
        seq ${integer} NOT NULL,
        event_index ${text} NOT NULL,
        event_type ${small} NOT NULL,
        value ${text} NOT NULL,
        block_number ${integer} NOT NULL,
        block_timestamp ${integer} NOT NULL,
        PRIMARY KEY (history_id, epoch, seq)
      ) ${clustered}`,
      `CREATE TABLE fold_slots (
        slot ${small} NOT NULL PRIMARY KEY,
        configuration_id ${small} NOT NULL,
        rates_fingerprint ${text} NOT NULL UNIQUE,
        claim ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE folds (
        history_id ${integer} NOT NULL REFERENCES event_histories (history_id),
        slot ${small} NOT NULL,
        configuration_id ${small} NOT NULL,
        epoch ${small} NOT NULL,
        next_seq ${integer} NOT NULL,
        state ${text} NOT NULL,
        PRIMARY KEY (history_id, slot)
      ) ${table}`,
      `CREATE TABLE fx_rates (
        currency ${text} NOT NULL,
        day ${small} NOT NULL,
        rate ${text} NOT NULL,
        PRIMARY KEY (currency, day)
      ) ${clustered}`,
      `CREATE TABLE fx_coverage (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        through_day ${small} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE write_probe (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        writes ${integer} NOT NULL
      ) ${clustered}`,
    ],
  },
  {
    name: 'ownership of machines',
    statements: ({ columns: { integer, small, bytes }, clustered }) => [
      `CREATE TABLE machine_owners (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        owner ${bytes} NOT NULL CHECK (length(owner) = 20),
        controller ${bytes} CHECK (length(controller) = 20)
      ) ${clustered}`,
      `CREATE TABLE holdings (
        holder ${bytes} NOT NULL CHECK (length(holder) = 20),
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        PRIMARY KEY (holder, machine_id)
      ) ${clustered}`,
      `CREATE TABLE ownership_reads (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        block_number ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE holders (
        holder ${bytes} NOT NULL PRIMARY KEY CHECK (length(holder) = 20),
        total ${small} NOT NULL,
        version ${integer} NOT NULL
      ) ${clustered}`,
    ],
  },
  {
    name: 'decisions about monetization',
    statements: ({ columns: { integer, small, text, bytes }, clustered, table }) => [
      `CREATE TABLE decisions (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        opted_in ${small} NOT NULL CHECK (opted_in IN (0, 1)),
        signed_at ${integer} NOT NULL,
        signer ${text} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE decision_audit (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        signed_at ${integer} NOT NULL,
        opted_in ${small} NOT NULL CHECK (opted_in IN (0, 1)),
        signer ${text} NOT NULL,
        signature ${text} NOT NULL,
        applied_at ${integer} NOT NULL,
        PRIMARY KEY (machine_id, signed_at)
      ) ${table}`,
    ],
  },
  {
    name: 'events of the alt chain',
    statements: ({ columns: { integer, small, text, bytes }, clustered, table }) => [
      `CREATE TABLE alt_walks (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        revision ${integer} NOT NULL,
        done_signature ${text},
        done_slot ${integer},
        observed_slot ${integer},
        observed_at ${integer},
        top_signature ${text},
        top_slot ${integer},
        cursor_signature ${text},
        cursor_slot ${integer},
        is_listed ${small} NOT NULL CHECK (is_listed IN (0, 1)),
        open_observed_slot ${integer},
        open_observed_at ${integer}
      ) ${clustered}`,
      `CREATE TABLE alt_listed (
        slot ${integer} NOT NULL,
        signature ${text} NOT NULL,
        block_time ${integer},
        PRIMARY KEY (slot, signature)
      ) ${clustered}`,
      `CREATE TABLE alt_parked (
        signature ${text} NOT NULL PRIMARY KEY,
        slot ${integer} NOT NULL,
        block_time ${integer},
        attempts ${small} NOT NULL,
        retry_at ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE alt_machines (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        revision ${integer} NOT NULL,
        incarnation ${small} NOT NULL,
        event_count ${integer} NOT NULL,
        next_index ${integer} NOT NULL,
        prior_event_count ${text} NOT NULL,
        operation_count ${integer} NOT NULL,
        last_slot ${integer} NOT NULL,
        newest_block_time ${integer},
        problem ${text}
      ) ${clustered}`,
      `CREATE TABLE alt_operations (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        seq ${integer} NOT NULL,
        incarnation ${small} NOT NULL,
        event_index ${integer},
        kind ${text} NOT NULL,
        log_number ${text},
        prior_event_count ${text},
        record ${text},
        signature ${text} NOT NULL,
        slot ${integer} NOT NULL,
        position ${small},
        op_order ${small} NOT NULL,
        block_time ${integer},
        PRIMARY KEY (machine_id, seq)
      ) ${table}`,
      `CREATE UNIQUE INDEX alt_operations_by_event_index ON alt_operations (machine_id, incarnation, event_index)
        WHERE event_index IS NOT NULL`,
      `CREATE TABLE alt_folds (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        slot ${small} NOT NULL,
        configuration_id ${small} NOT NULL,
        revision ${integer} NOT NULL,
        next_seq ${integer} NOT NULL,
        state ${text} NOT NULL,
        PRIMARY KEY (machine_id, slot)
      ) ${table}`,
    ],
  },
  {
    name: 'chip challenges and accepted evidence',
    statements: ({ columns: { integer, small, bytes }, clustered, table }) => [
      `CREATE TABLE challenges (
        nonce_hash ${bytes} NOT NULL PRIMARY KEY CHECK (length(nonce_hash) = 32),
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        did_controller ${bytes} NOT NULL CHECK (length(did_controller) = 20),
        chain_id ${integer} NOT NULL,
        issued_at ${integer} NOT NULL,
        expires_at ${integer} NOT NULL,
        consumed_at ${integer},
        consumed_by ${bytes} CHECK (length(consumed_by) = 32),
        CHECK ((consumed_at IS NULL) = (consumed_by IS NULL))
      ) ${clustered}`,
      `CREATE INDEX challenges_open ON challenges (expires_at, machine_id) WHERE consumed_by IS NULL`,
      `CREATE INDEX challenges_consumed ON challenges (consumed_at) WHERE consumed_by IS NOT NULL`,
      `CREATE TABLE challenge_issuing (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        issued ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE evidence_intakes (
        receipt_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(receipt_id) = 32),
        evidence_hash ${bytes} NOT NULL UNIQUE CHECK (length(evidence_hash) = 32),
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        chip_ref ${bytes} NOT NULL CHECK (length(chip_ref) = 32),
        leaf_fingerprint ${bytes} NOT NULL CHECK (length(leaf_fingerprint) = 32),
        leaf_serial ${bytes} NOT NULL,
        controller ${bytes} NOT NULL CHECK (length(controller) = 20),
        received_at ${integer} NOT NULL,
        evidence ${bytes}
      ) ${table}`,
      'CREATE INDEX evidence_intakes_by_machine ON evidence_intakes (machine_id, received_at)',
      'CREATE INDEX evidence_intakes_by_time ON evidence_intakes (received_at)',
    ],
  },
  {
    name: 'ownership snapshot of the alt chain',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      `CREATE TABLE alt_fleet_observation (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        identity ${text} NOT NULL,
        slot ${integer} NOT NULL,
        observed_at ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE alt_fleets (
        operator ${bytes} NOT NULL CHECK (length(operator) = 20),
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        PRIMARY KEY (operator, machine_id)
      ) ${clustered}`,
      `CREATE TABLE alt_fleet_unreadable (
        operator ${bytes} NOT NULL PRIMARY KEY CHECK (length(operator) = 20),
        row_count ${small} NOT NULL
      ) ${clustered}`,
    ],
  },
  {
    name: 'days of folds',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      `CREATE TABLE fold_days (
        history_id ${integer} NOT NULL REFERENCES event_histories (history_id),
        slot ${small} NOT NULL,
        day ${small} NOT NULL,
        configuration_id ${small} NOT NULL,
        epoch ${small} NOT NULL,
        next_seq ${integer} NOT NULL,
        state ${text} NOT NULL,
        PRIMARY KEY (history_id, slot, day)
      ) ${clustered}`,
      `CREATE TABLE alt_fold_days (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        slot ${small} NOT NULL,
        day ${small} NOT NULL,
        configuration_id ${small} NOT NULL,
        revision ${integer} NOT NULL,
        next_seq ${integer} NOT NULL,
        state ${text} NOT NULL,
        PRIMARY KEY (machine_id, slot, day)
      ) ${clustered}`,
      // Marks machines with many logs as unfolded, because they have no days yet.
      'UPDATE event_histories SET settled_0 = 0, settled_1 = 0 WHERE log_count > 1000',
    ],
  },
  {
    name: 'active machines',
    statements: ({ columns: { integer, bytes }, clustered }) => [
      `CREATE TABLE active_machines (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        block_number ${integer} NOT NULL,
        block_timestamp ${integer} NOT NULL
      ) ${clustered}`,
      `INSERT INTO active_machines (machine_id, block_number, block_timestamp)
        SELECT h.machine_id, l.block_number, l.block_timestamp
        FROM event_histories h
        JOIN event_logs l ON l.history_id = h.history_id AND l.epoch = h.epoch AND l.seq = h.log_count - 1
        WHERE h.generation = 2 ORDER BY l.block_number DESC, h.machine_id LIMIT 20`,
      `CREATE INDEX alt_machines_by_newest_event ON alt_machines (newest_block_time)
        WHERE newest_block_time IS NOT NULL`,
    ],
  },
  {
    name: 'proof of the main-chain index',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      `CREATE TABLE unread_machines (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32)
      ) ${clustered}`,
      `CREATE TABLE log_blocks (
        block_number ${integer} NOT NULL PRIMARY KEY,
        block_hash ${bytes} NOT NULL CHECK (length(block_hash) = 32),
        block_timestamp ${integer} NOT NULL,
        digest ${bytes} NOT NULL CHECK (length(digest) = 32),
        is_proven ${small} NOT NULL CHECK (is_proven IN (0, 1))
      ) ${clustered}`,
      'CREATE INDEX log_blocks_unproven ON log_blocks (block_number) WHERE is_proven = 0',
      'CREATE INDEX log_blocks_without_time ON log_blocks (block_number) WHERE block_timestamp = 0',
      'CREATE INDEX event_logs_without_time ON event_logs (block_number) WHERE block_timestamp = 0',
      `CREATE TABLE event_imports (
        history_id ${integer} NOT NULL,
        epoch ${small} NOT NULL,
        block_number ${integer} NOT NULL,
        PRIMARY KEY (history_id, epoch)
      ) ${clustered}`,
      `CREATE TABLE proof_segments (
        kind ${text} NOT NULL,
        from_block ${integer} NOT NULL,
        to_block ${integer} NOT NULL,
        PRIMARY KEY (kind, from_block)
      ) ${clustered}`,
      // Earlier releases stored proven windows only.
      `INSERT INTO proof_segments (kind, from_block, to_block)
        SELECT 'headers', 0, block_number FROM checkpoints WHERE stream = 'main-chain'`,
    ],
  },
  {
    name: 'counters of tokens, chip records and events',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      `ALTER TABLE machine_owners ADD COLUMN is_home ${small} NOT NULL DEFAULT 1 CHECK (is_home IN (0, 1))`,
      `ALTER TABLE ownership_reads ADD COLUMN repairs ${small} NOT NULL DEFAULT 0`,
      `ALTER TABLE holders ADD COLUMN token_count ${small} NOT NULL DEFAULT 0`,
      // Tokens of machines homed elsewhere were not stored; the repair of their holder finds them.
      `UPDATE holders SET token_count = counted.token_count
        FROM (SELECT owner, count(*) AS token_count FROM machine_owners GROUP BY owner) counted
        WHERE holders.holder = counted.owner`,
      `CREATE TABLE event_totals (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        log_count ${integer} NOT NULL
      ) ${clustered}`,
      `INSERT INTO event_totals (only_row, log_count)
        SELECT 1, count(*) FROM event_logs l JOIN event_histories h ON h.history_id = l.history_id
        WHERE h.generation = 2`,
      `CREATE TABLE chip_logs (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        block_number ${integer} NOT NULL,
        log_index ${integer} NOT NULL,
        issued_at ${text},
        expires_at ${text},
        revoked_at ${text},
        PRIMARY KEY (machine_id, block_number, log_index)
      ) ${clustered}`,
    ],
  },
  {
    name: 'provenance of machines',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      // The logs of provenance were not indexed before, so the index of the main chain is built again.
      ...[
        'fold_days',
        'folds',
        'event_logs',
        'event_imports',
        'event_histories',
        'event_totals',
        'active_machines',
      ].map((name) => `DELETE FROM ${name}`),
      ...['machine_owners', 'holdings', 'holders', 'ownership_reads'].map((name) => `DELETE FROM ${name}`),
      ...['unread_machines', 'log_blocks', 'proof_segments'].map((name) => `DELETE FROM ${name}`),
      "DELETE FROM checkpoints WHERE stream = 'main-chain'",
      'DROP TABLE chip_logs',
      `CREATE TABLE registry_logs (
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        block_number ${integer} NOT NULL,
        log_index ${integer} NOT NULL,
        kind ${text} NOT NULL,
        block_timestamp ${integer},
        transaction_hash ${text},
        from_address ${bytes} CHECK (length(from_address) = 20),
        to_address ${bytes} CHECK (length(to_address) = 20),
        issued_at ${text},
        expires_at ${text},
        revoked_at ${text},
        PRIMARY KEY (machine_id, block_number, log_index)
      ) ${clustered}`,
      'CREATE INDEX registry_logs_by_block ON registry_logs (block_number)',
      'CREATE INDEX registry_logs_without_time ON registry_logs (block_number) WHERE block_timestamp = 0',
      `CREATE TABLE machine_provenance (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        owner ${bytes} CHECK (length(owner) = 20),
        changed_at ${integer},
        changed_seq ${integer},
        changed_transaction ${text},
        is_accepted ${small} NOT NULL CHECK (is_accepted IN (0, 1)),
        changed_after ${integer},
        chip_expires_at ${text}
      ) ${clustered}`,
      `ALTER TABLE event_logs ADD COLUMN log_index ${integer} NOT NULL DEFAULT 0`,
      `ALTER TABLE event_logs ADD COLUMN is_chip_on_record ${small} NOT NULL DEFAULT 0`,
      `ALTER TABLE event_logs ADD COLUMN changed_hands_before ${integer}`,
      `ALTER TABLE event_imports ADD COLUMN log_index ${integer} NOT NULL DEFAULT 0`,
    ],
  },
  {
    name: 'profiles of nodes',
    statements: ({ columns: { integer, text, bytes }, clustered }) => [
      `CREATE TABLE node_profiles (
        url_hash ${bytes} NOT NULL PRIMARY KEY CHECK (length(url_hash) = 32),
        profile ${text} NOT NULL,
        updated_at ${integer} NOT NULL
      ) ${clustered}`,
    ],
  },
  {
    name: 'payments',
    statements: ({ columns: { integer, small, text, bytes }, clustered, table }) => [
      `CREATE TABLE payment_configuration (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        fingerprint ${text} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE payment_positions (
        home ${small} NOT NULL PRIMARY KEY,
        scanned_through ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE payment_scans (
        home ${small} NOT NULL,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        version ${integer} NOT NULL,
        claims_seq ${integer} NOT NULL,
        cited_seq ${integer} NOT NULL,
        through_block ${integer} NOT NULL,
        has_claims ${small} NOT NULL CHECK (has_claims IN (0, 1)),
        PRIMARY KEY (home, machine_id)
      ) ${clustered}`,
      `CREATE TABLE payment_claims (
        home ${small} NOT NULL,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        seq ${integer} NOT NULL,
        account ${text} NOT NULL,
        owner ${text} NOT NULL,
        since ${integer} NOT NULL,
        block ${integer} NOT NULL,
        place ${integer} NOT NULL,
        end_at ${integer},
        end_seq ${integer},
        PRIMARY KEY (home, machine_id, seq)
      ) ${clustered}`,
      'CREATE INDEX payment_claims_by_account ON payment_claims (account, since)',
      `CREATE TABLE payment_citations (
        home ${small} NOT NULL,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        seq ${integer} NOT NULL,
        source ${text} NOT NULL,
        reference ${text} NOT NULL,
        cents ${integer} NOT NULL,
        event_day ${small} NOT NULL,
        event_timestamp ${integer} NOT NULL,
        block_timestamp ${integer} NOT NULL,
        is_attested ${small} NOT NULL CHECK (is_attested IN (0, 1)),
        hands_ended_at ${integer},
        code ${text} NOT NULL,
        is_open ${small} NOT NULL CHECK (is_open IN (0, 1)),
        attempts ${small} NOT NULL,
        retry_at ${integer} NOT NULL,
        paid_cents ${integer} NOT NULL,
        token ${text},
        payer ${text},
        worth_cents ${integer},
        returned_cents ${integer},
        payment_time ${integer},
        PRIMARY KEY (home, machine_id, seq)
      ) ${table}`,
      'CREATE INDEX payment_citations_open ON payment_citations (source, home, machine_id) WHERE is_open = 1',
      `CREATE INDEX payment_citations_undecided ON payment_citations (home, machine_id, source, seq)
        WHERE code = 'pending'`,
      'CREATE INDEX payment_citations_by_payer ON payment_citations (home, machine_id, payer) WHERE payer IS NOT NULL',
      'CREATE INDEX payment_citations_by_time ON payment_citations (block_timestamp)',
      `CREATE TABLE payment_senders (
        source ${text} NOT NULL,
        address ${text} NOT NULL,
        since ${integer} NOT NULL,
        through_block ${integer},
        PRIMARY KEY (source, address, since)
      ) ${clustered}`,
      'CREATE INDEX payment_senders_by_block ON payment_senders (source, through_block)',
      `CREATE TABLE payment_flows (
        source ${text} NOT NULL,
        sender ${text} NOT NULL,
        block ${integer} NOT NULL,
        place ${integer} NOT NULL,
        receiver ${text} NOT NULL,
        token ${text} NOT NULL,
        units ${text} NOT NULL,
        block_time ${integer} NOT NULL,
        is_whole ${small} NOT NULL CHECK (is_whole IN (0, 1)),
        PRIMARY KEY (source, sender, block, place)
      ) ${table}`,
      'CREATE INDEX payment_flows_by_receiver ON payment_flows (source, receiver, sender)',
      'CREATE INDEX payment_flows_by_time ON payment_flows (block_time)',
      `CREATE TABLE payment_cited_flows (
        home ${small} NOT NULL,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        source ${text} NOT NULL,
        reference ${text} NOT NULL,
        place ${small} NOT NULL,
        seq ${integer} NOT NULL,
        sender ${text} NOT NULL,
        receiver ${text} NOT NULL,
        token ${text} NOT NULL,
        units ${text} NOT NULL,
        block ${integer} NOT NULL,
        block_time ${integer} NOT NULL,
        PRIMARY KEY (home, machine_id, source, reference, place)
      ) ${table}`,
      'CREATE INDEX payment_cited_flows_by_time ON payment_cited_flows (block_time)',
    ],
  },
  {
    name: 'reviews of attestations',
    statements: ({ columns: { integer, text, bytes }, clustered }) => [
      `CREATE TABLE attestation_reviews (
        transaction_hash ${bytes} NOT NULL PRIMARY KEY CHECK (length(transaction_hash) = 32),
        change ${text} NOT NULL,
        receipt_id ${bytes} CHECK (length(receipt_id) = 32),
        subject ${text} NOT NULL,
        reviewer ${text} NOT NULL,
        reason ${text},
        expires_at ${integer},
        operator ${bytes} CHECK (length(operator) = 20),
        reviewed_at ${integer} NOT NULL
      ) ${clustered}`,
      'CREATE INDEX attestation_reviews_by_subject ON attestation_reviews (subject, reviewed_at)',
    ],
  },
  {
    name: 'keys of rating statements',
    statements: ({ columns: { integer, bytes }, clustered }) => [
      `CREATE TABLE statement_keys (
        address ${bytes} NOT NULL PRIMARY KEY CHECK (length(address) = 20),
        position ${integer} NOT NULL UNIQUE,
        not_before ${integer},
        not_after ${integer},
        revoked_at ${integer}
      ) ${clustered}`,
    ],
  },
  {
    name: 'chains of decisions',
    statements: ({ columns: { integer, text, bytes }, clustered }) => [
      // Rows from before have no hash: nothing proves them.
      ...[
        `message ${text}`,
        `owner ${text}`,
        `controller ${text}`,
        `block_number ${integer}`,
        `block_hash ${bytes} CHECK (length(block_hash) = 32)`,
        `slot ${integer}`,
        // Empty in the first row of a chain, so that there is one first row.
        `previous ${bytes} CHECK (length(previous) IN (0, 32))`,
        `hash ${bytes} CHECK (length(hash) = 32)`,
      ].map((column) => `ALTER TABLE decision_audit ADD COLUMN ${column}`),
      'CREATE UNIQUE INDEX decision_audit_by_previous ON decision_audit (machine_id, previous)',
      `CREATE TABLE decision_checkpoints (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        hash ${bytes} NOT NULL CHECK (length(hash) = 32),
        log_count ${integer} NOT NULL,
        signed_at ${integer} NOT NULL,
        signer ${text} NOT NULL,
        signature ${text} NOT NULL
      ) ${clustered}`,
    ],
  },
  {
    name: 'logs of bonds, flags and overrides',
    statements: ({ columns: { text } }) => [
      // These logs were not indexed before, so the index of the main chain is built again.
      ...[
        'fold_days',
        'folds',
        'event_logs',
        'event_imports',
        'event_histories',
        'event_totals',
        'active_machines',
      ].map((name) => `DELETE FROM ${name}`),
      ...['machine_owners', 'holdings', 'holders', 'ownership_reads'].map((name) => `DELETE FROM ${name}`),
      ...['unread_machines', 'log_blocks', 'proof_segments'].map((name) => `DELETE FROM ${name}`),
      ...['registry_logs', 'machine_provenance'].map((name) => `DELETE FROM ${name}`),
      "DELETE FROM checkpoints WHERE stream = 'main-chain'",
      `ALTER TABLE registry_logs ADD COLUMN value ${text}`,
    ],
  },
  {
    name: 'changes of machines',
    statements: ({ columns: { integer, small, text, bytes }, clustered }) => [
      `CREATE TABLE observed_machines (
        machine_id ${bytes} NOT NULL PRIMARY KEY CHECK (length(machine_id) = 32),
        version ${integer} NOT NULL,
        touches ${integer} NOT NULL,
        due_at ${integer} NOT NULL,
        observed_operator ${bytes} CHECK (length(observed_operator) = 20),
        observed_values ${text}
      ) ${clustered}`,
      'CREATE INDEX observed_machines_by_due ON observed_machines (due_at)',
      `CREATE INDEX observed_machines_by_operator ON observed_machines (observed_operator)
        WHERE observed_operator IS NOT NULL`,
      // Machines that are already indexed are observed without a log of theirs.
      `INSERT INTO observed_machines (machine_id, version, touches, due_at)
        SELECT machine_id, 0, 0, 0 FROM machine_owners
        UNION SELECT machine_id, 0, 0, 0 FROM alt_fleets`,
      `CREATE TABLE change_feed (
        only_row ${small} NOT NULL PRIMARY KEY CHECK (only_row = 1),
        newest_cursor ${integer} NOT NULL,
        pruned_through ${integer} NOT NULL,
        opened_at ${integer}
      ) ${clustered}`,
      'INSERT INTO change_feed (only_row, newest_cursor, pruned_through) VALUES (1, 0, 0)',
      `CREATE TABLE changes (
        change_cursor ${integer} NOT NULL PRIMARY KEY,
        kind ${text} NOT NULL,
        machine_id ${bytes} NOT NULL CHECK (length(machine_id) = 32),
        operator ${bytes} CHECK (length(operator) = 20),
        from_value ${text},
        to_value ${text},
        block_number ${integer} NOT NULL,
        observed_at ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE webhook_receivers (
        receiver ${text} NOT NULL PRIMARY KEY,
        examined_through ${integer} NOT NULL
      ) ${clustered}`,
      `CREATE TABLE webhook_deliveries (
        receiver ${text} NOT NULL,
        delivered_cursor ${integer} NOT NULL,
        attempts ${small} NOT NULL,
        retry_at ${integer},
        problem ${text},
        PRIMARY KEY (receiver, delivered_cursor)
      ) ${clustered}`,
      'CREATE INDEX webhook_deliveries_by_retry ON webhook_deliveries (receiver, retry_at) WHERE retry_at IS NOT NULL',
    ],
  },
  {
    name: 'directory of machines',
    statements: ({ columns: { integer, small, text }, clustered }) => [
      ...[
        `observed_owner ${text}`,
        `facets ${small}`,
        `score ${integer}`,
        `revenue_cents ${integer}`,
        `event_count ${integer}`,
        `last_event_at ${integer}`,
        `observed_block ${integer}`,
        `observed_at ${integer}`,
        `precedes_feed ${small} NOT NULL DEFAULT 0`,
      ].map((column) => `ALTER TABLE observed_machines ADD COLUMN ${column}`),
      // With all columns that select machines, so that examining one reads no row.
      ...['score', 'revenue_cents'].map(
        (column) => `CREATE INDEX observed_machines_by_${column}
        ON observed_machines (${column}, machine_id, facets, last_event_at) WHERE facets IS NOT NULL`,
      ),
      `CREATE INDEX observed_machines_by_last_event_at
        ON observed_machines (last_event_at, machine_id, facets) WHERE facets IS NOT NULL`,
      'CREATE INDEX observed_machines_unlisted ON observed_machines (machine_id) WHERE facets IS NULL',
      `CREATE INDEX observed_machines_by_owner
        ON observed_machines (observed_owner, machine_id, facets, last_event_at) WHERE observed_owner IS NOT NULL`,
      'DROP INDEX observed_machines_by_operator',
      `CREATE INDEX observed_machines_by_operator
        ON observed_machines (observed_operator, machine_id, facets, last_event_at) WHERE observed_operator IS NOT NULL`,
      `CREATE TABLE directory_counts (
        facets ${small} NOT NULL PRIMARY KEY,
        machines ${integer} NOT NULL
      ) ${clustered}`,
      // Machines that were observed before are listed when they are observed again.
      'UPDATE observed_machines SET due_at = 0',
      `INSERT INTO observed_machines (machine_id, version, touches, due_at)
        SELECT machine_id, 0, 0, 0 FROM alt_machines WHERE true ON CONFLICT (machine_id) DO NOTHING`,
    ],
  },
  {
    name: 'times of acceptances',
    statements: ({ columns: { integer } }) => [`ALTER TABLE machine_provenance ADD COLUMN accepted_at ${integer}`],
  },
  {
    name: 'verdicts that changed claims concern',
    statements: ({ columns: { integer } }) => [
      `ALTER TABLE payment_configuration ADD COLUMN claim_revision ${integer} NOT NULL DEFAULT 0`,
      `CREATE INDEX payment_citations_of_payer ON payment_citations (payer, payment_time) WHERE payer IS NOT NULL`,
    ],
  },
  {
    name: 'one index of citations by payer',
    statements: () => [
      'DROP INDEX payment_citations_by_payer',
      'DROP INDEX payment_citations_of_payer',
      `CREATE INDEX payment_citations_by_payer ON payment_citations (payer, home, machine_id, payment_time)
        WHERE payer IS NOT NULL`,
    ],
  },
  {
    name: 'machines to read again',
    statements: ({ columns: { bytes } }) => [
      `ALTER TABLE ownership_reads ADD COLUMN reread_after ${bytes}`,
      // Ranges that earlier releases read from logs alone may have hidden changes of any machine. Bytes of no length precede every id.
      'UPDATE ownership_reads SET reread_after = (SELECT substr(machine_id, 1, 0) FROM machine_owners LIMIT 1)',
    ],
  },
  {
    name: 'events by block',
    statements: () => [
      'DROP INDEX event_logs_without_time',
      'CREATE INDEX event_logs_by_block ON event_logs (block_number)',
      'CREATE INDEX event_imports_by_block ON event_imports (block_number)',
    ],
  },
];
