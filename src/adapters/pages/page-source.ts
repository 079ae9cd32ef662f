/**
 * Where do the files of the explorer come from? From beside the bundle where `npm run build` has put them; in a working tree they are made
 * from `explorer/` when the first page is asked for, in memory, so that they are never out of date.
 */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StaticAsset, StaticAssets, PageSource } from '../../ports/presentation.ts';

const BUILT = join(import.meta.dirname, 'explorer');
const SOURCES = join(import.meta.dirname, '..', '..', '..', 'explorer');
const NAME_CHARACTERS = 12;

const compress = promisify(gzip);

/** Undefined: neither the files nor their sources are there, and no pages are served. */
export function createPageSource(): PageSource | undefined {
  const isBuilt = existsSync(BUILT);
  if (!isBuilt && !existsSync(SOURCES)) return undefined;
  let loading: Promise<StaticAssets> | undefined;
  return {
    load() {
      loading ??= isBuilt ? readBuilt() : makeFromSources();
      return loading;
    },
  };
}

async function readBuilt(): Promise<StaticAssets> {
  return toPageFiles(await readFile(join(BUILT, 'page.js')), BUILT);
}

async function makeFromSources(): Promise<StaticAssets> {
  const { bundlePages } = await import('./page-bundle.ts');
  return toPageFiles(Buffer.from(await bundlePages(SOURCES)), SOURCES);
}

/** `folder` holds what needs no making. */
async function toPageFiles(script: Buffer, folder: string): Promise<StaticAssets> {
  const [style, icon] = await Promise.all([readFile(join(folder, 'page.css')), readFile(join(folder, 'icon.svg'))]);
  return {
    script: await toPageFile('page', 'js', 'text/javascript; charset=utf-8', script),
    style: await toPageFile('page', 'css', 'text/css; charset=utf-8', style),
    icon: await toPageFile('icon', 'svg', 'image/svg+xml', icon),
  };
}

async function toPageFile(stem: string, extension: string, contentType: string, content: Buffer): Promise<StaticAsset> {
  const digest = hash('sha256', content, 'base64url').slice(0, NAME_CHARACTERS);
  return { name: `${stem}-${digest}.${extension}`, contentType, content, gzipped: await compress(content) };
}
