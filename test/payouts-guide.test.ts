/**
 * Pastes the commands of docs/payouts.md into a shell, against a local chain and a service. The chain is 20 minutes old when the guide begins,
 * so that its payment is final past the window of a verdict when the service reads it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRpc } from '../devnet/main-chain/rpc.ts';
import { listSampleMachines } from '../devnet/personas/sample-machines.ts';
import { startDevnet, type Devnet } from '../devnet/start-devnet.ts';
import { readConfig } from '../src/config.ts';
import { startService, type Service } from '../src/main.ts';
import { rule } from './conformance/rule.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/payouts.md'), 'utf8');
const GUIDE = PAGE.slice(PAGE.indexOf('## Try it on the local chains'), PAGE.indexOf('## What it costs the service'));
const BASE_URL = 'http://127.0.0.1:8000';
const BEHIND_SECONDS = 1_200;
const FINALIZING_BLOCKS = 3;
const SILENT = { info() {}, warn() {}, error() {} };

/** Commands that a reader runs, in order, without the blocks that another test runs. */
const commands = [...GUIDE.matchAll(/(<!-- run by .+ -->\n\n)?```sh\n([^]+?)```/g)].flatMap(([, mark, text]) =>
  mark === undefined ? [text!] : [],
);
const [program] = [...GUIDE.matchAll(/```ts\n([^]+?)```/g)].map(([, text]) => text!);

let folder: string;
let devnet: Devnet;
let service: Service | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin/svc'), join(folder, 'bin/svc'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const realNow = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() - BEHIND_SECONDS * 1_000);
  try {
    const machines = listSampleMachines(0).filter(({ persona }) => persona.name === 'fresh');
    devnet = await startDevnet({ dir: join(folder, '.devnet'), machines, altChain: false, quiet: true });
  } finally {
    clock.mockRestore();
  }
});
afterAll(async () => {
  await service?.close();
  await devnet.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a script of the page in the folder of the reader, and returns its output. */
async function paste(script: string): Promise<string> {
  const child = spawn('bash', ['-e', '-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, code === 0 ? '' : (await stderr!).join('')]).toEqual([0, '']);
  return (await stdout!).join('');
}

/** Finalizes everything at the present time. */
async function catchUp(): Promise<void> {
  const rpc = createRpc(devnet.rpcUrl);
  const now = Math.floor(Date.now() / 1_000);
  await rpc.request('evm_setIntervalMining', [0]);
  for (let i = 0; i < FINALIZING_BLOCKS; i += 1) await rpc.request('evm_mine', [now + i]);
  await rpc.request('evm_setIntervalMining', [2]);
}

async function startFollowing(): Promise<string> {
  const variables = { ...devnet.env, DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`, PORT: '0', ADMIN_PORT: '0' };
  const { config, problems } = readConfig({ ...variables, RATE_LIMITS: 'off' }, { readFile: () => '' });
  expect(problems).toEqual([]);
  service = await startService(config, { log: SILENT });
  await service.indexed;
  return service.url;
}

it('leads to a payment that is followed', async () => {
  rule('documents.blocks');
  const [doctor, proof, report, explanation, ...others] = commands;
  expect(others).toEqual([]);
  await paste(doctor!);
  await paste(proof!);
  writeFileSync(join(folder, 'report.ts'), program!);
  await paste(report!);
  await catchUp();
  const url = await startFollowing();
  const variables = proof!.split('\n').filter((line) => /^[A-Z]+=/.test(line));
  const script = [...variables, explanation!.replace(BASE_URL, url)].join('\n');
  const { owner } = devnet.fixtures.machines[0]!;
  await expect
    .poll(async () => JSON.parse(await paste(script)) as unknown, { timeout: 60_000, interval: 500 })
    .toMatchObject({
      event_count: 2,
      total_revenue: 50_000,
      evidence: {
        accounts: [{ account: owner.toLowerCase(), owner: owner.toLowerCase(), seq: 0 }],
        verdicts: { paid: 1, declared: 1, pending: 0 },
      },
    });
});
