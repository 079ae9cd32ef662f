/** Bootstrap of the commands, in a small package of its own with an `npm` that writes down how it is called. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Installs what the lock file names; `npm-fails` in the folder makes it fail, `npm-waits` makes it wait for a line. */
const FAKE_NPM = `#!${process.execPath}
const { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
if (existsSync('npm-fails')) process.exit(1);
if (existsSync('npm-waits')) readFileSync('npm-waits');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const isLeftOut = ([path, { os }]) => path === '' || os?.includes(process.platform) === false;
const installed = Object.fromEntries(Object.entries(packages).filter((entry) => !isLeftOut(entry)));
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
`;

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

const LOCK: Lock = {
  '': {},
  'node_modules/served': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-c', optional: true, os: ['none'] },
};
const LOCK_WITHOUT_TOOL = omit(LOCK, 'node_modules/tool');
const TOOLS_FOLDER: Lock = {
  'native-tools': { version: '0.0.0', dev: true, optionalDependencies: { native: '1.0.0' } },
  'node_modules/native-tools': { link: true },
};
const NATIVE = { version: '1.0.0', integrity: 'sha512-d', optional: true, os: [process.platform] };

function omit(packages: Lock, path: string): Lock {
  return Object.fromEntries(Object.entries(packages).filter(([each]) => each !== path));
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  for (const name of ['bin', 'cli', 'npm']) mkdirSync(join(folder, name));
  for (const name of ['svc', 'run.js', 'bootstrap.js']) {
    cpSync(join(import.meta.dirname, name), join(folder, 'bin', name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'npm', 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(folder, 'npm', 'npm'), FAKE_NPM);
  chmodSync(join(folder, 'npm', 'npm'), 0o755);
  const program = 'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 3;';
  writeFileSync(join(folder, 'cli', 'svc.ts'), program);
  writeLock(LOCK);
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeLock(packages: Lock): void {
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
}

/** Pretends that an earlier `npm ci` installed these packages. */
function writeInstalled(packages: Lock): void {
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: omit(packages, '') }));
}

