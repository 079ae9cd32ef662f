/** Client packages of a release, with license and, where the manifest can name them, the addresses of source and pages. */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm, runTool, writeArchive } from './programs.ts';

export interface PackageFacts {
  readonly repository: string;
  readonly homepage: string;
  readonly notice: string;
}

/** Packs the client for JavaScript of the sources in `source` into the folder `to`. */
export function packClient(source: string, to: string, { repository, homepage, notice }: PackageFacts): void {
  const folder = join(source, 'client');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly files: string[] };
  const named = {
    ...manifest,
    files: [...manifest.files, 'NOTICE'],
    homepage,
    repository: { type: 'git', url: repository, directory: 'client' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(named, undefined, 2)}\n`);
  writeFileSync(join(folder, 'NOTICE'), notice);
  cpSync(join(source, 'LICENSE'), join(folder, 'LICENSE'));
  runNpm(['pack', '--pack-destination', to], folder);
}

/** Builds the wheel of the client for Python. */
export function packPythonClient(source: string, to: string, { repository, homepage }: PackageFacts): void {
  const folder = join(source, 'clients/python');
  const urls = { Homepage: homepage, Repository: repository };
  const lines = Object.entries(urls).map(([name, url]) => `${name} = ${JSON.stringify(url)}`);
  appendFileSync(join(folder, 'pyproject.toml'), `\n[project.urls]\n${lines.join('\n')}\n`);
  cpSync(join(source, 'LICENSE'), join(folder, 'LICENSE'));
  runTool('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', to, '.'], folder);
}

/** Archives the module for Go, whose manifest has neither version nor addresses. */
export function packGoClient(source: string, to: string, version: string, seconds: number): void {
  const folder = join(source, `svcos-client-go-${version}`);
  cpSync(join(source, 'clients/go'), folder, { recursive: true });
  cpSync(join(source, 'LICENSE'), join(folder, 'LICENSE'));
  writeArchive(folder, join(to, `svcos-client-go-${version}.tar.gz`), seconds);
}
