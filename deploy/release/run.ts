/**
 * Builds the release of the current commit: `npm run release -- --repository URL --homepage URL [--to FOLDER]`.
 * Writes the archive of the service for this platform, the image where a container engine runs, the client packages, the bill
 * of materials, the licenses of all delivered packages, the notes, and the checksums of all of them. Only committed files are
 * read, and times are those of the commit, so that the same commit gives the same checksums.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listNeeded, removeSources } from '../prune-modules.ts';
import { renderBill } from './bill-of-materials.ts';
import { packClient, packGoClient, packPythonClient } from './client-package.ts';
import { bundle, findDelivered } from './delivered-packages.ts';
import { buildImage, toArchiveDockerfile } from './image.ts';
import { renderNotice } from './notice.ts';
import { checkOut, writeArchive } from './programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MODULES = join(ROOT, 'node_modules');
const PLATFORM = `${process.platform}-${process.arch}`;

/** Committed files that the archive contains besides what is built. */
const SHIPPED = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'deploy', 'docs', 'package.json'];
/** Parts of them that only the repository uses. */
const UNSHIPPED = /\/deploy\/(?:release|check\.sh)(?:\/|$)|\.ts$/;

/** Result of a compiler on this machine; the package has a binary for every platform. */
const COMPILED = join(MODULES, 'better-sqlite3/build');

const START = `#!/bin/sh
exec node --max-semi-space-size=2 -- "$(dirname "$(readlink -f "$0")")/../dist/svc.js" "$@"
`;

const { values: options } = parseArgs({
  options: { repository: { type: 'string' }, homepage: { type: 'string' }, to: { type: 'string' } },
});
const { repository, homepage } = options;
if (!isHttps(repository) || !isHttps(homepage)) {
  process.stderr.write(
    'release: the client packages name the address of their source and of their pages; pass --repository URL and --homepage URL\n',
  );
  process.exit(2);
}

const to = resolve(options.to ?? join(ROOT, 'dist/release'));
const scratch = mkdtempSync(join(tmpdir(), 'release-'));
try {
  await release({ repository, homepage });
} finally {
  rmSync(scratch, { recursive: true });
}

function isHttps(text: string | undefined): text is string {
  return URL.parse(text ?? '')?.protocol === 'https:';
}

async function release(addresses: { readonly repository: string; readonly homepage: string }): Promise<void> {
  const source = join(scratch, 'source');
  const seconds = checkOut(ROOT, source);
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  const title = `${name}-${version}`;
  const archive = join(scratch, title);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });

  const needed = listNeeded(MODULES);
  const bundled = await bundle(source, join(archive, 'dist'));
  const delivered = findDelivered(source, [...bundled, ...[...needed].map((each) => `node_modules/${each}`)]);
  const written = {
    NOTICE: renderNotice(delivered, ROOT),
    'sbom.cdx.json': renderBill(source, delivered, seconds),
    'INSTALL.md': readFileSync(join(source, 'deploy/release/INSTALL.md'), 'utf8')
      .replaceAll('VERSION', version)
      .replaceAll('PLATFORM', PLATFORM),
    'CHANGELOG.md': readFileSync(join(source, 'CHANGELOG.md'), 'utf8'),
  };
  fillArchive(source, archive, needed);
  for (const [file, text] of Object.entries(written)) {
    writeFileSync(join(archive, file), text);
    writeFileSync(join(to, file), text);
  }
  writeArchive(archive, join(to, `${title}-${PLATFORM}.tar.gz`), seconds);
  const inClient = findDelivered(source, await bundle(join(source, 'client')));
  const facts = { ...addresses, notice: renderNotice(inClient, ROOT) };
  packClient(source, to, facts);
  // The wheel's files have the time of the commit.
  process.env['SOURCE_DATE_EPOCH'] = String(seconds);
  packPythonClient(source, to, facts);
  packGoClient(source, to, version, seconds);
  const image = buildImage(archive, join(to, `${title}-${PLATFORM}-image.tar`), `${name}:${version}`);
  const files = readdirSync(to).sort();
  writeFileSync(join(to, 'SHA256SUMS'), files.map((file) => `${hashOf(join(to, file))}  ${file}\n`).join(''));
  process.stdout.write(`${files.join('\n')}\nSHA256SUMS\n${image}\n`);
}

/** Adds everything to the archive's folder that is neither built nor rendered. */
function fillArchive(source: string, archive: string, needed: ReadonlySet<string>): void {
  for (const each of SHIPPED) {
    cpSync(join(source, each), join(archive, each), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !UNSHIPPED.test(path.slice(source.length)),
    });
  }
  for (const each of needed) {
    cpSync(join(MODULES, each), join(archive, 'node_modules', each), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => path !== COMPILED,
    });
  }
  removeSources(join(archive, 'node_modules'));
  mkdirSync(join(archive, 'bin'));
  writeFileSync(join(archive, 'bin/svc'), START);
  chmodSync(join(archive, 'bin/svc'), 0o755);
  const dockerfile = readFileSync(join(source, 'Dockerfile'), 'utf8');
  writeFileSync(join(archive, 'Dockerfile'), toArchiveDockerfile(dockerfile));
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
