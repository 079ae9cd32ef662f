/** Schemas of health, readiness and status (http-facts 12, decisions 4). */
import { UNREADABLE_CAUSES } from '../../domain/faults.ts';
import { INDEX_CAUSES } from '../../domain/index-rules/index-cause.ts';
import { MAX_REPORTED_SEGMENTS } from '../../domain/index-rules/index-proof.ts';
import { PAYMENT } from '../../domain/rating/constants.ts';
import { CHAIN_NAME } from './caip.ts';
import {
  closedObject,
  COUNT,
  described,
  exactly,
  FLAG,
  listOf,
  orNull,
  refer,
  TEXT,
  word,
  type JsonSchema,
} from './json-schema.ts';

/** The home chains. */
const CHAINS = ['main', 'solana'];
/** Each chain reports a cause once. */
const MAX_CAUSES = CHAINS.length * INDEX_CAUSES.length;

const READY = described(FLAG, 'Whether the index is fresh enough to be used.', true);

const OPERATOR_INDEX = described(
  closedObject(
    {
      ready: READY,
      indexed_block: described(orNull(COUNT), 'The newest indexed block; null: none yet.', 120_338),
      head_block: described(orNull(COUNT), 'The head of the chain; null: not read yet.', 120_340),
      lag_blocks: described(orNull(COUNT), 'Blocks between the two; null: not known.', 2),
      head_observed_age_seconds: described(orNull(COUNT), 'Seconds since the head was read; null: never.', 3),
      proof: described(refer('IndexProofEntry'), 'How far the index is proven; absent where that is not known.', {
        mode: 'background',
        backfilled: true,
        unproven_blocks: 0,
        segment_count: 1,
        segments: [{ from_block: 0, to_block: 120_338, kind: 'headers' }],
      }),
    },
    ['proof'],
  ),
  'How far the index of the main chain is behind its head.',
);

const SEGMENT = closedObject({
  from_block: described(COUNT, 'The first block.', 0),
  to_block: described(COUNT, 'The last block.', 120_338),
  kind: described(
    word('headers', 'second-node', 'sample', 'unprovable'),
    'By every header, by the logs of two hosts, by random headers; or two hosts return a block without its parent.',
  ),
});

const INDEX_PROOF = described(
  closedObject({
    mode: described(word('background', 'full', 'before', 'off'), 'The setting `INDEX_PROOF`.'),
    backfilled: described(FLAG, 'Whether all owners and block times of the first backfill are known.', true),
    unproven_blocks: described(COUNT, 'Blocks whose logs are served but not yet proven by their receipts.', 0),
    segment_count: described(COUNT, 'The number of ranges that are known to hold no other logs.', 1),
    segments: described(listOf(SEGMENT, MAX_REPORTED_SEGMENTS), 'The newest of these ranges, newest first.'),
  }),
  'How far the index of the main chain is proven. Informational.',
);

const ALT_INDEX = described(
  closedObject({
    ready: READY,
    slot: described(orNull(COUNT), 'The slot of the newest snapshot; null: none yet.', 287_400_112),
    age_seconds: described(orNull(COUNT), 'The age of that snapshot; null: none yet.', 12),
  }),
  'How old the index of the alt chain is.',
);

const ALT_PROGRESS = described(
  closedObject({
    phase: described(
      word('listing', 'applying', 'following'),
      'What the index does: it lists new transactions, newest to oldest; applies them, oldest to newest; or has applied all known ones.',
    ),
    applied_slot: described(
      orNull(COUNT),
      'The slot up to which transactions are applied; null: none yet.',
      287_112_004,
    ),
    target_slot: described(COUNT, 'The slot of the newest known transaction.', 287_400_098),
    listed_down_to_slot: described(
      orNull(COUNT),
      'The slot of the oldest transaction listed; null: nothing is being listed.',
      287_250_311,
    ),
  }),
  'The progress of the alt-chain index through its history.',
);

const CAUSE_NAME: JsonSchema = { type: 'string', pattern: '^[a-z]+(?:-[a-z]+)*$' };
/** The name of a variable, or a word. */
export const SUBJECT_PATTERN = '^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+)$';
const SUBJECT: JsonSchema = { type: 'string', pattern: SUBJECT_PATTERN };

const STATUS_CAUSE = described(
  closedObject({
    cause: described(CAUSE_NAME, 'A fixed name of the cause; more may be added.', 'logs-refused'),
    subject: described(SUBJECT, 'The variable or fact that the cause concerns.', 'MAIN_RPC_URLS'),
    text: described(TEXT, 'What is wrong.', 'the node refuses log queries, even of one block'),
    remedy: described(TEXT, 'What to do.', 'name another node in MAIN_RPC_URLS that serves eth_getLogs'),
  }),
  'A cause that stops or slows an index.',
);

const CALL_BUDGET = described(
  closedObject({
    chain: described(word(...CHAINS), 'The chain whose nodes are called.'),
    calls_per_second: described(orNull(COUNT), 'The calls allowed per second now; null: no limit is known.', 25),
    waiting_requests: described(COUNT, 'Requests that wait for their turn.', 0),
    refused_reads: described(COUNT, 'Reads refused since the start because their turn did not come in time.', 0),
    day_exhausted: described(FLAG, 'Whether the calls of the day are used too fast, which stops the proof.', false),
  }),
  'The call budget of this process for one chain. Informational.',
);

