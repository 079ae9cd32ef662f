/**
 * Parser for JSON of an untrusted node, of the size that its method allows. A long text is parsed in several ticks of the
 * event loop, which is not blocked for longer than a part takes; a single string is never divided.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTick } from 'node:timers/promises';
import { parseJson } from '../../domain/json/json-values.ts';
import { JsonParts } from './json-parts.ts';
import { JsonScan } from './json-scan.ts';
import { createSemaphore } from '../../domain/semaphore.ts';

/** Text that is parsed in one tick: some milliseconds. */
const BYTES_PER_TICK = 512 * 1024;

/** Long texts are parsed one by one: together they would block the event loop, and take the memory of all. */
const inTurn = createSemaphore(1);

/** Returns the parsed value; undefined if the body is refused or is not JSON. */
export async function parseNodeJson(body: Buffer | string, bytesPerTick = BYTES_PER_TICK): Promise<unknown> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length > bytesPerTick) return inTurn(() => parseInTicks(bytes, bytesPerTick));
  return isUtf8(bytes) && new JsonScan(bytes).moveTo(bytes.length) ? parseJson(bytes.toString()) : undefined;
}

async function parseInTicks(bytes: Buffer, bytesPerTick: number): Promise<unknown> {
  if (!isUtf8(bytes)) return undefined;
  const scan = new JsonScan(bytes);
  const parts = new JsonParts(bytes, scan);
  while (parts.moveTo(scan.at + bytesPerTick)) {
    if (scan.isAtEnd) return parts.finish();
    await nextTick();
  }
  return undefined;
}
