/** Client package of a release, with license, notices and the addresses of source and pages in its manifest. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './programs.ts';

export interface PackageFacts {
  readonly repository: string;
  readonly homepage: string;
  readonly notice: string;
}

/** Packs the client of the sources in `source` into the folder `to`. */
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
