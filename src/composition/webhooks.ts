/** Opens the webhooks of `WATCH_FILE` (docs/decisions/changes.md): the receivers, which a reload replaces, and the worker that sends. */
import { readWatchFile, type Receiver } from '../adapters/webhooks/watch-file.ts';
import { createWebhookSender, type WebhookSender } from '../adapters/webhooks/webhook-sender.ts';
import type { Config, ConfigReading } from '../config.ts';
import {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from '../indexing/webhooks/webhook-worker.ts';
import { CLOCK, TIMERS } from './process-time.ts';
import type { ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';

export interface Webhooks {
  /** Runs in the leader. */
  readonly worker: WebhookWorker;
  /** Replaces the receivers by those of the file. Logs any problem, and applies nothing then. */
  reload(reading: ConfigReading): Promise<void>;
}

type WebhookStart = Pick<ServiceStart, 'config' | 'store' | 'log' | 'shutdown'>;

/** Opens the webhooks. Undefined: none are configured. Throws `StartRefused` for an invalid file. */
export async function openWebhooks(
  { config, store, log, shutdown }: WebhookStart,
  formatBody: WebhookWorkerOptions['formatBody'],
): Promise<Webhooks | undefined> {
  if (config.watchFile === undefined) return undefined;
  let current = await load(config, config.watchFile);
  shutdown.add(() => current.sender.close());
  const worker = createWebhookWorker({
    store,
    receivers: { list: () => current.receivers, send: (name, message) => current.sender.send(name, message) },
    formatBody,
    random: Math.random,
    clock: CLOCK,
    timers: TIMERS,
    log,
  });
  return {
    worker,
    async reload({ config: next, problems }) {
      if (problems.length > 0 || next.watchFile === undefined) return;
      try {
        const replaced = current;
        current = await load(next, next.watchFile);
        log.info({ receivers: current.receivers.length }, 'receivers of webhooks reloaded');
        await replaced.sender.close();
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error;
        for (const problem of error.problems) log.warn({ problem }, 'receivers of webhooks not reloaded');
      }
    },
  };
}

async function load(
  { namespace }: Config,
  path: string,
): Promise<{ readonly receivers: readonly Receiver[]; readonly sender: WebhookSender }> {
  const { receivers, problems } = await readWatchFile(path, namespace);
  if (problems !== undefined) throw new StartRefused(problems);
  return { receivers, sender: createWebhookSender(receivers, { clock: CLOCK }) };
}
