/**
 * Distributed rate-limit counters in Redis or Valkey: one key per address and path, which expires with its window. Increments of one
 * tick are batched into one script and one round trip. A failed server is not used until it responds to a ping, and no request
 * waits for it meanwhile.
 */
import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Log, DistributedCounters } from '../../ports/runtime.ts';

/** Longer than a healthy server takes, shorter than callers notice. */
const COMMAND_TIMEOUT_MILLISECONDS = 250;
const CONNECT_TIMEOUT_MILLISECONDS = 2_000;
const PROBE_INTERVAL_MILLISECONDS = 1_000;
/** Keys per script; a script blocks the server while it runs. */
const MAX_KEYS = 500;
const KEY_PREFIX = 'svc:rate:';
/** 128 bits of a hash: collision-free, and hides addresses and paths from the server. */
const KEY_CHARACTERS = 22;

/** KEYS: the counters. ARGV: limit and window of each. Returns for each 0, or the milliseconds until its window ends. */
const COUNT_ALL = `
local results = {}
for i = 1, #KEYS do
  local limit, window = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local left = redis.call('PTTL', KEYS[i])
  if left < 0 then
    redis.call('SET', KEYS[i], 1, 'PX', window)
    results[i] = 0
  elseif tonumber(redis.call('GET', KEYS[i])) < limit then
    redis.call('INCR', KEYS[i])
    results[i] = 0
  else
    results[i] = math.max(left, 1)
  end
end
return results
`;

interface PendingIncrement {
  readonly key: string;
  readonly limit: number;
  readonly windowMilliseconds: number;
  readonly resolve: (remainingMilliseconds: number | undefined) => void;
}

type CountAll = (keyCount: number, ...keysAndValues: (string | number)[]) => Promise<number[]>;

/** Connects in the background; `isUp` stays false until the server has responded once. */
export function createDistributedCounters(url: string, log: Log): DistributedCounters {
  const client = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MILLISECONDS,
    commandTimeout: COMMAND_TIMEOUT_MILLISECONDS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => PROBE_INTERVAL_MILLISECONDS,
    scripts: { countAll: { lua: COUNT_ALL } },
  });
  const countAll = (client as unknown as { countAll: CountAll }).countAll.bind(client);
  let isUp = false;
  let failures = 0;
  let pending: PendingIncrement[] = [];

  function setUp(isUpNow: boolean): void {
    if (isUpNow === isUp) return;
    isUp = isUpNow;
    if (isUp) log.info({}, 'distributed rate limiting is active');
    else log.warn({}, 'distributed rate limiting is unavailable; this replica counts alone');
  }

  async function probe(): Promise<void> {
    if (isUp) return;
    await client.ping().then(
      () => setUp(true),
      () => undefined,
    );
  }

  async function send(batch: readonly PendingIncrement[]): Promise<void> {
    const keys = batch.map(({ key }) => key);
    const values = batch.flatMap(({ limit, windowMilliseconds }) => [limit, windowMilliseconds]);
    try {
      const results = await countAll(keys.length, ...keys, ...values);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
    } catch {
      failures += batch.length;
      setUp(false);
      for (const { resolve } of batch) resolve(undefined);
    }
  }

  function flush(): void {
    const all = pending;
    pending = [];
    for (let from = 0; from < all.length; from += MAX_KEYS) void send(all.slice(from, from + MAX_KEYS));
  }

  // Without a listener, ioredis would print the error, whose text contains the URL.
  client.on('error', () => setUp(false));
  client.on('close', () => setUp(false));
  client.on('ready', () => void probe());
  const probing = setInterval(() => void probe(), PROBE_INTERVAL_MILLISECONDS).unref();

  return {
    isUp: () => isUp,
    increment(key, limit, windowMilliseconds) {
      return new Promise((resolve) => {
        if (pending.length === 0) setImmediate(flush);
        const name = KEY_PREFIX + hash('sha256', key, 'base64url').slice(0, KEY_CHARACTERS);
        pending.push({ key: name, limit, windowMilliseconds, resolve });
      });
    },
    failures: () => failures,
    close() {
      clearInterval(probing);
      client.removeAllListeners('close');
      client.disconnect();
      return Promise.resolve();
    },
  };
}
