/**
 * What does an index of so many machines hold? Rows of the real tables, made by the database itself: ids that lie all over the 256 bits, in the
 * order in which they come, so that indexes are as loose as those that grew. One machine in ten belongs to one large fleet, the others to
 * fleets of a hundred; one in four has a controller besides; one in ten has a history of ten events and its fold.
 */
import type pg from 'pg';
import { emptyRatingState, foldEvents } from '../../src/domain/rating/rating-state.ts';
import { encodeRatingState } from '../../src/domain/rating/rating-state-codec.ts';
import { createRateTable } from '../../src/domain/rating/rate-table.ts';
import { FLEET } from '../index/fleet-service.ts';

export const EVENTS = 10;
const DAY = 86_400;
const START = 1_760_000_000;

/** Machines `from` to `to - 1` of the fill; more than that at once would be one transaction of many gigabytes. */
export async function fillMachines(client: pg.Client, from: number, to: number): Promise<void> {
  const range = [from, to - 1];
  await client.query(
    `INSERT INTO machine_owners (machine_id, owner, controller)
     SELECT ${ID}, ${OWNER}, CASE WHEN i % 4 = 1 THEN ${CONTROLLER} END FROM generate_series($1::bigint, $2::bigint) i`,
    range,
  );
  await client.query(
    `INSERT INTO holdings (holder, machine_id)
     SELECT ${OWNER}, ${ID} FROM generate_series($1::bigint, $2::bigint) i
     UNION ALL SELECT ${CONTROLLER}, ${ID} FROM generate_series($1::bigint, $2::bigint) i WHERE i % 4 = 1`,
    range,
  );
  await client.query(
    `INSERT INTO event_histories (history_id, machine_id, generation, epoch, log_count, settled_0, settled_1)
     SELECT i / 10 + 1, ${ID}, 2, 0, ${EVENTS}, 1, NULL FROM generate_series($1::bigint, $2::bigint) i WHERE i % 10 = 3`,
    range,
  );
  await client.query(
    `INSERT INTO event_logs (history_id, epoch, seq, event_index, event_type, value, block_number, block_timestamp)
     SELECT i / 10 + 1, 0, seq, seq::text, seq % 2, (1000 + seq * 37)::text, 20000000 + i + seq, ${START} + seq * ${DAY}
     FROM generate_series($1::bigint, $2::bigint) i CROSS JOIN generate_series(0, ${EVENTS - 1}) seq WHERE i % 10 = 3`,
    range,
  );
  await client.query(
    `INSERT INTO folds (history_id, slot, configuration_id, epoch, next_seq, state)
     SELECT i / 10 + 1, 0, 1, 0, ${EVENTS}, $3 FROM generate_series($1::bigint, $2::bigint) i WHERE i % 10 = 3`,
    [...range, FOLD_STATE],
  );
}

/** What follows from the rows of all machines. */
export async function countHolders(client: pg.Client): Promise<void> {
  await client.query('INSERT INTO holders SELECT holder, count(*), 1 FROM holdings GROUP BY holder');
}

const ID = 'sha256(int8send(i))';
const OWNER = `CASE WHEN i % 10 = 0 THEN '\\x${FLEET.slice(2)}'::bytea ELSE substring(sha256(int8send(-1 - i / 100)) FOR 20) END`;
const CONTROLLER = 'substring(sha256(int8send(-1000000000 - i / 100)) FOR 20)';

const FOLD_STATE = encodeRatingState(
  foldEvents(
    emptyRatingState(),
    Array.from({ length: EVENTS }, (_, seq) => ({
      seq,
      type: seq % 2,
      value: BigInt(1_000 + seq * 37),
      currency: seq % 2 === 0 ? 'USD' : '',
      timestamp: BigInt(START + seq * DAY),
      trust: seq % 3,
      blockTimestamp: START + seq * DAY,
    })),
    createRateTable(false),
  ).state,
);
