/**
 * Runs a tool of `node_modules` by its name, or a file of this repository by its path, after installing what is missing:
 * `node bin/run.js TOOL|FILE [argument…]`. Arguments, output, signals and the exit code pass through unchanged.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { endWithNpm, fail, findNode, installDependencies, ROOT, run } from './bootstrap.js';

const [tool, ...args] = process.argv.slice(2);
if (tool === undefined) fail('run', 'name a tool or a file: node bin/run.js TOOL|FILE [argument…]');

endWithNpm();
await installDependencies(tool, { tools: true });
process.exitCode = await run(findNode(tool), ['--', findFile(tool), ...args], { stdio: 'inherit' });

function findFile(name) {
  const path = name.includes('/') ? name : join('node_modules', '.bin', name);
  try {
    return realpathSync(join(ROOT, path));
  } catch {
    return fail('run', `there is no ${path}`);
  }
}
