import { describe, expect, test } from 'vitest';
import { createImageRenderer, findImageRenderer } from './image-renderer.ts';
import type { Pixels } from './png-encoder.ts';
import { rule } from '../../../test/conformance/rule.ts';

const PIXEL: Pixels = { width: 1, height: 1, pixels: Buffer.alloc(4) };
const always = () => true;

/** Draws when it is told to. */
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

describe('pictures', () => {
  test('are drawn once for all who ask, and kept', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const maker = createImageRenderer({ draw });
    const asked = [maker.draw('a', always), maker.draw('a', always)];
    await settled();
    endNext();
    const [one, other] = await Promise.all(asked);
    expect([begun, one === other, await maker.draw('a', always)]).toEqual([['a'], true, one]);
  });

  test('are drawn few at once, the others in their turn', async () => {
    rule('card-image.png');
    const { begun, draw, endNext } = createSlowDrawing();
    const maker = createImageRenderer({ draw, atOnce: 2 });
    const asked = ['a', 'b', 'c', 'd'].map((svg) => maker.draw(svg, always));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    endNext();
    await asked[0];
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    endNext();
    await asked[1];
    await settled();
    endNext();
    endNext();
    expect((await Promise.all(asked)).every((png) => png?.subarray(1, 4).toString() === 'PNG')).toBe(true);
  });

  test('that nobody waits for any more are not drawn, but for somebody who asks again', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const maker = createImageRenderer({ draw, atOnce: 1 });
    const first = maker.draw('a', always);
    const [given, taken] = [maker.draw('b', () => false), maker.draw('c', () => false)];
    const again = maker.draw('c', always);
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

  test('that cannot be drawn fail for all who ask, give their turn to others, and are tried again', async () => {
    const { begun, draw, endNext } = createSlowDrawing();
    const maker = createImageRenderer({ draw, atOnce: 1 });
    const asked = [maker.draw('a', always), maker.draw('a', always), maker.draw('b', always)];
    await settled();
    endNext(new Error('no picture'));
    expect((await Promise.allSettled(asked.slice(0, 2))).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await settled();
    endNext();
    await asked[2];
    const again = maker.draw('a', always);
    await settled();
    endNext();
    expect([(await again) !== undefined, begun]).toEqual([true, ['a', 'b', 'a']]);
  });

  test('that there is no room for are drawn anew', async () => {
    let drawn = 0;
    const maker = createImageRenderer({ draw: async () => (drawn++, PIXEL), keptBytes: 10 });
    await maker.draw('a', always);
    await maker.draw('a', always);
    expect(drawn).toBe(2);
  });
});

describe('the one that draws', () => {
  const maker = findImageRenderer()!;
  const text = (content: string, family: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><rect width="200" height="40" fill="#fff"/><text x="5" y="30" font-size="24" font-family="${family}">${content}</text></svg>`;
  const draw = (svg: string) => maker.draw(svg, always);

  test('gives the same bytes each time, in the size that the text names', async () => {
    rule('card-image.png');
    const png = (await draw(text('Machine', 'DejaVu Sans')))!;
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([200, 40]);
    const anew = await findImageRenderer()!.draw(text('Machine', 'DejaVu Sans'), always);
    expect(anew!.equals(png)).toBe(true);
  });

  test('knows the one font and none of the system', async () => {
    const [known, unknown] = [await draw(text('Machine', 'DejaVu Sans')), await draw(text('Machine', 'system-ui'))];
    const blank = await draw(text('', 'DejaVu Sans'));
    expect([known!.equals(blank!), unknown!.equals(known!)]).toEqual([false, true]);
  });

  test('refuses what is no SVG', async () => {
    await expect(draw('<html>')).rejects.toThrow();
  });
});
