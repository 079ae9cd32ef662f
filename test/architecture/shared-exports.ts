/** Finds names that two files of `src` export, so that a name has one meaning wherever it is read. */
import type { SourceFile } from './source-file.ts';

/** Returns one violation per name; a name that is exported again from where it is defined counts once. */
export function findSharedExports(files: readonly SourceFile[]): string[] {
  const production = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
  const definitions = production.flatMap(({ path, exports }) => exports.map((name) => ({ path, name })));
  return [...Map.groupBy(definitions, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name} is exported by ${places.map(({ path }) => path).join(' and ')}`);
}
