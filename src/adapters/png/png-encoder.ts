/** How do pixels become a PNG? (W3C PNG, 3rd edition.) Packed by Node's own threads, so that nothing else waits for it. */
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const pack = promisify(deflate);

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 4;
/** Bits of a colour; red, green, blue and alpha; and the one way each to pack, to filter and to interlace: not at all. */
const FORM = [8, 6, 0, 0, 0];
const LEVEL = 6;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha; row by row from the top. */
  readonly pixels: Buffer;
}

export async function encodePng({ width, height, pixels }: Pixels): Promise<Buffer> {
  const rowLength = width * BYTES_PER_PIXEL;
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((rowLength + 1) * height);
  for (let y = 0; y < height; y++) {
    pixels.copy(rows, y * (rowLength + 1) + 1, y * rowLength, (y + 1) * rowLength);
  }
  const head = Buffer.alloc(8 + FORM.length);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(FORM, 8);
  const data = await pack(rows, { level: LEVEL });
  return Buffer.concat([SIGNATURE, ...chunk('IHDR', head), ...chunk('IDAT', data), ...chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer[] {
  const name = Buffer.from(type, 'latin1');
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(data, crc32(name)));
  return [length, name, data, checksum];
}
