/** Finds files of the shipped folders that no program reaches: test support that looks like production code, or dead code. */
import { isWithin } from './import-table.ts';
import type { SourceFile } from './source-file.ts';

/** The command, its worker, the entries of the client package, and the pages: the inputs of the two `rolldown.config.js`. */
const PROGRAMS = [
  'cli/svc.ts',
  'src/adapters/main-chain/rpc/large-response-worker.ts',
  'client/client.ts',
  'client/monetization.ts',
  'client/evidence.ts',
  'explorer/page.tsx',
];

/** Folders whose files are parts of these programs. */
const SHIPPED = ['src', 'cli', 'client', 'explorer'];

/** Returns one violation per file; declarations of types count as reached. */
export function findTestOnlyFiles(files: readonly SourceFile[]): string[] {
  const importsByPath = new Map(files.map(({ path, imports }) => [path, imports]));
  const reached = new Set<string>();
  const waiting = [...PROGRAMS];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(importsByPath.get(path) ?? []));
  }
  return files
    .map(({ path }) => path)
    .filter((path) => SHIPPED.some((folder) => isWithin(path, folder)))
    .filter((path) => !/\.(test|d)\.tsx?$/.test(path) && !reached.has(path))
    .map((path) => `${path}: no program reaches it: test support belongs in testing/`);
}
