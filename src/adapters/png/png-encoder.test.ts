/** Tests the PNG encoder with an independent decoder. */
import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodePng } from './png-encoder.ts';

/** Splits a PNG into chunks and checks their CRCs. */
function chunksOf(png: Buffer): (readonly [type: string, data: Buffer])[] {
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end)]);
    at = end + 4;
  }
  return chunks;
}

test('encodePng() stores every pixel in unfiltered rows', async () => {
  const pixels = Buffer.from(Array.from({ length: 2 * 3 * 4 }, (_, index) => index * 10));
  const png = await encodePng({ width: 2, height: 3, pixels });
  expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
  const [[, head], [, data], [, end]] = chunksOf(png) as [
    readonly [string, Buffer],
    readonly [string, Buffer],
    readonly [string, Buffer],
  ];
  expect(chunksOf(png).map(([type]) => type)).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect([...head]).toEqual([0, 0, 0, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0]);
  expect([...inflateSync(data)]).toEqual([0, 8, 16].flatMap((from) => [0, ...pixels.subarray(from, from + 8)]));
  expect(end).toHaveLength(0);
});
