import { once, EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { CommandFailed } from '../exit-codes.ts';
import type { Proposal } from './record-judgement.ts';
import { startWatch } from './watch-loop.ts';

const SOLD: Proposal = {
  subject: 'did:svc:7',
  problem: 'sold',
  text: 'transferred',
  proposal: 'svc attest revoke did:svc:7',
};

it('judges at the interval, shows proposals and counts them in its metrics', async () => {
  const judged = new EventEmitter();
  const results: (readonly Proposal[] | Error)[] = [[SOLD], new CommandFailed('unreachable', 'no node responds'), []];
  const shown: (readonly Proposal[])[] = [];
  const watch = await startWatch({
    async judge() {
      const next = results.shift();
      judged.emit('judged');
      if (next instanceof Error) throw next;
      return next ?? [];
    },
    show: (proposals) => shown.push(proposals),
    intervalSeconds: 1,
    metricsPort: 0,
  });
  const read = async () => (await fetch(`http://127.0.0.1:${watch.metricsPort}/metrics`)).text();
  try {
    expect(shown).toEqual([[SOLD]]);
    expect(await read()).toContain('svc_attest_watch_proposals{problem="sold"} 1\n');
    await once(judged, 'judged');
    await once(judged, 'judged');
    const metrics = await read();
    expect(metrics).toContain('svc_attest_watch_proposals{problem="sold"} 0\n');
    expect(metrics).toContain('svc_attest_watch_failures_total 1\n');
    expect(metrics).toContain('svc_attest_watch_runs_total 2\n');
    expect(metrics).toMatch(/svc_attest_watch_last_run_timestamp_seconds \d{10}\n/);
  } finally {
    await watch.close();
  }
});
