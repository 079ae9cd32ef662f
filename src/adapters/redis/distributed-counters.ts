/**
 * How do replicas count together? In Redis or Valkey, one key per address and path that ends with its window. What is asked in one turn of the event loop
 * is one script and one round trip. A server that fails is left alone until it answers again, and nobody waits for it meanwhile.
 */
import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Log, DistributedCounters } from '../../ports/runtime.ts';

/** Longer than a healthy server ever takes, shorter than callers notice. */
const ANSWER_MILLISECONDS = 250;
const CONNECT_MILLISECONDS = 2_000;
const ASK_AGAIN_MILLISECONDS = 1_000;
/** A script holds the server up while it runs. */
const MAX_KEYS = 500;
const KEY_PREFIX = 'svc:rate:';
/** 128 bits, so that no two keys are ever one; addresses and paths are not told to the server. */
const KEY_LETTERS = 22;

/** KEYS: what is counted. ARGV: limit and window of each. Answers 0, or the milliseconds until the window ends, of each. */
const COUNT_ALL = `
local answers = {}
for i = 1, #KEYS do
  local limit, window = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local left = redis.call('PTTL', KEYS[i])
  if left < 0 then
    redis.call('SET', KEYS[i], 1, 'PX', window)
    answers[i] = 0
  elseif tonumber(redis.call('GET', KEYS[i])) < limit then
    redis.call('INCR', KEYS[i])
    answers[i] = 0
  else
    answers[i] = math.max(left, 1)
  end
end
return answers
`;

interface Waiting {
  readonly key: string;
  readonly limit: number;
  readonly windowMilliseconds: number;
  readonly resolve: (answer: number | undefined) => void;
}

type CountAll = (keyCount: number, ...keysAndValues: (string | number)[]) => Promise<number[]>;

/** Connects in the background; counts nothing until the server has answered once. */
export function createDistributedCounters(url: string, log: Log): DistributedCounters {
  const client = new Redis(url, {
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: ANSWER_MILLISECONDS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => ASK_AGAIN_MILLISECONDS,
    scripts: { countAll: { lua: COUNT_ALL } },
  });
  const countAll = (client as unknown as { countAll: CountAll }).countAll.bind(client);
  let isUp = false;
  let failures = 0;
  let waiting: Waiting[] = [];

  function note(isUpNow: boolean): void {
    if (isUpNow === isUp) return;
    isUp = isUpNow;
    if (isUp) log.info({}, 'requests are counted by all replicas together');
    else log.warn({}, 'shared counters do not answer; this replica counts alone');
  }

  async function ask(): Promise<void> {
    if (isUp) return;
    await client.ping().then(
      () => note(true),
      () => undefined,
    );
  }

  async function send(batch: readonly Waiting[]): Promise<void> {
    const keys = batch.map(({ key }) => key);
    const values = batch.flatMap(({ limit, windowMilliseconds }) => [limit, windowMilliseconds]);
    try {
      const answers = await countAll(keys.length, ...keys, ...values);
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
    } catch {
      failures += batch.length;
      note(false);
      for (const { resolve } of batch) resolve(undefined);
    }
  }

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MAX_KEYS) void send(all.slice(from, from + MAX_KEYS));
  }

  // Without a listener its text, which holds the URL, would be printed.
  client.on('error', () => note(false));
  client.on('close', () => note(false));
  client.on('ready', () => void ask());
  const asking = setInterval(() => void ask(), ASK_AGAIN_MILLISECONDS).unref();

  return {
    isUp: () => isUp,
    increment(key, limit, windowMilliseconds) {
      return new Promise((resolve) => {
        if (waiting.length === 0) setImmediate(flush);
        const name = KEY_PREFIX + hash('sha256', key, 'base64url').slice(0, KEY_LETTERS);
        waiting.push({ key: name, limit, windowMilliseconds, resolve });
      });
    },
    failures: () => failures,
    async close() {
      clearInterval(asking);
      client.removeAllListeners('close');
      client.disconnect();
    },
  };
}
