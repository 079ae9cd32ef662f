/** PNG encoder (W3C PNG, 3rd edition). Compresses in Node's worker threads, off the event loop. */
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const compress = promisify(deflate);

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 4;
/** IHDR fields: bit depth 8, color type RGBA, compression 0, filter 0, no interlacing. */
const FORMAT = [8, 6, 0, 0, 0];
const LEVEL = 6;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, row by row from the top. */
  readonly pixels: Buffer;
}

/** Encodes RGBA pixels as PNG. */
export async function encodePng({ width, height, pixels }: Pixels): Promise<Buffer> {
  const rowLength = width * BYTES_PER_PIXEL;
  // Each row starts with its filter type, 0 for none.
  const rows = Buffer.alloc((rowLength + 1) * height);
  for (let y = 0; y < height; y++) {
    pixels.copy(rows, y * (rowLength + 1) + 1, y * rowLength, (y + 1) * rowLength);
  }
  const head = Buffer.alloc(8 + FORMAT.length);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(FORMAT, 8);
  const data = await compress(rows, { level: LEVEL });
  return Buffer.concat([SIGNATURE, ...chunk('IHDR', head), ...chunk('IDAT', data), ...chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer[] {
  const name = Buffer.from(type, 'latin1');
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(data, crc32(name)));
  return [length, name, data, checksum];
}
