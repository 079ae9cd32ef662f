/**
 * Worker thread that reads large responses in place and returns what is needed of them in one buffer. Posting objects
 * would cost the main thread as much as parsing the response.
 */
import { parentPort } from 'node:worker_threads';
import { readEntries } from './large-responses.ts';
import { PACKED_RESULTS, type PackedResultName } from './packed-results.ts';

export interface ReadingJob {
  readonly job: number;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Ids of the calls, with the kind of their result; undefined for a result that is returned as text. */
  readonly kinds: ReadonlyMap<number, PackedResultName | undefined>;
}

/** Place of an entry in the buffer of a reading. */
export interface PlacedEntry {
  readonly id: number;
  readonly kind: PackedResultName | 'result' | 'error';
  readonly from: number;
  readonly end: number;
}

export interface Reading {
  readonly job: number;
  /** Undefined: the body has another form. */
  readonly entries: readonly PlacedEntry[] | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function read({ job, body, kinds }: ReadingJob): Reading {
  const readers = new Map(Array.from(kinds, ([id, kind]) => [id, kind && PACKED_RESULTS[kind].read] as const));
  const found = readEntries(Buffer.from(body.buffer, body.byteOffset, body.length), readers);
  if (found === undefined) return { job, entries: undefined, bytes: new Uint8Array() };
  const parts: { readonly id: number; readonly kind: PlacedEntry['kind']; readonly bytes: Buffer }[] = [];
  for (const [id, entry] of found) {
    if (entry.kind === 'read') {
      const kind = kinds.get(id)!;
      parts.push({ id, kind, bytes: PACKED_RESULTS[kind].pack(entry.value) });
    } else parts.push({ id, kind: entry.kind, bytes: entry.text });
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  const entries: PlacedEntry[] = [];
  let from = 0;
  for (const part of parts) {
    bytes.set(part.bytes, from);
    const end = from + part.bytes.length;
    entries.push({ id: part.id, kind: part.kind, from, end });
    from = end;
  }
  return { job, entries, bytes };
}

parentPort?.on('message', (job: ReadingJob) => {
  const reading = read(job);
  parentPort!.postMessage(reading, [reading.bytes.buffer]);
});