function listNpmCalls(): string[] {
  const path = join(folder, 'npm-calls');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

function start(script: 'svc' | 'run.js', args: readonly string[]) {
  const path = [join(folder, 'npm'), dirname(process.execPath)].join(delimiter);
  return spawn(process.execPath, [join(folder, 'bin', script), ...args], {
    cwd: tmpdir(),
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function finish(started: ReturnType<typeof start>) {
  const texts = [started.stdout, started.stderr].map(async (stream) =>
    (await stream.setEncoding('utf8').toArray()).join(''),
  );
  const [code] = (await once(started, 'close')) as [number | null];
  const [stdout, stderr] = await Promise.all(texts);
  return { code, stdout, stderr };
}

const runTool = (...args: string[]) => finish(start('run.js', ['cli/svc.ts', ...args]));
const runSvc = (...args: string[]) => finish(start('svc', args));

const INSTALLING = 'installing dependencies (npm ci); this takes a minute or two\n';
const NPM_FOR_TOOLS = 'ci --loglevel=error --include=dev';

it('installs when node_modules is missing', async () => {
  expect(await runTool()).toEqual({ code: 3, stdout: '[]\n', stderr: `cli/svc.ts: ${INSTALLING}` });
  expect(listNpmCalls()).toEqual([NPM_FOR_TOOLS]);
  expect(await runSvc()).toEqual({ code: 3, stdout: '[]\n', stderr: '' });
  expect(listNpmCalls()).toHaveLength(1);
});

it('installs before svc runs when node_modules is missing', async () => {
  expect(await runSvc('--help')).toEqual({ code: 3, stdout: '["--help"]\n', stderr: `svc: ${INSTALLING}` });
  expect(listNpmCalls()).toEqual(['ci --loglevel=error']);
});

it('installs when an earlier npm ci was interrupted', async () => {
  mkdirSync(join(folder, 'node_modules'));
  expect(await runTool()).toMatchObject({ code: 3, stderr: `cli/svc.ts: ${INSTALLING}` });
});

it('installs when the lock of node_modules is cut short', async () => {
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{ "packages": {');
  expect(await runTool()).toMatchObject({ code: 3, stderr: `cli/svc.ts: ${INSTALLING}` });
});

it('does not install when node_modules comes from a plain npm ci of the same lock file', async () => {
  writeInstalled(omit(LOCK, 'node_modules/other-platform'));
  expect(await runTool('--a', '-b=c d')).toEqual({ code: 3, stdout: '["--a","-b=c d"]\n', stderr: '' });
  expect(await runSvc()).toEqual({ code: 3, stdout: '[]\n', stderr: '' });
  expect(listNpmCalls()).toEqual([]);
});

describe('after the lock file changed', () => {
  const served = LOCK['node_modules/served']!;

  it.each<[string, Lock]>([
    ['the version of a package', { ...LOCK, 'node_modules/served': { ...served, version: '1.0.1' } }],
    ['the hash of a package', { ...LOCK, 'node_modules/served': { ...served, integrity: 'sha512-e' } }],
    ['a new package', { ...LOCK, 'node_modules/new': { version: '1.0.0' } }],
    ['a removed package', LOCK_WITHOUT_TOOL],
    [
      'a new optional package of the manifest that fits this platform',
      { ...LOCK, '': { optionalDependencies: { native: '1.0.0' } }, 'node_modules/native': NATIVE },
    ],
    [
      'a new optional package of a folder with its own manifest',
      { ...LOCK, ...TOOLS_FOLDER, 'node_modules/native': { ...NATIVE, dev: true } },
    ],
  ])('installs again, once: %s', async (_change, changed) => {
    writeInstalled(LOCK);
    writeLock(changed);
    expect(await runTool()).toMatchObject({ code: 3, stderr: `cli/svc.ts: ${INSTALLING}` });
    expect(await runSvc()).toEqual({ code: 3, stdout: '[]\n', stderr: '' });
    expect(listNpmCalls()).toEqual([NPM_FOR_TOOLS]);
  });
});

it('starts svc without development dependencies, and installs them for a tool', async () => {
  writeLock({ ...LOCK, ...TOOLS_FOLDER, 'node_modules/native': { ...NATIVE, dev: true } });
  // npm lists the folder also where it omits its packages.
  writeInstalled({ ...LOCK_WITHOUT_TOOL, 'native-tools': TOOLS_FOLDER['native-tools']! });
  expect(await runSvc()).toMatchObject({ code: 3, stderr: '' });
  expect(listNpmCalls()).toEqual([]);
  await runTool();
  expect(listNpmCalls()).toEqual([NPM_FOR_TOOLS]);
});

it.each([
  ['svc', [], 'svc'],
  ['run.js', ['cli/svc.ts'], 'cli/svc.ts'],
] as const)('%s reports that npm ci failed, and runs nothing', async (script, args, name) => {
  writeFileSync(join(folder, 'npm-fails'), '');
  const failure = 'npm ci failed, so the dependencies are incomplete; see the error above, then run the command again';
  const stderr = `${name}: ${INSTALLING}${name}: ${failure}\n`;
  expect(await finish(start(script, args))).toEqual({ code: 1, stdout: '', stderr });
});

it('reports a tool that does not exist', async () => {
  writeInstalled(LOCK);
  const stderr = 'run: there is no node_modules/.bin/nothing\n';
  expect(await finish(start('run.js', ['nothing']))).toEqual({ code: 1, stdout: '', stderr });
});

it.each([
  ['svc', []],
  ['run.js', ['cli/svc.ts']],
] as const)('%s stops its program when npm, its parent, dies without forwarding a signal', async (script, args) => {
  writeInstalled(LOCK);
  const program = `process.on('SIGTERM', () => { console.log('stopped'); process.exit(); });
console.log('started'); setInterval(() => undefined, 60_000);`;
  writeFileSync(join(folder, 'cli', 'svc.ts'), program);
  const command = JSON.stringify([join(folder, 'bin', script), ...args]);
  const parent = `require('node:child_process').spawn(process.execPath, ${command}, { stdio: 'inherit' });`;
  const npm = spawn(process.execPath, ['--input-type=commonjs', '-e', parent], {
    env: { npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  // The output ends when the last process that writes to it has ended.
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line);
    if (line === 'started') npm.kill('SIGKILL');
  }
  expect(lines).toEqual(['started', 'stopped']);
});

describe.runIf(process.platform === 'linux')('two starts at the same time', () => {
  const WAITING = 'waiting for another process that installs the dependencies\n';
  let first: ReturnType<typeof start>;
  let second: ReturnType<typeof start>;

  beforeEach(async () => {
    const [code] = (await once(spawn('mkfifo', [join(folder, 'npm-waits')]), 'exit')) as [number];
    expect(code).toBe(0);
    first = start('svc', ['1']);
    await once(first.stderr, 'readable');
    second = start('svc', ['2']);
    await once(second.stderr, 'readable');
  });

  it('install once', async () => {
    const finished = Promise.all([finish(first), finish(second)]);
    writeFileSync(join(folder, 'npm-waits'), '');
    expect(await finished).toEqual([
      { code: 3, stdout: '["1"]\n', stderr: `svc: ${INSTALLING}` },
      { code: 3, stdout: '["2"]\n', stderr: `svc: ${WAITING}` },
    ]);
    expect(listNpmCalls()).toHaveLength(1);
  });

  it('let the second install when the first is stopped', async () => {
    const finished = Promise.all([finish(first), finish(second)]);
    first.kill('SIGTERM');
    await once(first, 'exit');
    writeFileSync(join(folder, 'npm-waits'), '');
    expect(await finished).toEqual([
      { code: null, stdout: '', stderr: `svc: ${INSTALLING}` },
      { code: 3, stdout: '["2"]\n', stderr: `svc: ${WAITING}svc: ${INSTALLING}` },
    ]);
  });
});
