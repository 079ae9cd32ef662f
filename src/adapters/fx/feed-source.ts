/**
 * Reader of the feed in `FX_SOURCE`: a file, or an http(s) URL without redirects. Bounded in size and time.
 */
import { createReadStream } from 'node:fs';

import type { FxProblem } from '../../ports/rates.ts';

export interface FeedLimits {
  readonly timeoutMilliseconds: number;
  readonly maxBytes: number;
}

/** Default limits; the full history in XML is about 8 MB. */
export const FEED_LIMITS: FeedLimits = { timeoutMilliseconds: 30_000, maxBytes: 32 * 1024 * 1024 };

/** Error of a feed that could not be read. */
export class FeedFailed extends Error {
  readonly problem: FxProblem;

  constructor(problem: FxProblem) {
    super(problem);
    this.name = 'FeedFailed';
    this.problem = problem;
  }
}

/** Reads the current text of the feed. Throws `FeedFailed`. */
export type ReadFeed = () => Promise<string>;

/** Creates the reader of a source: an http(s) URL, a path or a `file:` URL. */
export function createFeedReader(
  source: string,
  fetch: typeof globalThis.fetch,
  limits: FeedLimits = FEED_LIMITS,
): ReadFeed {
  const open = /^https?:\/\//i.test(source) ? openUrl : openFile;
  return async () => {
    const signal = AbortSignal.timeout(limits.timeoutMilliseconds);
    try {
      return await collectText(await open(source, signal, fetch), limits.maxBytes);
    } catch (error) {
      if (error instanceof FeedFailed) throw error;
      throw new FeedFailed(signal.aborted ? 'timeout' : 'unreachable');
    }
  };
}

type Chunks = AsyncIterable<Uint8Array>;

async function openUrl(url: string, signal: AbortSignal, fetch: typeof globalThis.fetch): Promise<Chunks> {
  const response = await fetch(url, { signal, redirect: 'manual' });
  if (response.status === 200 && response.body !== null) return response.body;
  await response.body?.cancel();
  throw new FeedFailed('http-status');
}

function openFile(path: string, signal: AbortSignal): Chunks {
  return createReadStream(/^file:/i.test(path) ? new URL(path) : path, { signal });
}

async function collectText(chunks: Chunks, maxBytes: number): Promise<string> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new FeedFailed('too-large');
    collected.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(collected));
  } catch {
    throw new FeedFailed('malformed');
  }
}
