/** `svc demo`: everything at once, for a first look: local chain, service, sample machines with their links (configuration.md 2). */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { defineCommand, parseNumberOption } from '../command.ts';
import { CommandFailed } from '../exit-codes.ts';
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { stayUntilStopped } from '../until-stopped.ts';

/** Personas of the devnet that show what ratings are about. */
const SAMPLES = ['rated-aaa', 'rated-b', 'fresh', 'multi-currency', 'flagged', 'grace', 'suspended', 'many-events'];

const READY_WITHIN_MILLISECONDS = 60_000;
const ASK_AGAIN_MILLISECONDS = 100;

export const demo = defineCommand({
  name: 'demo',
  about: 'Runs a local chain with sample machines and the service in front of it; Ctrl-C ends all.',
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
    return stayUntilStopped(async (atEnd) => {
      const [{ startDevnet }, { startService }, { createServiceLog }, { toStartFailure }] = await Promise.all([
        import('../../devnet/start-devnet.ts'),
        import('../../src/main.ts'),
        import('../service-log.ts'),
        import('../start-failure.ts'),
      ]);
      const devnet = await startDevnet({ dir });
      atEnd(() => devnet.stop());

      const config = readDemoConfig({ ...devnet.env, HOST: host, PORT: String(port) }, dir);
      const service = await startService(config, { log: createServiceLog(config.log) }).catch((error: unknown) => {
        throw toStartFailure(error);
      });
      atEnd(() => service.close());

      const samples = await Promise.all(
        SAMPLES.map(async (name) => {
          const { did, about } = devnet.fixtures.machines.find((machine) => machine.name === name)!;
          const rating = `${service.url}/mcr/${did}`;
          return { name, did, about, ...(await untilRated(rating)), rating, profile: `${service.url}/machine/${did}` };
        }),
      );
      const text = json
        ? JSON.stringify({ url: service.url, machines: samples })
        : formatDemo(samples, service.url, dir);
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

/** Asks until the rating is served: the index must have caught up first. */
async function untilRated(url: string): Promise<{ mcr: string; mcr_score: number }> {
  const deadline = Date.now() + READY_WITHIN_MILLISECONDS;
  for (;;) {
    const response = await fetch(url);
    if (response.status === 200) {
      const { mcr, mcr_score } = (await response.json()) as { mcr: string; mcr_score: number };
      return { mcr, mcr_score };
    }
    await response.body?.cancel();
    if (Date.now() > deadline) throw new CommandFailed('unreachable', `${url} still answers ${response.status}`);
    await delay(ASK_AGAIN_MILLISECONDS);
  }
}

interface Sample {
  readonly name: string;
  readonly did: string;
  readonly about: string;
  readonly mcr: string;
  readonly mcr_score: number;
  readonly rating: string;
  readonly profile: string;
}

function formatDemo(samples: readonly Sample[], url: string, dir: string): string {
  const { did, rating } = samples[0]!;
  const elsewhere = url === DEFAULT_BASE_URL ? '' : ` --base-url ${url}`;
  return [
    '',
    `The service is at ${url}, and machines on the local chain are served:`,
    '',
    ...samples.flatMap(({ name, about, mcr, mcr_score, profile }) => [
      `${name}: ${mcr} ${mcr_score} of 100. ${about}`,
      `  ${profile}`,
    ]),
    '',
    'Try:',
    `  curl -s ${rating}`,
    `  bin/svc machine ${did}${elsewhere}`,
    `  bin/svc replay ${did}${elsewhere} --env-file ${join(dir, 'env')}`,
    '',
    'ready; Ctrl-C ends all',
  ].join('\n');
}
