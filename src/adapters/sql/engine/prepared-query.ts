/**
 * Prepared queries: a statement is compiled once with placeholders for its values. Its text stays the same string, by which drivers
 * look up their prepared statement.
 */
import { sql, type Compilable, type RawBuilder } from 'kysely';
import type { Query, SqlValue } from './sql-program.ts';

declare const kind: unique symbol;

/** Type of a placeholder's value. */
export interface ParameterType<T extends SqlValue> {
  readonly [kind]?: T;
}

export const integer: ParameterType<number> = {};
export const text: ParameterType<string> = {};
export const bytes: ParameterType<Uint8Array> = {};

type ValueOf<K> = K extends ParameterType<infer T> ? T : never;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles a query of the given parameters; the returned function binds values to it. */
export function prepareQuery<Kinds extends Readonly<Record<string, ParameterType<SqlValue>>>, Row>(
  kinds: Kinds,
  build: (parameters: { readonly [K in keyof Kinds]: RawBuilder<ValueOf<Kinds[K]>> }) => Compilable<Row>,
): (values: { readonly [K in keyof Kinds]: ValueOf<Kinds[K]> }) => Query<Row> {
  const placeholders = Object.fromEntries(Object.keys(kinds).map((name) => [name, sql`${new Placeholder(name)}`]));
  const compiled = build(placeholders as Parameters<typeof build>[0]).compile();
  return (values) => ({
    sql: compiled.sql,
    parameters: compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name]! : (parameter as SqlValue),
    ),
  });
}
