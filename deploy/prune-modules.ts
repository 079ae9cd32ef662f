/**
 * Removes from `node_modules` what the built service does not load, for the image: `node deploy/prune-modules.ts [FOLDER]`.
 * The bundle contains all other packages. Prints the packages that stay.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that the bundle leaves out, without the maker of the pages, which are built: see rolldown.config.js. */
export const LOADED = [
  '@resvg/resvg-js',
  'better-sqlite3',
  'dejavu-fonts-ttf',
  'pg',
  'pino',
  'pino-pretty',
  'secp256k1',
];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Sources of native code, which a binary replaces. */
const SOURCES = ['better-sqlite3/deps', 'better-sqlite3/src', 'secp256k1/src'];

if (import.meta.main) {
  const modules = join(process.argv[2] ?? '.', 'node_modules');
  const needed = listNeeded(modules);
  for (const name of readdirSync(modules)) removeUnneeded(modules, name, needed);
  removeSources(modules);
  process.stdout.write(`${[...needed].sort().join('\n')}\n`);
}

/** Returns the loaded packages and all that they depend on. Throws when one is missing. */
export function listNeeded(modules: string): ReadonlySet<string> {
  const needed = new Set(LOADED);
  for (const name of needed) {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(modules, name, 'package.json'), 'utf8'),
    ) as Manifest;
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // An optional package of another platform, or one inside the package that needs it.
      if (existsSync(join(modules, each))) needed.add(each);
    }
  }
  return needed;
}

/** Removes the sources of native code. */
export function removeSources(modules: string): void {
  for (const folder of SOURCES) rmSync(join(modules, folder), { recursive: true, force: true });
}

/** Removes an entry of `node_modules` that is not needed; of a scope, its packages. */
function removeUnneeded(modules: string, name: string, needed: ReadonlySet<string>): void {
  const isScopeNeeded = name.startsWith('@') && [...needed].some((each) => each.startsWith(`${name}/`));
  if (isScopeNeeded) {
    for (const each of readdirSync(join(modules, name))) removeUnneeded(modules, `${name}/${each}`, needed);
  } else if (!needed.has(name)) rmSync(join(modules, name), { recursive: true });
}