const PAYMENT_SOURCE = described(
  closedObject({
    source: described(CHAIN_NAME, 'The CAIP-2 name of the chain.', 'eip155:8453'),
    up: described(orNull(FLAG), 'Whether the last attempt could read it; null: there was none.', true),
    head_age_seconds: described(orNull(COUNT), 'Seconds since the newest finalized block read; null: none yet.', 14),
    waiting_machines: described(COUNT, 'Machines that wait for a verdict on a payment.', 0),
    last_failure: described(
      orNull(word(...UNREADABLE_CAUSES)),
      'The cause of the last failure; null: none since the start.',
      null,
    ),
  }),
  'A payment source as this process follows it. Informational.',
);

const PAYMENT_SEARCH = described(
  closedObject({
    chain: described(word(...CHAINS), 'The home chain of the events.'),
    searched_through: described(
      orNull(COUNT),
      'The block time through which all events are searched for payments, in Unix seconds; null: none yet.',
      1_772_452_800,
    ),
    age_seconds: described(orNull(COUNT), 'The age of that time; null: none yet.', 14),
  }),
  'How far the events of a home chain are searched. Verdicts on later events are pending; those of Solana machines need both chains.',
);

/** Describes the state of both indexes. */
export function indexMembers() {
  return {
    operator_index: described(orNull(refer('OperatorIndexLag')), 'Null: there is no index of the main chain.'),
    solana_indexer: described(orNull(refer('AltIndexLag')), 'Null: no alt chain is configured.'),
  };
}

const CONTRACT = described(FLAG, 'Whether the contract can be called.', true);

export function healthResponses() {
  const { operator_index, solana_indexer } = indexMembers();
  const readiness = {
    status: described(word('ready', 'not_ready'), 'Whether the service can serve requests.'),
    rpc_connected: described(FLAG, 'Whether a node of the main chain responds.', true),
    contracts: closedObject({
      machine_registry: CONTRACT,
      machine_state_and_sync: CONTRACT,
      machine_subscription: CONTRACT,
      event_registry: CONTRACT,
      admin_flags: CONTRACT,
    }),
    verify: described(orNull(FLAG), 'Whether Verify is ready; null: this server does not run Verify.', true),
    solana_indexer,
    operator_index,
    clock: described(
      word('good', 'unconfirmed', 'doubtful', 'behind'),
      'State of the clock, judged by the blocks of the chain; while it is doubtful or behind, nothing that depends on the time is served.',
      'good',
    ),
    shared_rate_limits: described(
      FLAG,
      'Present with distributed rate limiting. False: the store cannot be reached, and each replica counts alone.',
    ),
  };
  return {
    Health: described(closedObject({ status: exactly('ok') }), 'The process runs. Nothing else is checked.'),
    Readiness: described(
      closedObject(readiness, ['clock', 'shared_rate_limits']),
      'Whether the service can serve requests.',
    ),
    Status: described(
      closedObject(
        {
          status: described(word('fresh', 'not_fresh'), 'Whether every index is fresh.'),
          max_lag_blocks: described(COUNT, 'The lag that counts as fresh, as requested.', 20),
          operator_index,
          solana_indexer,
          solana_index_progress: described(
            orNull(refer('AltIndexProgress')),
            'Null: no alt chain is configured, nothing is listed yet, or the index cannot be read.',
          ),
          causes: described(
            listOf(refer('StatusCause'), MAX_CAUSES),
            'What stops or slows the indexes now, as far as this process knows; empty: nothing.',
            [],
          ),
          call_budgets: described(listOf(refer('CallBudgetEntry'), CHAINS.length), 'The call budget of each chain.', [
            { chain: 'main', calls_per_second: 25, waiting_requests: 0, refused_reads: 0, day_exhausted: false },
          ]),
          payment_sources: described(
            listOf(refer('PaymentSourceEntry'), PAYMENT.maxSources),
            'The payment sources; only the process that follows them reports it.',
            [
              {
                source: 'eip155:8453',
                up: true,
                head_age_seconds: 14,
                waiting_machines: 0,
                last_failure: null,
              },
            ],
          ),
          payment_searches: described(
            listOf(refer('PaymentSearchEntry'), CHAINS.length),
            'The search of each home chain; absent without payment sources, or when the database cannot be read.',
            [{ chain: 'main', searched_through: 1_772_452_800, age_seconds: 14 }],
          ),
        },
        ['call_budgets', 'payment_sources', 'payment_searches'],
      ),
      'Whether the indexes are fresh.',
    ),
  };
}

export function healthParts() {
  return {
    OperatorIndexLag: OPERATOR_INDEX,
    IndexProofEntry: INDEX_PROOF,
    CallBudgetEntry: CALL_BUDGET,
    PaymentSourceEntry: PAYMENT_SOURCE,
    PaymentSearchEntry: PAYMENT_SEARCH,
    AltIndexLag: ALT_INDEX,
    AltIndexProgress: ALT_PROGRESS,
    StatusCause: STATUS_CAUSE,
  };
}
