/** Setup of the fast tests: refuses to start a process, and fails a file that takes too long to be among them. */
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/** Of processor time, which load stretches less than the time of the wall. Far above what any fast test takes. */
const LIMIT_SECONDS = 20;

function refuse(): never {
  throw new Error('a fast test starts no process: run it with the unit tests (test/fast-tests.ts)');
}

// Every asynchronous function of the module calls this one.
Object.assign(ChildProcess.prototype, { spawn: refuse });
Object.assign(childProcess, { spawnSync: refuse, execFileSync: refuse, execSync: refuse });
syncBuiltinESMExports();

const before = process.cpuUsage();

afterAll(() => {
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (seconds > LIMIT_SECONDS) throw new Error(`${seconds} s of processor time: name this file in SLOW_TESTS`);
});
