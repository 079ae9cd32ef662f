/** Start order of test files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { orderFiles, ORDERED_TESTS } from './run-order.ts';

it('starts the simulation before the suites of the service, long unit tests after them, and others as given', () => {
  const given = [
    'test/service/pages/pages.test.ts',
    'test/service/machines/fleet.test.ts',
    'src/z.test.ts',
    'test/schemas.test.ts',
    'src/a.test.ts',
    'cli/commands/demo.test.ts',
    'test/simulation.test.ts',
  ];
  expect(orderFiles(given, (path) => path)).toEqual([
    'test/simulation.test.ts',
    'test/service/pages/pages.test.ts',
    'test/service/machines/fleet.test.ts',
    'cli/commands/demo.test.ts',
    'test/schemas.test.ts',
    'src/z.test.ts',
    'src/a.test.ts',
  ]);
});

it('names tests that exist', () => {
  expect(ORDERED_TESTS.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
});
