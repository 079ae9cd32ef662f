/** Stores what was learned about RPC nodes, and reads it at the next start. Hints only: a failure changes no response. */
import type { NodeProfileStore, NodeProfiles } from '../ports/node-profiles.ts';
import { nowSeconds, type Clock, type Log } from '../ports/runtime.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import { createIntervalLoop } from './interval-loop.ts';
import { CLOCK } from './process-time.ts';
import type { Shutdown } from './shutdown.ts';

const INTERVAL_MILLISECONDS = 60_000;
/** An unchanged profile is written again after this time, because old ones are deleted. */
const REWRITE_SECONDS = 86_400;

/** Returns the stored profiles; none when the database fails. Never throws. */
export async function readNodeProfiles(store: NodeProfileStore, log: Log): Promise<NodeProfiles> {
  try {
    return await store.readNodeProfiles(nowSeconds(CLOCK));
  } catch {
    log.warn({}, 'the profiles of rpc endpoints could not be read');
    return new Map();
  }
}

export interface ProfileKeeping {
  readonly store: NodeProfileStore;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly clock?: Clock | undefined;
  /** Returns the current profiles of all chains. */
  readonly listProfiles: () => NodeProfiles;
}

/** Creates the loop that writes profiles that have changed; the last ones are written at shutdown. */
export function createProfileLoop({ store, log, shutdown, clock = CLOCK, listProfiles }: ProfileKeeping): PollLoop {
  const written = new Map<string, { readonly text: string; readonly at: number }>();

  async function write(): Promise<void> {
    const now = nowSeconds(clock);
    const isDue = ([hash, text]: readonly [string, string]) => {
      const last = written.get(hash);
      return last?.text !== text || now - last.at >= REWRITE_SECONDS;
    };
    const due = new Map([...listProfiles()].filter(isDue));
    if (due.size === 0) return;
    await store.writeNodeProfiles(due, now);
    for (const [hash, text] of due) written.set(hash, { text, at: now });
  }

  shutdown.add(() => write().catch(() => undefined));
  return createIntervalLoop({ name: 'node-profiles', intervalMilliseconds: INTERVAL_MILLISECONDS, log, work: write });
}
