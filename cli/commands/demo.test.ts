/** `svc demo`, with the commands that users try next to it: `machine`, `replay`, `doctor`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listLinks } from './demo.ts';
import { runSvc, startSvc, stopSvc, waitForLine, type RunningSvc } from '../../testing/harness/run-svc.ts';

interface Demo {
  readonly url: string;
  readonly machines: readonly {
    readonly name: string;
    readonly home: string;
    readonly did: string;
    readonly rating: string;
  }[];
  readonly wallet: { readonly address: string; readonly rating: string };
}

const dir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const envFile = join(dir, 'env');
let svc: RunningSvc;
let demo: Demo;
/** Statuses of the requests that were sent when the demo was ready. */
const firstStatuses = new Map<string, Promise<number>>();

beforeAll(async () => {
  // Settings of a real service in the environment must not affect the demo.
  const env = { DATABASE_URL: 'postgres://nowhere', MAIN_CHAIN_ID: '1' };
  svc = startSvc(['demo', '--port', '0', '--dir', dir, '--json'], { env });
  demo = JSON.parse(await waitForLine(svc, /^\{/)) as Demo;
  for (const link of [...listLinks(JSON.stringify(demo)), `${demo.url}/ready`]) {
    firstStatuses.set(
      link,
      fetch(link).then(({ status }) => status),
    );
  }
});
afterAll(() => {
  svc.kill('SIGTERM');
  rmSync(dir, { recursive: true });
});

it('serves rated machines by the time it is ready', async () => {
  expect(demo.machines[0]).toMatchObject({ name: 'rated-aaa', mcr: 'AAA', mcr_score: 100 });
  const response = await fetch(demo.machines[0]!.rating);
  expect([response.status, await response.json()]).toMatchObject([200, { mcr: 'AAA' }]);
});

it('returns 200 for the first request of every printed link, readiness included', async () => {
  const links = listLinks(JSON.stringify(demo));
  expect(links.length).toBe(2 * demo.machines.length + 2);
  const statuses = await Promise.all([...firstStatuses.entries()].map(async ([link, status]) => [link, await status]));
  expect(statuses).toEqual([...links, `${demo.url}/ready`].map((link) => [link, 200]));
});

it('serves a rated machine of the alt chain, and the legacy machine of a bound wallet', async () => {
  expect(demo.machines.at(-1)).toMatchObject({ name: 'alt-declared', home: 'alt', mcr: 'BB', mcr_score: 51 });
  const response = await fetch(demo.machines.at(-1)!.rating);
  expect(await response.json()).toMatchObject({ mcr: 'BB', home_chain: 5 });
  const bound = await fetch(demo.wallet.rating);
  const { address } = demo.wallet;
  expect([bound.status, await bound.json()]).toMatchObject([
    200,
    { mcr: 'BB', machine_id: '1', solana_address: address },
  ]);
});

it('serves machines that `svc machine` prints', async () => {
  const { code, stdout } = await runSvc(['machine', demo.machines[0]!.did, '--base-url', demo.url]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^rating +AAA 100 of 100$/m);
});

it.each(['multi-currency', 'alt-declared'])('serves the score of %s that `svc replay` recomputes', async (name) => {
  const { did } = demo.machines.find((machine) => machine.name === name)!;
  const { code, stdout } = await runSvc(['replay', did, '--base-url', demo.url, '--env-file', envFile]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Equal: ')]);
});

it('passes every check of `svc doctor`', async () => {
  const { code, stdout } = await runSvc(['doctor', '--env-file', envFile], { cwd: dir });
  expect([code, stdout]).toEqual([0, expect.stringContaining('ok    main chain: chain id, code and peers match')]);
  expect(stdout).toMatch(/^ok {4}clock: /m);
  expect(stdout).toMatch(/^ok {4}finality: /m);
  expect(stdout).toMatch(/^ok {4}FX_SOURCE: /m);
});

it('fails `svc doctor` when the configuration names another chain', async () => {
  const env = { MAIN_CHAIN_ID: '1', MACHINE_REGISTRY_ADDRESS: `0x${'1'.repeat(40)}` };
  const { code, stdout } = await runSvc(['doctor', '--env-file', envFile], { cwd: dir, env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAIL {2}MAIN_CHAIN_ID: /m);
});

it('stops `svc serve` from starting when the configuration names another chain', async () => {
  const env = { MAIN_CHAIN_ID: '1', PORT: '0', ADMIN_PORT: '0', DATABASE_URL: 'sqlite::memory:' };
  const { code, stderr } = await runSvc(['serve', '--env-file', envFile], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('MAIN_CHAIN_ID: ')]);
});

it('differs in `svc replay` from a service that serves another score', async () => {
  const { did } = demo.machines[0]!;
  const wrong: Server = createServer((request, response) => {
    void fetch(`${demo.url}${request.url}`)
      .then(async (served) => ({ status: served.status, body: (await served.json()) as object }))
      .then(({ status, body }) => response.writeHead(status).end(JSON.stringify({ ...body, mcr_score: 99 })));
  }).listen(0, '127.0.0.1');
  await once(wrong, 'listening');
  const baseUrl = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
  const { code, stdout } = await runSvc(['replay', did, '--base-url', baseUrl, '--env-file', envFile]);
  wrong.close();
  expect([code, stdout]).toEqual([4, expect.stringContaining('DIFFERENT: 1 of ')]);
});

it('requires a configured chain for `svc replay`', async () => {
  const { code, stderr } = await runSvc(['replay', demo.machines[0]!.did, '--base-url', demo.url], { cwd: dir });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--env-file')]);
});

it('does not start twice in one folder', async () => {
  const { code, stderr } = await runSvc(['demo', '--port', '0', '--dir', dir]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`other local chains run from ${dir}`)]);
  expect((await fetch(demo.machines[0]!.rating)).status).toBe(200);
});

it('prints links and commands that work, then "ready"', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const other = startSvc(['demo', '--port', '0', '--dir', folder]);
  const lines: string[] = [];
  for await (const line of createInterface({ input: other.stdout })) if ((lines.push(line), line === 'ready')) break;
  const links = listLinks(lines.join('\n'));
  const commands = lines.flatMap((line) => /^ +bin\/svc (.*)$/.exec(line)?.[1] ?? []);
  const statuses = await Promise.all(links.map(async (link) => [link, (await fetch(link)).status]));
  expect(statuses).toEqual(links.map((link) => [link, 200]));
  expect(links).toHaveLength(demo.machines.length + 4);
  const results = await Promise.all(commands.map(async (text) => [text, (await runSvc(text.split(' '))).code]));
  expect(results).toEqual(commands.map((text) => [text, 0]));
  expect(commands.map((text) => text.split(' ')[0])).toEqual(['machine', 'replay', '--help']);
  await stopSvc(other, 'SIGTERM');
  rmSync(folder, { recursive: true });
});

it('stops everything it started on SIGINT', async () => {
  const rpcUrl = /^MAIN_RPC_URLS=(.*)$/m.exec(readFileSync(envFile, 'utf8'))![1]!;
  expect((await fetch(rpcUrl, { method: 'POST', body: '{}' })).status).toBeGreaterThan(0);
  expect(await stopSvc(svc, 'SIGINT')).toBe(0);
  await expect(fetch(demo.url)).rejects.toThrow();
  await expect(fetch(rpcUrl)).rejects.toThrow();
});
