/** Tests the PNG renderer: sharing, concurrency, caching and reproducible output. */
import { describe, expect, test } from 'vitest';
import { createImageRenderer, findImageRenderer } from './image-renderer.ts';
import type { Pixels } from './png-encoder.ts';
import { rule } from '../../../test/conformance/rule.ts';

const PIXEL: Pixels = { width: 1, height: 1, pixels: Buffer.alloc(4) };
const always = () => true;

/** Creates a draw function whose calls end when the test says so. */
function createSlowDrawing() {
  const begun: string[] = [];
  const ends: ((end: Pixels | Error) => void)[] = [];
  const draw = (svg: string) =>
    new Promise<Pixels>((resolve, reject) => {
      begun.push(svg);
      ends.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
    });
  return { begun, draw, endNext: (end: Pixels | Error = PIXEL) => ends.shift()!(end) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('createImageRenderer', () => {
  test('renders an image once for concurrent callers and caches it', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const renderer = createImageRenderer({ draw });
    const rendered = [renderer.render('a', always), renderer.render('a', always)];
    await settled();
    endNext();
    const [one, other] = await Promise.all(rendered);
    expect([begun, one === other, await renderer.render('a', always)]).toEqual([['a'], true, one]);
  });

  test('renders at most `concurrency` images at a time, in order', async () => {
    rule('card-image.png');
    const { begun, draw, endNext } = createSlowDrawing();
    const renderer = createImageRenderer({ draw, concurrency: 2 });
    const rendered = ['a', 'b', 'c', 'd'].map((svg) => renderer.render(svg, always));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    endNext();
    await rendered[0];
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    endNext();
    await rendered[1];
    await settled();
    endNext();
    endNext();
    expect((await Promise.all(rendered)).every((png) => png?.subarray(1, 4).toString() === 'PNG')).toBe(true);
  });

  test('skips an image that no caller waits for, unless another caller requests it', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const renderer = createImageRenderer({ draw, concurrency: 1 });
    const first = renderer.render('a', always);
    const [given, taken] = [renderer.render('b', () => false), renderer.render('c', () => false)];
    const again = renderer.render('c', always);
    await settled();
    endNext();
    await first;
    expect(await given).toBeUndefined();
    await settled();
    endNext();
    expect([begun, (await taken) === (await again), (await again)?.length]).toEqual([
      ['a', 'c'],
      true,
      (await first)!.length,
    ]);
  });

  test('rejects for every caller when drawing fails, continues with the queue, and retries on the next call', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const renderer = createImageRenderer({ draw, concurrency: 1 });
    const rendered = [renderer.render('a', always), renderer.render('a', always), renderer.render('b', always)];
    await settled();
    endNext(new Error('no picture'));
    expect((await Promise.allSettled(rendered.slice(0, 2))).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    await settled();
    endNext();
    await rendered[2];
    const again = renderer.render('a', always);
    await settled();
    endNext();
    expect([(await again) !== undefined, begun]).toEqual([true, ['a', 'b', 'a']]);
  });

  test('renders an image again that exceeds the cache', async () => {
    let drawn = 0;
    const renderer = createImageRenderer({ draw: async () => (drawn++, PIXEL), cacheBytes: 10 });
    await renderer.render('a', always);
    await renderer.render('a', always);
    expect(drawn).toBe(2);
  });
});

describe('the native renderer', () => {
  const renderer = findImageRenderer()!;
  const text = (content: string, family: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><rect width="200" height="40" fill="#fff"/><text x="5" y="30" font-size="24" font-family="${family}">${content}</text></svg>`;
  const draw = (svg: string) => renderer.render(svg, always);

  test('returns the same bytes each time, in the size of the SVG', async () => {
    rule('card-image.png');
    const png = (await draw(text('Machine', 'DejaVu Sans')))!;
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([200, 40]);
    const again = await findImageRenderer()!.render(text('Machine', 'DejaVu Sans'), always);
    expect(again!.equals(png)).toBe(true);
  });

  test('uses the bundled font and no system font', async () => {
    const [known, unknown] = [await draw(text('Machine', 'DejaVu Sans')), await draw(text('Machine', 'system-ui'))];
    const blank = await draw(text('', 'DejaVu Sans'));
    expect([known!.equals(blank!), unknown!.equals(known!)]).toEqual([false, true]);
  });

  test('rejects input that is not SVG', async () => {
    await expect(draw('<html>')).rejects.toThrow();
  });
});
