/** `svc demo`: local chains, the service, and links to sample machines, in one command (configuration.md 2). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { defineCommand, parseNumberOption } from '../command.ts';
import { CommandFailed } from '../exit-codes.ts';
import { requireFreeFolder } from '../free-folder.ts';
import { requireLocalChains } from '../local-chains.ts';
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { emphasize } from '../table.ts';
import { runUntilStopped } from '../until-stopped.ts';

/** Personas of the devnet that show typical ratings; the last one is homed on the alt chain. */
const SAMPLES = [
  ...['rated-aaa', 'rated-b', 'fresh', 'multi-currency', 'flagged', 'grace', 'suspended', 'many-events'],
  'alt-declared',
];

const SVC = join(import.meta.dirname, '../../bin/svc');

const READY_WITHIN_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 100;

export const demo = defineCommand({
  name: 'demo',
  about: 'Runs two local chains with sample machines, and the service; Ctrl-C stops everything.',
  operands: [],
  options: {
    port: { type: 'string', value: 'N', about: 'port of the service (default 8000)' },
    host: { type: 'string', value: 'HOST', about: 'address of the service (default 127.0.0.1)' },
    dir: {
      type: 'string',
      value: 'PATH',
      about: 'folder for the chain settings, fixtures and database (default .devnet)',
    },
    json: { type: 'boolean', about: 'print the sample machines as JSON' },
  },
  example: 'svc demo --port 8000',
  async run({ port: portText, host = '127.0.0.1', dir = '.devnet', json = false }) {
    const port = parseNumberOption('--port', portText, 0, 65_535) ?? 8000;
    requireLocalChains();
    await requireFreePort(host, port);
    await requireFreeFolder(dir);
    return runUntilStopped(async (onShutdown) => {
      const [{ startDevnet }, { startService }, { createServiceLog }, { toStartFailure }] = await Promise.all([
        import('../../devnet/start-devnet.ts'),
        import('../../src/main.ts'),
        import('../service-log.ts'),
        import('../start-failure.ts'),
      ]);
      process.stderr.write(
        'starting two local chains and seeding them with sample machines; this takes about 20 seconds\n',
      );
      const devnet = await startDevnet({ dir, blocks: 'on-demand' });
      onShutdown(() => devnet.stop());

      const config = readDemoConfig({ ...devnet.env, HOST: host, PORT: String(port) }, dir);
      const service = await startService(config, { log: createServiceLog(config.log) }).catch((error: unknown) => {
        throw toStartFailure(error);
      });
      onShutdown(() => service.close());
      const deadline = Date.now() + READY_WITHIN_MILLISECONDS;
      await waitForIndex(service.indexed);

      const samples = await Promise.all(
        SAMPLES.map(async (name) => {
          const { did, about, home } = devnet.fixtures.machines.find((machine) => machine.name === name)!;
          const rating = `${service.url}/mcr/${did}`;
          const page = `${service.url}/explorer/machine/${did.slice(did.lastIndexOf(':') + 1)}`;
          return { name, did, home, about, ...(await readRating(rating, deadline)), rating, page };
        }),
      );
      const { address } = devnet.fixtures.wallets.find(({ state }) => state === 'bound')!;
      const wallet = { address, rating: `${service.url}/solana/mcr/${address}` };
      const commands = json ? [] : listCommands(samples[0]!.did, service.url, dir);
      const text = json
        ? JSON.stringify({ url: service.url, machines: samples, wallet })
        : formatDemo(samples, wallet, service.url, commands);
      await Promise.all([
        ...listLinks(text).map((link) => requireLink(link, deadline)),
        ...commands.map(({ args }) => requireCommand(args)),
      ]);
      process.stdout.write(`${text}\n`);
    });
  },
});

