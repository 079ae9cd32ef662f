/**
 * Reads large responses in one worker thread, which starts with the first of them and is replaced when it fails. Bodies
 * that wait for it are bounded in bytes.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ResponseEntry } from './large-responses.ts';
import type { Reading, ReadingJob } from './large-response-worker.ts';
import { PACKED_RESULTS, type PackedResultName } from './packed-results.ts';

/** A body could not be read: the worker failed, or too many bodies wait for it. */
export class LargeReadingFailed extends Error {
  /** Whether the body may be the cause: the worker failed while it read it. */
  readonly isOfBody: boolean;

  constructor(isOfBody: boolean) {
    super();
    this.isOfBody = isOfBody;
  }
}

export interface LargeResponseReader {
  /**
   * Reads a body, which is transferred and cannot be used afterwards. Returns the entries by id; undefined when the
   * body has another form. Throws `LargeReadingFailed`.
   */
  read(
    body: Buffer<ArrayBuffer>,
    kinds: ReadonlyMap<number, PackedResultName | undefined>,
  ): Promise<ReadonlyMap<number, ResponseEntry> | undefined>;
  /** Ends the worker; waiting reads fail. */
  close(): Promise<void>;
}

/** Longest body that is read on the main thread. */
export const MAX_INLINE_BYTES = 256 * 1024;

const MAX_WAITING_BYTES = 96 * 1024 * 1024;
/** Memory of the worker's objects; bodies and results are outside of it. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };

/** The same extension in sources and in a build. */
const WORKER_FILE = new URL(`./large-response-worker${extname(import.meta.filename)}`, import.meta.url);

interface WaitingRead {
  readonly bytes: number;
  readonly resolve: (reading: Reading) => void;
  readonly reject: (error: Error) => void;
}

export function createLargeResponseReader(file: URL = WORKER_FILE): LargeResponseReader {
  const waiting = new Map<number, WaitingRead>();
  let waitingBytes = 0;
  let lastJob = 0;
  let worker: Worker | undefined;
  let isClosed = false;

  function finish(job: number): WaitingRead | undefined {
    const read = waiting.get(job);
    waiting.delete(job);
    waitingBytes -= read?.bytes ?? 0;
    // An idle worker does not keep the process alive.
    if (waiting.size === 0) worker?.unref();
    return read;
  }

  function start(): Worker {
    const started = new Worker(file, { execArgv: [], resourceLimits: LIMITS });
    started.on('message', (reading: Reading) => finish(reading.job)?.resolve(reading));
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (worker === started) worker = undefined;
      // The worker reads the bodies in order.
      for (const [i, job] of [...waiting.keys()].entries()) finish(job)!.reject(new LargeReadingFailed(i === 0));
    });
    return started;
  }

  return {
    async read(body, kinds) {
      if (isClosed || waitingBytes + body.length > MAX_WAITING_BYTES) throw new LargeReadingFailed(false);
      worker ??= start();
      worker.ref();
      const job = ++lastJob;
      const { entries, bytes } = await new Promise<Reading>((resolve, reject) => {
        waiting.set(job, { bytes: body.length, resolve, reject });
        waitingBytes += body.length;
        worker!.postMessage({ job, body, kinds } satisfies ReadingJob, [body.buffer]);
      });
      const packed = Buffer.from(bytes.buffer);
      return (
        entries &&
        new Map(
          entries.map(({ id, kind, from, end }): [number, ResponseEntry] => {
            const text = packed.subarray(from, end);
            if (kind === 'result' || kind === 'error') return [id, { kind, text }];
            return [id, { kind: 'read', value: PACKED_RESULTS[kind].unpack(text) }];
          }),
        )
      );
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
