/**
 * Collector of tests for the in-process runner. Replaces `vitest` while a test file loads, and collects its tests instead of
 * running them, so that one process can run any of them for any mutant. Covers only what the domain's tests use.
 */
import { inspect } from 'node:util';

export { expect, expectTypeOf } from 'vitest';

export interface CollectedTest {
  /** Titles from the outermost suite inwards, with a number when the file has several tests of the same name. */
  readonly name: string;
  readonly run: () => unknown;
}

type Body = (...values: never[]) => unknown;
type Declare = (title: string, ...rest: readonly unknown[]) => void;

let titles: readonly string[] = [];
let collected: CollectedTest[] = [];

/** Returns the tests that `load` declares. */
export async function collectTests(load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  titles = [];
  collected = [];
  await load();
  const count = new Map<string, number>();
  return collected.map(({ name, run }) => {
    const place = (count.get(name) ?? 0) + 1;
    count.set(name, place);
    return { name: place === 1 ? name : `${name} (${place})`, run };
  });
}

export const it = createDeclare((title, body, values) => {
  const name = [...titles, title].join(' › ');
  collected.push({ name, run: () => body(...values) });
});

export const test = it;

export const describe = createDeclare((title, body, values) => {
  const outer = titles;
  titles = [...outer, title];
  body(...values);
  titles = outer;
});

function createDeclare(
  declare: (title: string, body: Body, values: readonly never[]) => void,
): Declare & { readonly each: (rows: readonly unknown[]) => Declare } {
  const bodyOf = (rest: readonly unknown[]) => rest.find((each) => typeof each === 'function') as Body;
  const plain: Declare = (title, ...rest) => declare(title, bodyOf(rest), []);
  const each = (rows: readonly unknown[]): Declare => {
    const isSpread = rows.every(Array.isArray);
    return (title, ...rest) => {
      rows.forEach((row, index) => {
        const values = (isSpread ? row : [row]) as readonly never[];
        declare(formatTitle(title, values, index), bodyOf(rest), values);
      });
    };
  };
  return Object.assign(plain, { each });
}

function formatTitle(title: string, values: readonly unknown[], index: number): string {
  let place = 0;
  const filled = title.replace(/%[sdifjop#]/g, (placeholder) =>
    placeholder === '%#' ? String(index) : show(values[place++]),
  );
  const [first] = values;
  if (typeof first !== 'object' || first === null) return filled;
  return filled.replace(/\$(\w+)/g, (_, name: string) => show((first as Readonly<Record<string, unknown>>)[name]));
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { depth: 0, breakLength: Infinity });
}
