/**
 * How is an SVG drawn, whatever fonts the machine has? With two files of one font and nothing else, away from the event loop, few at once. What
 * draws is loaded with the first picture.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { ImageRenderer } from '../../ports/presentation.ts';
import { ImageCache } from './image-cache.ts';
import { encodePng, type Pixels } from './png-encoder.ts';

/** Each takes some 4 MB while it is drawn, and one of Node's four threads. */
const AT_ONCE = 2;
/** Some 600 pictures. */
const KEPT_BYTES = 16_777_216;
const FONT = 'DejaVu Sans';
const FONT_FILES = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'];
/** Of the packages that draw, and of the way to pack. */
const VERSION = 'resvg-2.6.2 dejavu-2.37.3 deflate-6';

export type Draw = (svg: string) => Promise<Pixels>;

export interface ImageRendererOptions {
  readonly draw: Draw;
  readonly atOnce?: number;
  readonly keptBytes?: number;
}

/** Undefined: what draws or the fonts are not there, and no pictures are drawn. */
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

export function createImageRenderer({ draw, atOnce = AT_ONCE, keptBytes = KEPT_BYTES }: ImageRendererOptions) {
  const kept = new ImageCache(keptBytes);
  const drawing = new Map<string, Drawing>();
  const waiting: (() => void)[] = [];
  let free = atOnce;

  async function takeTurn(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function endTurn(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function drawInTurn(svg: string, key: string, { awaited }: Drawing): Promise<Buffer | undefined> {
    await takeTurn();
    try {
      if (!awaited.some((isAwaited) => isAwaited())) return undefined;
      const picture = await encodePng(await draw(svg));
      kept.add(key, picture);
      return picture;
    } finally {
      drawing.delete(key);
      endTurn();
    }
  }

  return {
    version: VERSION,
    async draw(svg, isAwaited) {
      const key = hash('sha256', svg, 'base64url');
      const known = kept.get(key);
      if (known !== undefined) return known;
      const begun = drawing.get(key);
      if (begun !== undefined) {
        begun.awaited.push(isAwaited);
        return begun.picture;
      }
      const begin: Drawing = { awaited: [isAwaited], picture: undefined };
      drawing.set(key, begin);
      return (begin.picture = drawInTurn(svg, key, begin));
    },
  } satisfies ImageRenderer;
}

interface Drawing {
  /** Of everyone who asked for it. */
  readonly awaited: (() => boolean)[];
  picture: Promise<Buffer | undefined> | undefined;
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

/** The part that is made for this platform is an optional package beside the one that loads it; looked for, because to load it takes time and memory. */
function hasRenderer(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    const loader = dirname(resolve('@resvg/resvg-js/package.json'));
    return readdirSync(dirname(loader)).some((name) => name.startsWith(`resvg-js-${process.platform}-${process.arch}`));
  } catch {
    return false;
  }
}
