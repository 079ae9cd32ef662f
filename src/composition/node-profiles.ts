/** Stores what was learned about RPC nodes, and reads it at the next start. Hints only: a failure changes no response. */
import type { NodeProfileStore, NodeProfiles } from '../ports/node-profiles.ts';
import { nowSeconds, type Log } from '../ports/runtime.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import { createIntervalLoop } from './interval-loop.ts';
import { CLOCK } from './process-time.ts';
import type { Shutdown } from './shutdown.ts';

const INTERVAL_MILLISECONDS = 60_000;

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
  /** Returns the current profiles of all chains. */
  readonly listProfiles: () => NodeProfiles;
}

/** Creates the loop that writes profiles that changed; the last ones are written at shutdown. */
export function createProfileLoop({ store, log, shutdown, listProfiles }: ProfileKeeping): PollLoop {
  const written = new Map<string, string>();

  async function write(): Promise<void> {
    const changed = new Map([...listProfiles()].filter(([hash, text]) => written.get(hash) !== text));
    if (changed.size === 0) return;
    await store.writeNodeProfiles(changed, nowSeconds(CLOCK));
    for (const [hash, text] of changed) written.set(hash, text);
  }

  shutdown.add(() => write().catch(() => undefined));
  return createIntervalLoop({ name: 'node-profiles', intervalMilliseconds: INTERVAL_MILLISECONDS, log, work: write });
}
