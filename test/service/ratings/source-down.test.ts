/** A payment source that does not answer: verdicts on its citations are pending, and everything else is as without it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { waitUntilSettled } from '../settled.ts';

const { machines, sources } = inject('fixtures');
const env = inject('devnetEnv');
const UNAFFECTED = findMachine(machines, 'sold-and-proven');
const CITING = findMachine(machines, 'source-down');

let folder: string;
let proxied: ProxiedService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'source-down-'));
  const configured = JSON.parse(readFileSync(env['SOURCES_FILE']!, 'utf8')) as Record<string, object>;
  const down = { rpc: [sources.down.rpcUrl], tokens: { USDC: sources.main.token.toLowerCase() } };
  const file = join(folder, 'sources.json');
  writeFileSync(file, JSON.stringify({ ...configured, [sources.down.name]: down }));
  proxied = await startProxiedService({ SOURCES_FILE: file });
});
afterAll(async () => {
  await proxied.close();
  rmSync(folder, { recursive: true });
});

it('leaves its citations pending, and rates the machine as declared', async () => {
  rule('service.score-follows-events');
  const { verdicts, ...rating } = CITING.settled!;
  const pending = verdicts.declared - 1;
  await waitUntilSettled(proxied.service.url, {
    did: CITING.did,
    settled: { ...rating, verdicts: { ...verdicts, declared: 1, pending } },
  });
  const { events } = (await fetchChecked(`${proxied.service.url}/machines/${CITING.id}/events?limit=100`)).json<{
    events: { verdict: string | null; class: string | null; source: string | null; paid_cents: number }[];
  }>();
  expect(events.filter(({ verdict }) => verdict === 'pending')).toHaveLength(pending);
  for (const { verdict, paid_cents } of events) expect([verdict === 'paid', paid_cents]).toEqual([false, 0]);
});

it('does not delay the verdicts on payments of other sources', async () => {
  await waitUntilSettled(proxied.service.url, UNAFFECTED);
});
