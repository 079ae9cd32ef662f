/** Work of a service after its first start: it follows the payments of a year, and observes every machine for the feed of changes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MachineFixture } from '../../devnet/fixtures.ts';

const POLL_MILLISECONDS = 250;
/** A year of payments is followed at the start. */
const JUDGED_WITHIN_MILLISECONDS = 300_000;

interface Verdicts {
  readonly pending: number;
}

/** Resolves when the worker of changes has observed every machine: until then it reads machines without a request. */
export async function untilObserved(url: string): Promise<void> {
  const isOpen = async () => {
    const { opened_at: openedAt } = (await (await fetch(`${url}/changes`)).json()) as { readonly opened_at: unknown };
    return openedAt !== null;
  };
  while (!(await isOpen())) await delay(POLL_MILLISECONDS);
}

/** Resolves when no verdict on a payment of the machines is pending. Throws after a time that covers a slow machine. */
export async function untilJudged(url: string, machines: readonly MachineFixture[]): Promise<void> {
  const until = AbortSignal.timeout(JUDGED_WITHIN_MILLISECONDS);
  const paid = machines.filter(({ settled }) => settled !== null);
  for (const { did } of paid) {
    const isJudged = async () => {
      const response = await fetch(`${url}/mcr/${did}/explanation`);
      const { evidence } = (await response.json()) as { readonly evidence?: { readonly verdicts: Verdicts } };
      return evidence?.verdicts.pending === 0;
    };
    while (!(await isJudged())) {
      if (until.aborted) throw new Error(`verdicts on payments of ${did} are pending`);
      await delay(POLL_MILLISECONDS);
    }
  }
}
