/** Packages that a release delivers: those whose code the bundles contain, and those that are installed beside them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type OutputOptions, type RolldownOptions } from 'rolldown';
import { packageFolderOf } from './programs.ts';

export interface DeliveredPackage {
  /** Path in the lock file. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/**
 * Runs the bundler with the configuration in a folder, as `npm run build` and `npm pack` do. Writes the result to `dist` where
 * it is given. Returns the paths of the packages whose code it contains.
 */
export async function bundle(folder: string, dist?: string): Promise<string[]> {
  // The configuration names inputs and reads files by relative paths.
  process.chdir(folder);
  const configuration = (await import(pathToFileURL(resolve('rolldown.config.js')).href)) as {
    readonly default: readonly RolldownOptions[];
  };
  const packages = new Set<string>();
  for (const { output, ...input } of configuration.default) {
    const { dir, ...form } = output as OutputOptions;
    const build = await rolldown(input);
    const made =
      dist === undefined
        ? await build.generate(form)
        : await build.write({ ...form, dir: join(dist, dir!.slice('dist'.length)) });
    await build.close();
    for (const part of made.output) {
      if (part.type !== 'chunk') continue;
      for (const id of part.moduleIds) {
        const path = packageFolderOf(id);
        if (path !== undefined) packages.add(path);
      }
    }
  }
  return [...packages];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly license?: string }>>;
}

/** Returns the locked packages at these paths, sorted. Throws for a path that the lock file does not have. */
export function findDelivered(source: string, paths: readonly string[]): DeliveredPackage[] {
  const { packages } = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8')) as Lock;
  return [...new Set(paths)].sort().map((path) => {
    const locked = packages[path];
    if (locked === undefined) throw new Error(`the lock file has no ${path}`);
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { path, name, version: locked.version, license: locked.license ?? 'see its text' };
  });
}
