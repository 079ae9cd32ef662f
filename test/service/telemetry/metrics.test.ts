/** `/metrics` of a running service (decisions 4): on the admin port only, correct, and without secrets. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { StartRefused } from '../../../src/composition/start-refused.ts';
import { PROXY_KEY } from '../../../testing/harness/rpc-proxy.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { untilObserved } from '../first-work.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';

const POLL_MILLISECONDS = 100;

let proxied: ProxiedService;
let adminPort: number;
beforeAll(async () => {
  adminPort = await findFreePort();
  // Everything is configured, so that every metric exists; nothing listens at the counter store.
  const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
  proxied = await startProxiedService({ ADMIN_PORT: String(adminPort), REDIS_URL: redisUrl, RATE_LIMITS: 'on' });
  // The heads of payment sources are read by a loop.
  while (!(await scrape()).includes('svc_payment_source_head_age_seconds{')) await delay(POLL_MILLISECONDS);
});
afterAll(() => proxied.close());

async function scrape(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
}

/** Returns the metrics and the fixed labels that rules and dashboard select. */
function listSelected(): string[] {
  const files = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/dashboards/machine-rating.json'];
  const texts = files.map((path) =>
    readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').replaceAll('\\"', '"'),
  );
  const selectors = texts
    .join('\n')
    .matchAll(/\b((?:svc|http|process|nodejs)_[a-z0-9_]+)\{job="machine-rating",?([^}]*)\}/g);
  return [...new Set([...selectors].map(([, name, labels]) => (labels === '' ? name! : `${name!}{${labels!}}`)))];
}

/** Returns whether the text has a sample of the metric with these labels among others. */
function hasSample(text: string, selected: string): boolean {
  const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(selected)!;
  const samples = text.split('\n').filter((line) => line.startsWith(`${name!} `) || line.startsWith(`${name!}{`));
  // Each alternative of a regular expression must exist.
  const wanted = labels.replace(/=~"([^"]*)"/, '="$1"');
  const alternatives = /="([^"]*\|[^"]*)"/.exec(wanted)?.[1]?.split('|') ?? [''];
  return alternatives.every((value) => {
    const own = wanted.replace(/="[^"]*\|[^"]*"/, `="${value}"`).split(',');
    return samples.some((line) => own.every((label) => line.includes(label)));
  });
}

/** Returns the value of a sample, or undefined when it is absent. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

it('has every sample that rules and dashboard select before the first request', async () => {
  const text = await scrape();
  const selected = listSelected();
  expect(selected.length).toBeGreaterThan(20);
  expect(selected).toContain('svc_faults_total{fault="Unexpected"}');
  expect(selected.filter((each) => !hasSample(text, each))).toEqual([]);
});

it('counts responses and upstream calls, and reports the state of the index', async () => {
  const { did } = inject('fixtures').machines.find(({ name }) => name === 'rated-aaa')!;
  await untilObserved(proxied.service.url);
  const before = await scrape();
  for (let i = 0; i < 3; i++) expect((await fetchChecked(`${proxied.service.url}/mcr/${did}`)).status).toBe(200);
  expect((await fetchChecked(`${proxied.service.url}/nothing/${did}`)).status).toBe(404);
  const text = await scrape();
  expect(valueOf(text, 'http_request_duration_seconds_count{route="/mcr/:did",method="GET",status="2xx"}')).toBe(3);
  expect(valueOf(text, 'http_request_duration_seconds_count{route="unknown",method="GET",status="4xx"}')).toBe(1);
  expect(valueOf(text, 'svc_faults_total{fault="RouteUnknown",cause=""}')).toBe(1);
  expect(valueOf(text, 'svc_ready')).toBe(1);
  expect(valueOf(text, 'svc_index_ready')).toBe(1);
  const counted = ['svc_machine_reads_total{chain="main"}', 'svc_snapshot_hits_total{chain="main"}'];
  expect(counted.map((name) => valueOf(text, name)! - valueOf(before, name)!)).toEqual([1, 2]);
  const called = proxied.proxy.calls.filter(({ method }) => method === 'eth_chainId').length;
  expect(valueOf(text, 'svc_upstream_calls_total{chain="main",method="eth_chainId",outcome="answered"}')).toBe(called);
  expect(text).not.toContain(PROXY_KEY);
  expect(text).not.toContain(did);
});

it('serves the health checks of the public port on the admin port, without its rate limit', async () => {
  const request = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const open = await fetchChecked(`${proxied.service.url}/ready`);
  const LIMIT = 90;
  for (let i = 0; i <= LIMIT; i++) expect(await request('/health')).toEqual({ status: 200, text: '{"status":"ok"}' });
  const { status, text } = await request('/ready');
  expect([status, Object.keys(JSON.parse(text))]).toEqual([200, Object.keys(JSON.parse(open.text))]);
});

it('does not exist on the public port', async () => {
  expect((await fetchChecked(`${proxied.service.url}/metrics`)).status).toBe(404);
});

it('fails the start when the port is taken, and names the variable', async () => {
  await expect(startProxiedService({ ADMIN_PORT: String(adminPort) })).rejects.toEqual(
    new StartRefused(['ADMIN_HOST, ADMIN_PORT: cannot listen there (EADDRINUSE)']),
  );
});
