/**
 * PNG rendering of SVG off the event loop, with limited concurrency. Uses two files of one font and no system fonts, so that the
 * output does not depend on the host. The native renderer is loaded with the first image.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createSemaphore } from '../../domain/semaphore.ts';
import type { ImageRenderer } from '../../ports/presentation.ts';
import { ImageCache } from './image-cache.ts';
import { encodePng, type Pixels } from './png-encoder.ts';

/** Each rendering takes about 4 MB and one of Node's four worker threads. */
const CONCURRENCY = 2;
/** About 600 images. */
const CACHE_BYTES = 16_777_216;
const FONT = 'DejaVu Sans';
const FONT_FILES = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'];
/** Versions of the renderer and font, and the compression level; part of the image's ETag. */
const VERSION = 'resvg-2.6.2 dejavu-2.37.3 deflate-6';

export type Draw = (svg: string) => Promise<Pixels>;

export interface ImageRendererOptions {
  readonly draw: Draw;
  readonly concurrency?: number;
  readonly cacheBytes?: number;
}

/** Returns the renderer; undefined if the native package or the fonts are not installed. */
export function findImageRenderer(): ImageRenderer | undefined {
  const fontFiles = findFonts();
  if (fontFiles === undefined || !hasRenderer()) return undefined;
  return createImageRenderer({
    async draw(svg) {
      const { renderAsync } = await import('@resvg/resvg-js');
      return renderAsync(svg, {
        font: { loadSystemFonts: false, fontFiles, defaultFontFamily: FONT },
        logLevel: 'off',
      });
    },
  });
}

/** Creates a renderer that renders at most `concurrency` images at a time and caches the results. */
export function createImageRenderer({
  draw,
  concurrency = CONCURRENCY,
  cacheBytes = CACHE_BYTES,
}: ImageRendererOptions) {
  const cache = new ImageCache(cacheBytes);
  const pending = new Map<string, PendingImage>();
  const enter = createSemaphore(concurrency);

  async function renderAwaited(svg: string, key: string, { callers }: PendingImage): Promise<Buffer | undefined> {
    try {
      if (!callers.some((isAwaited) => isAwaited())) return undefined;
      const image = await encodePng(await draw(svg));
      cache.set(key, image);
      return image;
    } finally {
      pending.delete(key);
    }
  }

  return {
    version: VERSION,
    async render(svg, isAwaited) {
      const key = hash('sha256', svg, 'base64url');
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const shared = pending.get(key);
      if (shared !== undefined) {
        shared.callers.push(isAwaited);
        return shared.image;
      }
      const created: PendingImage = { callers: [isAwaited], image: undefined };
      pending.set(key, created);
      return (created.image = enter(() => renderAwaited(svg, key, created)));
    },
  } satisfies ImageRenderer;
}

interface PendingImage {
  /** Whether each caller still waits. */
  readonly callers: (() => boolean)[];
  image: Promise<Buffer | undefined> | undefined;
}

function findFonts(): string[] | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    const files = FONT_FILES.map((name) => resolve(`dejavu-fonts-ttf/ttf/${name}`));
    return files.every((file) => existsSync(file)) ? files : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the optional package for this platform is installed, without loading it, which takes time and memory. */
function hasRenderer(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    const loader = dirname(resolve('@resvg/resvg-js/package.json'));
    return readdirSync(dirname(loader)).some((name) => name.startsWith(`resvg-js-${process.platform}-${process.arch}`));
  } catch {
    return false;
  }
}
