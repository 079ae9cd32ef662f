/** Receivers of webhooks and their deliveries (`WebhookStore`). A delivery is deleted when it is accepted; dead letters stay 30 days. */
import type {
  DeadLetter,
  DeliveryProblem,
  PendingDelivery,
  ReceiverState,
  WebhookStore,
} from '../../../ports/webhooks.ts';
import { integer, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { countChanges, execute, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import type { Schema } from '../schema/schema.ts';
import { fromChangeRow } from './change-rows.ts';

interface StateRow {
  readonly receiver: string;
  readonly examined_through: number;
  readonly pending: number | string;
  readonly dead: number | string;
}

type DueRow = Pick<Schema['webhook_deliveries'], 'delivered_cursor' | 'attempts'> &
  (Schema['changes'] | { readonly change_cursor: null });

export function createWebhookStore(database: SqlDatabase): WebhookStore {
  const query = prepareText(database.dialect);
  const insertReceiver = query()(
    { name: text },
    (q, { name }) => q`INSERT INTO webhook_receivers (receiver, examined_through)
      SELECT ${name}, newest_cursor FROM change_feed WHERE true ON CONFLICT (receiver) DO NOTHING`,
  );
  const selectStates = query<StateRow>()(
    {},
    (q) => q`SELECT r.receiver, r.examined_through,
        (SELECT count(*) FROM webhook_deliveries d WHERE d.receiver = r.receiver AND d.retry_at IS NOT NULL) AS pending,
        (SELECT count(*) FROM webhook_deliveries d WHERE d.receiver = r.receiver AND d.retry_at IS NULL) AS dead
      FROM webhook_receivers r ORDER BY r.receiver`,
  );
  const moveReceiver = query()(
    { name: text, from: integer, to: integer },
    (q, { name, from, to }) => q`UPDATE webhook_receivers SET examined_through = ${to}
      WHERE receiver = ${name} AND examined_through = ${from}`,
  );
  const insertDelivery = database.dialect.batch(
    { receiver: 'text', delivered_cursor: 'integer', retry_at: 'integer' },
    `INSERT INTO webhook_deliveries (receiver, delivered_cursor, attempts, retry_at)
     SELECT receiver, delivered_cursor, 0, retry_at FROM batch`,
  );
  const selectDue = query<DueRow>()(
    { name: text, now: integer, limit: integer },
    (q, { name, now, limit }) => q`SELECT d.delivered_cursor, d.attempts, c.* FROM webhook_deliveries d
      LEFT JOIN changes c ON c.change_cursor = d.delivered_cursor
      WHERE d.receiver = ${name} AND d.retry_at IS NOT NULL AND d.retry_at <= ${now}
      ORDER BY d.delivered_cursor LIMIT ${limit}`,
  );
  const remove = query()(
    { name: text, cursor: integer },
    (q, { name, cursor }) =>
      q`DELETE FROM webhook_deliveries WHERE receiver = ${name} AND delivered_cursor = ${cursor}`,
  );
  const retry = query()(
    { name: text, cursor: integer, attempts: integer, problem: text, retryAt: integer },
    (q, { name, cursor, attempts, problem, retryAt }) => q`UPDATE webhook_deliveries
      SET attempts = ${attempts}, problem = ${problem}, retry_at = ${retryAt}
      WHERE receiver = ${name} AND delivered_cursor = ${cursor}`,
  );
  const bury = query()(
    { name: text, cursor: integer, attempts: integer, problem: text },
    (q, { name, cursor, attempts, problem }) => q`UPDATE webhook_deliveries
      SET attempts = ${attempts}, problem = ${problem}, retry_at = NULL
      WHERE receiver = ${name} AND delivered_cursor = ${cursor}`,
  );
  const selectDead = query<Schema['webhook_deliveries']>()(
    { limit: integer },
    (q, { limit }) => q`SELECT * FROM webhook_deliveries WHERE retry_at IS NULL
      ORDER BY delivered_cursor DESC, receiver LIMIT ${limit}`,
  );

  function* listStates(): SqlProgram<ReceiverState[]> {
    return (yield* readRows(selectStates({}))).map(toState);
  }

  return {
    openReceiver: (name) =>
      database.transaction(
        (function* () {
          yield* execute(insertReceiver({ name }));
          return (yield* listStates()).find((state) => state.name === name)!;
        })(),
      ),
    addDeliveries: (name, from, to, cursors, nowSeconds) =>
      database.transaction(
        (function* () {
          if ((yield* countChanges(moveReceiver({ name, from, to }))) === 0) return false;
          yield* execute({ sql: insertDelivery, batch: cursors.map((cursor) => [name, cursor, nowSeconds]) });
          return true;
        })(),
      ),
    async listDueDeliveries(name, now, limit) {
      const rows = await database.run(readRows(selectDue({ name, now, limit })));
      return rows.map((row): PendingDelivery => ({
        receiver: name,
        cursor: row.delivered_cursor,
        attempts: row.attempts,
        change: row.change_cursor === null ? undefined : fromChangeRow(row),
      }));
    },
    async removeDelivery(name, cursor) {
      await database.run(execute(remove({ name, cursor })));
    },
    async recordFailedAttempt(name, cursor, { attempts, problem, retryAt }) {
      const attempt = { name, cursor, attempts, problem };
      await database.run(execute(retryAt === undefined ? bury(attempt) : retry({ ...attempt, retryAt })));
    },
    listReceiverStates: () => database.run(listStates()),
    async listDeadLetters(limit) {
      const rows = await database.run(readRows(selectDead({ limit })));
      return rows.map((row): DeadLetter => ({
        receiver: row.receiver,
        cursor: row.delivered_cursor,
        attempts: row.attempts,
        problem: row.problem as DeliveryProblem,
      }));
    },
  };
}

function toState({ receiver, examined_through, pending, dead }: StateRow): ReceiverState {
  return { name: receiver, through: examined_through, pending: Number(pending), dead: Number(dead) };
}
