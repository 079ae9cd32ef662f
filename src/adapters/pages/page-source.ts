/**
 * Source of the explorer's static assets. A built service reads the files that `npm run build` put beside the bundle. A working
 * tree bundles `explorer/` in memory with the first page request, so that the assets are never stale.
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
const DIGEST_CHARACTERS = 12;

const compress = promisify(gzip);

/** Returns the source; undefined if neither built assets nor sources exist, so that no pages are served. */
export function createPageSource(): PageSource | undefined {
  const isBuilt = existsSync(BUILT);
  if (!isBuilt && !existsSync(SOURCES)) return undefined;
  let loading: Promise<StaticAssets> | undefined;
  return {
    load() {
      loading ??= isBuilt ? readBuilt() : bundleSources();
      return loading;
    },
  };
}

async function readBuilt(): Promise<StaticAssets> {
  return toPageFiles(await readFile(join(BUILT, 'page.js')), BUILT);
}

async function bundleSources(): Promise<StaticAssets> {
  const { bundlePages } = await import('./page-bundle.ts');
  return toPageFiles(Buffer.from(await bundlePages(SOURCES)), SOURCES);
}

/** Combines the script with the stylesheet and icon of `folder`. */
async function toPageFiles(script: Buffer, folder: string): Promise<StaticAssets> {
  const [style, icon] = await Promise.all([readFile(join(folder, 'page.css')), readFile(join(folder, 'icon.svg'))]);
  return {
    script: await toPageFile('page', 'js', 'text/javascript; charset=utf-8', script),
    style: await toPageFile('page', 'css', 'text/css; charset=utf-8', style),
    icon: await toPageFile('icon', 'svg', 'image/svg+xml', icon),
  };
}

async function toPageFile(stem: string, extension: string, contentType: string, content: Buffer): Promise<StaticAsset> {
  const digest = hash('sha256', content, 'base64url').slice(0, DIGEST_CHARACTERS);
  return { name: `${stem}-${digest}.${extension}`, contentType, content, gzipped: await compress(content) };
}
