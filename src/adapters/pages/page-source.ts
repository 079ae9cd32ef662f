/**
 * Source of the explorer's static assets. A built service reads the files that `npm run build` put beside the bundle. A working
 * tree bundles `explorer/` in memory with the first page request, so that the assets are never stale.
 */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StaticAsset, StaticAssets, PageSource } from '../../ports/presentation.ts';
import type { PageScript } from './page-bundle.ts';

const BUILT = join(import.meta.dirname, 'explorer');
const SOURCES = join(import.meta.dirname, '..', '..', '..', 'explorer');
const FIRST_SCRIPT = /^page-[^.]+\.js$/;
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

/** Finds the script that a page loads first. Throws where there is none. */
export function findFirstScript<T extends { readonly name: string }>(scripts: readonly T[]): T {
  const first = scripts.find(({ name }) => FIRST_SCRIPT.test(name));
  if (first === undefined) throw new Error('the pages have no first script');
  return first;
}

async function readBuilt(): Promise<StaticAssets> {
  const names = (await readdir(BUILT)).filter((name) => name.endsWith('.js'));
  const scripts = names.map(async (name) => ({ name, code: await readFile(join(BUILT, name), 'utf8') }));
  return toStaticAssets(await Promise.all(scripts), BUILT);
}

async function bundleSources(): Promise<StaticAssets> {
  const { bundlePages } = await import('./page-bundle.ts');
  return toStaticAssets(await bundlePages(SOURCES), SOURCES);
}

/** Combines the scripts with the stylesheet and icon of `folder`. */
async function toStaticAssets(scripts: readonly PageScript[], folder: string): Promise<StaticAssets> {
  const [style, icon] = await Promise.all([readFile(join(folder, 'page.css')), readFile(join(folder, 'icon.svg'))]);
  const modules = await Promise.all(
    scripts.map(({ name, code }) => toAsset(name, 'text/javascript; charset=utf-8', Buffer.from(code))),
  );
  const script = findFirstScript(modules);
  return {
    script,
    parts: modules.filter((module) => module !== script),
    style: await toAsset(`page-${digest(style)}.css`, 'text/css; charset=utf-8', style),
    icon: await toAsset(`icon-${digest(icon)}.svg`, 'image/svg+xml', icon),
  };
}

function digest(content: Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, DIGEST_CHARACTERS);
}

async function toAsset(name: string, contentType: string, content: Buffer): Promise<StaticAsset> {
  return { name, contentType, content, gzipped: await compress(content) };
}
