/** `svc demo`: everything at once, for a first look: local chains, service, sample machines with their links (configuration.md 2). */
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
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { emphasize } from '../table.ts';
import { stayUntilStopped } from '../until-stopped.ts';

/** Personas of the devnet that show what ratings are about; the last one lives on the alt chain. */
const SAMPLES = [
  ...['rated-aaa', 'rated-b', 'fresh', 'multi-currency', 'flagged', 'grace', 'suspended', 'many-events'],
  'alt-rated',
];

const SVC = join(import.meta.dirname, '../../bin/svc');

const READY_WITHIN_MILLISECONDS = 60_000;
const ASK_AGAIN_MILLISECONDS = 100;

export const demo = defineCommand({
  name: 'demo',
  about: 'Runs two local chains with sample machines and the service in front of them; Ctrl-C ends all.',
  operands: [],
  options: {
    port: { type: 'string', value: 'N', about: 'port of the service (default 8000)' },
    host: { type: 'string', value: 'HOST', about: 'address of the service (default 127.0.0.1)' },
    dir: {
      type: 'string',
      value: 'PATH',
      about: 'where the chain, its fixtures and the database are kept (default .devnet)',
    },
    json: { type: 'boolean', about: 'print the sample machines as JSON' },
  },
  example: 'svc demo --port 8000',
  async run({ port: portText, host = '127.0.0.1', dir = '.devnet', json = false }) {
    const port = parseNumberOption('--port', portText, 0, 65_535) ?? 8000;
    await requireFreePort(host, port);
    await requireFreeFolder(dir);
    return stayUntilStopped(async (atEnd) => {
      const [{ startDevnet }, { startService }, { createServiceLog }, { toStartFailure }] = await Promise.all([
        import('../../devnet/start-devnet.ts'),
        import('../../src/main.ts'),
        import('../service-log.ts'),
        import('../start-failure.ts'),
      ]);
      process.stderr.write('starting two local chains and filling them with sample machines; this takes a while\n');
      const devnet = await startDevnet({ dir, blocks: 'on-demand' });
      atEnd(() => devnet.stop());

      const config = readDemoConfig({ ...devnet.env, HOST: host, PORT: String(port) }, dir);
      const service = await startService(config, { log: createServiceLog(config.log) }).catch((error: unknown) => {
        throw toStartFailure(error);
      });
      atEnd(() => service.close());
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

/** The demo's own settings and no other: a setting of the environment could point it at a database that matters. */
function readDemoConfig(env: Readonly<Record<string, string>>, dir: string) {
  const databaseFile = join(dir, 'svc.db');
  // What an earlier demo kept belongs to a chain that is gone.
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

/** Asked before anything is started, because the answer is wanted at once. */
async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    throw new CommandFailed('refused', `cannot listen on ${host}:${port}; is it in use? --port takes another`);
  }
  server.close();
  await once(server, 'close');
}

async function waitForIndex(indexed: Promise<unknown>): Promise<void> {
  const isIndexed = await Promise.race([
    indexed.then(() => true),
    delay(READY_WITHIN_MILLISECONDS, false, { ref: false }),
  ]);
  if (!isIndexed) throw new CommandFailed('unreachable', 'the service does not finish reading the local chains');
}

async function readRating(url: string, deadline: number): Promise<{ mcr: string; mcr_score: number }> {
  const { mcr, mcr_score } = (await (await requireLink(url, deadline)).json()) as Pick<Sample, 'mcr' | 'mcr_score'>;
  return { mcr, mcr_score };
}

/** Every URL of a text for people or of its JSON. */
export function listLinks(text: string): string[] {
  return [...new Set(text.match(/https?:\/\/[^\s"]+/g))];
}

/** Returns the response of a link that works; a failure of the moment may pass until the deadline. */
async function requireLink(url: string, deadline: number): Promise<Response> {
  for (;;) {
    const response = await fetch(url);
    if (response.status === 200) return new Response(await response.arrayBuffer());
    await response.body?.cancel();
    if (Date.now() > deadline) throw new CommandFailed('unreachable', `${url} still answers ${response.status}`);
    await delay(ASK_AGAIN_MILLISECONDS);
  }
}

/** Runs `bin/svc` with these arguments as a person would in another terminal. Throws when it fails. */
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

/** Of the alt chain, bound to a first-generation machine. */
interface SampleWallet {
  readonly address: string;
  readonly rating: string;
}

interface SampleCommand {
  /** Introduces it. */
  readonly about?: string;
  readonly args: readonly string[];
}

function listCommands(did: string, url: string, dir: string): readonly SampleCommand[] {
  const elsewhere = url === DEFAULT_BASE_URL ? [] : ['--base-url', url];
  return [
    { args: ['machine', did, ...elsewhere] },
    {
      about: 'the same rating again, from the raw events of the chain and by other code:',
      args: ['replay', did, ...elsewhere, '--env-file', join(dir, 'env')],
    },
    { args: ['--help'] },
  ];
}

/** What a person who knows nothing can do next, the most inviting first. */
function formatDemo(
  samples: readonly Sample[],
  wallet: SampleWallet,
  url: string,
  commands: readonly SampleCommand[],
): string {
  return [
    '',
    `${emphasize('bold', 'Open in a browser')}`,
    `  ${url}        every machine and operator has a page`,
    `  ${url}/docs   every route, with a form that asks it`,
    '',
    emphasize('bold', 'Sample machines'),
    ...samples.flatMap(({ name, mcr, mcr_score: score, about, page }) => [
      `  ${emphasize('bold', mcr === 'Provisioned' ? 'not rated' : `${mcr} ${score}`)}  ${name}: ${about}`,
      `      ${page}`,
    ]),
    `  a wallet of the other chain, bound to a machine of the first generation:`,
    `      ${wallet.rating}`,
    '',
    emphasize('bold', 'In another terminal, in this folder'),
    `  curl -s ${samples[0]!.rating}`,
    ...commands.flatMap(({ about, args }) => [
      ...(about === undefined ? [] : [`  ${about}`]),
      `  bin/svc ${args.join(' ')}`,
    ]),
    '',
    'ready; Ctrl-C ends all',
  ].join('\n');
}