/** Ignores the environment, which could name a production database. */
function readDemoConfig(env: Readonly<Record<string, string>>, dir: string) {
  const databaseFile = join(dir, 'svc.db');
  // The database of an earlier demo belongs to a chain that no longer exists.
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${databaseFile}${suffix}`, { force: true });
  const { config, problems } = readConfig(
    {
      ...env,
      ADMIN_PORT: '0',
      DATABASE_URL: `sqlite:${databaseFile}`,
      POLL_INTERVAL_SECONDS: '2',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'pretty',
    },
    { readFile: () => '' },
  );
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return config;
}

/** Checks the port before anything starts, to report the problem at once. */
async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    throw new CommandFailed(
      'refused',
      `cannot listen on ${host}:${port}; if the port is in use, choose another with --port`,
    );
  }
  server.close();
  await once(server, 'close');
}

async function waitForIndex(indexed: Promise<unknown>): Promise<void> {
  const isIndexed = await Promise.race([
    indexed.then(() => true),
    delay(READY_WITHIN_MILLISECONDS, false, { ref: false }),
  ]);
  if (!isIndexed) throw new CommandFailed('unreachable', 'the service did not index the local chains within 60 s');
}

async function readRating(url: string, deadline: number): Promise<{ mcr: string; mcr_score: number }> {
  const { mcr, mcr_score } = (await (await requireLink(url, deadline)).json()) as Pick<Sample, 'mcr' | 'mcr_score'>;
  return { mcr, mcr_score };
}

/** Returns every distinct URL of a text or of JSON. */
export function listLinks(text: string): string[] {
  return [...new Set(text.match(/https?:\/\/[^\s"]+/g))];
}

/** Returns the response of a link once its status is 200. Throws `CommandFailed` after the deadline. */
async function requireLink(url: string, deadline: number): Promise<Response> {
  for (;;) {
    const response = await fetch(url);
    if (response.status === 200) return new Response(await response.arrayBuffer());
    await response.body?.cancel();
    if (Date.now() > deadline) throw new CommandFailed('unreachable', `${url} still returns ${response.status}`);
    await delay(RETRY_MILLISECONDS);
  }
}

/** Runs `bin/svc` with these arguments. Throws `CommandFailed` when it fails. */
async function requireCommand(args: readonly string[]): Promise<void> {
  const svc = spawn(process.execPath, [SVC, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = svc.stderr.setEncoding('utf8').toArray();
  const [code] = (await once(svc, 'exit')) as [number | null];
  if (code === 0) return;
  throw new CommandFailed('refused', `bin/svc ${args.join(' ')} fails: ${(await errors).join('').trim()}`);
}

interface Sample {
  readonly name: string;
  readonly did: string;
  readonly home: 'main' | 'alt';
  readonly about: string;
  readonly mcr: string;
  readonly mcr_score: number;
  readonly rating: string;
  readonly page: string;
}

/** A wallet of the alt chain, bound to a legacy machine. */
interface SampleWallet {
  readonly address: string;
  readonly rating: string;
}

interface SampleCommand {
  /** Line above the command. */
  readonly about?: string;
  readonly args: readonly string[];
}

function listCommands(did: string, url: string, dir: string): readonly SampleCommand[] {
  const elsewhere = url === DEFAULT_BASE_URL ? [] : ['--base-url', url];
  return [
    { args: ['machine', did, ...elsewhere] },
    {
      about: 'recompute the rating from the raw events on the chain with independent code:',
      args: ['replay', did, ...elsewhere, '--env-file', join(dir, 'env')],
    },
    { args: ['--help'] },
  ];
}

/** Formats the next steps for a first-time user. */
function formatDemo(
  samples: readonly Sample[],
  wallet: SampleWallet,
  url: string,
  commands: readonly SampleCommand[],
): string {
  return [
    '',
    emphasize('bold', 'Open in a browser'),
    `  ${url}        a page for every machine and operator`,
    `  ${url}/docs   API reference with a form for every route`,
    '',
    emphasize('bold', 'Sample machines'),
    ...samples.flatMap(({ name, mcr, mcr_score: score, about, page }) => [
      `  ${emphasize('bold', mcr === 'Provisioned' ? 'not rated' : `${mcr} ${score}`)}  ${name}: ${about}`,
      `      ${page}`,
    ]),
    '  a Solana wallet bound to a legacy machine:',
    `      ${wallet.rating}`,
    '',
    emphasize('bold', 'In another terminal, in this folder'),
    `  curl -s ${samples[0]!.rating}`,
    ...commands.flatMap(({ about, args }) => [
      ...(about === undefined ? [] : [`  ${about}`]),
      `  bin/svc ${args.join(' ')}`,
    ]),
    '',
    'Press Ctrl-C to stop everything.',
    'ready',
  ].join('\n');
}
