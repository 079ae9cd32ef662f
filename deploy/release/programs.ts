/** Programs that the release runs: git, tar and npm. A program that fails ends the release with its message. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const MAX_OUTPUT_BYTES = 1 << 28;

/** Runs a program and returns its standard output. */
export function runTool(program: string, args: readonly string[], folder: string): Buffer {
  return execFileSync(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}

/** Writes the files of the current commit into a folder, beside its dependencies. Returns the time of the commit in seconds. */
export function checkOut(repository: string, folder: string): number {
  mkdirSync(folder);
  const tar = `${folder}.tar`;
  runTool('git', ['archive', '--output', tar, 'HEAD'], repository);
  runTool('tar', ['--extract', '--file', tar], folder);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return Number(runTool('git', ['log', '-1', '--format=%ct'], repository));
}

/** Writes a folder as an archive that depends on nothing but its contents. */
export function writeArchive(folder: string, file: string, seconds: number): void {
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${seconds}`];
  const modes = '--mode=u+rwX,go+rX,go-w';
  const args = ['--create', ...plain, modes, '--use-compress-program=gzip --no-name', '--file', file];
  runTool('tar', [...args, basename(folder)], dirname(folder));
}

/** Runs npm in a folder. */
export function runNpm(args: readonly string[], folder: string): Buffer {
  return runTool('npm', [...args, '--loglevel=error'], folder);
}

/** Returns the folder of a package within the repository, without what follows. */
export function packageFolderOf(path: string): string | undefined {
  const parts = path.split('/');
  const last = parts.lastIndexOf('node_modules');
  if (last < 0) return undefined;
  const length = parts[last + 1]!.startsWith('@') ? 3 : 2;
  return join(...parts.slice(parts.indexOf('node_modules'), last + length));
}
