/**
 * Selection of the fast tests: the unit tests that start no process and take little time. A test is left out when the files that it imports, at any
 * depth, lead to a module that starts processes; `fast-setup.ts` refuses what this static check cannot see.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const STARTS_PROCESSES = ['node:child_process', 'node:cluster', 'playwright-core'];

/** Tests that take the most processor time, from about 4 s each: exhaustive cases, fuzzing, key derivation, the compiler of contracts. */
export const SLOW_TESTS: readonly string[] = [
  'cli/replay/replay.test.ts',
  'contracts/artifacts.test.ts',
  'src/domain/evidence/certificate/certificate-fuzz.test.ts',
  'src/http/routes/monetization.test.ts',
  'src/http/routes/verify-record.test.ts',
  'src/indexing/alt/event-faults.test.ts',
  'test/chip-challenge.test.ts',
  'test/chip-json-classes.test.ts',
  'test/evidence-requests.test.ts',
  'test/payment-verdicts.test.ts',
];

/** Imports and re-exports of values, and dynamic imports. Types are erased and count for nothing. */
const IMPORT = /^(?:import|export)\b(?! type)[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm;

/** Returns the paths of the fast tests, from the root of the repository. */
export function listFastTests(patterns: readonly string[]): string[] {
  const tests = globSync(patterns, { cwd: ROOT }).filter((path) => !SLOW_TESTS.includes(path));
  return selectFastTests(tests, (path) => {
    const file = join(ROOT, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  });
}

/** Returns those of `tests` that start no process; `read` returns the text of a file, empty when it does not exist. */
export function selectFastTests(tests: readonly string[], read: (path: string) => string): string[] {
  const imports = new Map<string, readonly string[]>();
  const listImports = (path: string) => {
    const known = imports.get(path) ?? parseImports(path, read(path));
    imports.set(path, known);
    return known;
  };
  return tests
    .filter((test) => {
      const reached = new Set([test]);
      for (const path of reached) {
        for (const name of listImports(path)) {
          if (STARTS_PROCESSES.includes(name)) return false;
          if (/\.tsx?$/.test(name)) reached.add(name);
        }
      }
      return true;
    })
    .toSorted();
}

/** Returns paths from the root for relative imports, else the names of modules. */
function parseImports(path: string, text: string): string[] {
  const names = Array.from(text.matchAll(IMPORT), ([, ...groups]) => groups.find(Boolean)!);
  return names.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name));
}
