/** Preview images checked by their pixels: text appears in its area, and no text crosses the margin. */
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findImageRenderer } from '../src/adapters/png/image-renderer.ts';
import { MAX_MACHINE_ID, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { CardFacts } from '../src/http/images/rating-facts.ts';
import { formatPreview, PREVIEW_SIZE } from '../src/http/images/rating-preview.ts';
import { SAMPLE_FACTS } from '../testing/fixtures/sample-card-facts.ts';
import { rule } from './conformance/rule.ts';

const pictures = findImageRenderer()!;

const FACTS: CardFacts = {
  ...SAMPLE_FACTS,
  scores: Array.from({ length: 90 }, (_, day) => 40 + Math.round(40 * Math.sin(day / 12)) + (day % 7)),
};

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Areas right of the ring: the name, the summary, and the margin beside them. */
const NAME: Area = { left: 460, top: 80, right: 1130, bottom: 150 };
const SUMMARY: Area = { left: 460, top: 215, right: 1130, bottom: 360 };
const MARGIN: Area = { left: 1131, top: 20, right: 1199, bottom: 629 };

async function drawInk(facts: Partial<CardFacts>) {
  const png = (await pictures.render(formatPreview({ ...FACTS, ...facts }), () => true))!;
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PREVIEW_SIZE.width, PREVIEW_SIZE.height]);
  const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
  const background = rows.subarray(1 + 20 * (PREVIEW_SIZE.width * 4 + 1), 5 + 20 * (PREVIEW_SIZE.width * 4 + 1));
  /** Counts the pixels of an area that differ from the background. */
  const inkOf = ({ left, top, right, bottom }: Area) => {
    let count = 0;
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const at = y * (PREVIEW_SIZE.width * 4 + 1) + 1 + x * 4;
        if (!rows.subarray(at, at + 4).equals(background)) count += 1;
      }
    }
    return count;
  };
  return { png, inkOf };
}

describe('a drawn preview', () => {
  test('has text in its areas and none in its margin', async () => {
    const { png, inkOf } = await drawInk({});
    expect([inkOf(NAME) > 1_000, inkOf(SUMMARY) > 2_000, inkOf(MARGIN)]).toEqual([true, true, 0]);
    expect(png.length).toBeLessThan(65_536);
  });

  test.each([
    [
      'the widest facts',
      { id: MAX_MACHINE_ID as MachineId, name: `Machine #${MAX_MACHINE_ID}`, eventCount: 2 ** 53 - 1 },
    ],
    ['endless words', { name: 'W'.repeat(5_000), summary: 'm'.repeat(5_000) }],
    ['many words', { summary: 'largest deduction: short tenure '.repeat(100) }],
    ['characters that the font lacks', { name: '\u{1f600}\u4e2d\u0e01'.repeat(50), summary: '\u{1f600}'.repeat(500) }],
    ['combining marks', { name: `a${'\u0301'.repeat(2_000)}`, summary: `b${'\u0489'.repeat(2_000)}` }],
    [
      'markup',
      { name: '</text></g><rect width="1200" height="630"/>', summary: '<image href="file:///etc/hostname"/>' },
    ],
    ['another reading direction', { name: '\u202e\u2067abc', summary: '\u0627\u0644\u0639 \u202eabc' }],
  ])('stays within its margin for %s', async (_, facts) => {
    rule('card-image.margins');
    const { inkOf } = await drawInk(facts);
    expect(inkOf(MARGIN)).toBe(0);
    // The lines below do not move.
    expect(inkOf({ left: 240, top: 180, right: 260, bottom: 200 })).toBe(
      (await drawInk({})).inkOf({ left: 240, top: 180, right: 260, bottom: 200 }),
    );
  });
});
