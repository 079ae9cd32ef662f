/** Prepared queries from SQL text that both databases accept, where the text is shorter than its construction. */
import { sql, type RawBuilder } from 'kysely';
import type { Dialect } from './dialect.ts';
import { prepareQuery, type ParameterType } from './prepared-query.ts';
import type { Query, SqlValue } from './sql-program.ts';

/** Template tag for the text of a query; its values are the parameters. */
export type SqlText = (text: TemplateStringsArray, ...values: readonly unknown[]) => RawBuilder<unknown>;

type Kinds = Readonly<Record<string, ParameterType<SqlValue>>>;
type Values<K extends Kinds> = { readonly [N in keyof K]: K[N] extends ParameterType<infer T> ? T : never };

/** Returns a function that prepares the text of a query with rows of type `Row`. */
export function prepareText({ builder }: Dialect) {
  return <Row = unknown>() =>
    <K extends Kinds>(
      kinds: K,
      build: (tag: SqlText, parameters: Readonly<Record<keyof K, RawBuilder<unknown>>>) => RawBuilder<unknown>,
    ): ((values: Values<K>) => Query<Row>) =>
      prepareQuery<K, Row>(kinds, (parameters) => ({
        compile: () => build(sql, parameters).compile(builder),
      }));
}
