/**
 * Start order of the files of `npm test`. A clone without results of an earlier run starts large files first, so that long tests in small
 * files would run alone at the end.
 */

/** Needs a processor for minutes. It runs beside the suites of `service`, which mostly wait. */
const FIRST_TEST = 'test/simulation.test.ts';

/** Unit tests that start before the others, longest first. */
const LONG_TESTS = [
  'cli/commands/demo.test.ts',
  'src/adapters/sql/store.postgres.test.ts',
  'test/verify-campaigns.test.ts',
  'test/provider-matrix.test.ts',
  'cli/commands/monetize.test.ts',
  'src/adapters/sql/store.sqlite.test.ts',
  'cli/commands/serve.test.ts',
  'test/schemas.test.ts',
  'contracts/artifacts.test.ts',
  'cli/svc.test.ts',
];

export const ORDERED_TESTS: readonly string[] = [FIRST_TEST, ...LONG_TESTS];

/** Returns the files in the order in which they start. `pathOf` returns the path of a file from the root of the repository. */
export function orderFiles<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File) => {
    const path = pathOf(file);
    if (path === FIRST_TEST) return 0;
    if (path.startsWith('test/service/')) return 1;
    const place = LONG_TESTS.indexOf(path);
    return 2 + (place === -1 ? LONG_TESTS.length : place);
  };
  return files.toSorted((a, b) => rank(a) - rank(b));
}
