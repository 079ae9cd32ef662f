/** `/metrics` of a running service (decisions 4): on the admin port only, correct, and without secrets. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { StartRefused } from '../../../src/composition/start-refused.ts';
import { PROXY_KEY } from '../../../testing/harness/rpc-proxy.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';

let proxied: ProxiedService;
let adminPort: number;
beforeAll(async () => {
  adminPort = await findFreePort();
  proxied = await startProxiedService({ ADMIN_PORT: String(adminPort) });
});
afterAll(() => proxied.close());

async function scrape(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
}

/** Returns the value of a sample, or undefined when it is absent. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

it('counts responses and upstream calls, and reports the state of the index', async () => {
  const { did } = inject('fixtures').machines.find(({ name }) => name === 'rated-aaa')!;
  for (let i = 0; i < 3; i++) expect((await fetchChecked(`${proxied.service.url}/mcr/${did}`)).status).toBe(200);
  expect((await fetchChecked(`${proxied.service.url}/nothing/${did}`)).status).toBe(404);
  const text = await scrape();
  expect(valueOf(text, 'http_request_duration_seconds_count{route="/mcr/:did",method="GET",status="2xx"}')).toBe(3);
  expect(valueOf(text, 'http_request_duration_seconds_count{route="unknown",method="GET",status="4xx"}')).toBe(1);
  expect(valueOf(text, 'svc_faults_total{fault="RouteUnknown",cause=""}')).toBe(1);
  expect(valueOf(text, 'svc_ready')).toBe(1);
  expect(valueOf(text, 'svc_index_ready')).toBe(1);
  expect(valueOf(text, 'svc_machine_reads_total{chain="main"}')).toBe(1);
  expect(valueOf(text, 'svc_snapshot_hits_total{chain="main"}')).toBe(2);
  const called = proxied.proxy.calls.filter(({ method }) => method === 'eth_chainId').length;
  expect(valueOf(text, 'svc_upstream_calls_total{chain="main",method="eth_chainId",outcome="answered"}')).toBe(called);
  expect(text).not.toContain(PROXY_KEY);
  expect(text).not.toContain(did);
});

it('does not exist on the public port', async () => {
  expect((await fetchChecked(`${proxied.service.url}/metrics`)).status).toBe(404);
});

it('fails the start when the port is taken, and names the variable', async () => {
  await expect(startProxiedService({ ADMIN_PORT: String(adminPort) })).rejects.toEqual(
    new StartRefused(['ADMIN_HOST, ADMIN_PORT: cannot listen there (EADDRINUSE)']),
  );
});
