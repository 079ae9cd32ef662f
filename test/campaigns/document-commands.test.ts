/**
 * Campaign: runs the commands of the pages below that run until they are stopped, run tests, or need the tools of a database, unchanged and in a
 * fresh clone of the commit, as a reader does. `npm run campaigns -- document-commands`. Prints what each command took. The commands use the ports
 * 8000, 9229 and 9464. Database tools that are missing are an error in CI; elsewhere their commands are skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { rule } from '../conformance/rule.ts';
import { CTRL_C, RunningCommand } from './reader-terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const URL_OF_PAGES = 'http://127.0.0.1:8000';
const INSPECTOR = 'http://127.0.0.1:9229';
const PORTS = [8000, 9229, 9464];
/** Machine `rated-aaa` of the local chains. */
const DID = 'did:svc:26332555629549261620226715910801635761992264162311010390282481596472117445952';

/** Machine `paid-aa`. */
const PAID_DID = 'did:svc:93956866256826121670082691036801831605498839334050185835844248647336284564540';

/** Pages whose fenced commands this campaign runs; of docs/payouts.md those below a marker that names this file. */
const PAGES = ['getting-started', 'debugging', 'operating', 'capacity-planning', 'benchmarks', 'payouts'];
const MARKER = '<!-- run by test/campaigns/document-commands.test.ts -->\n\n';

/** Returns the command lines of a page. */
function listLines(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8');
  const blocks = text.split(`${text.includes(MARKER) ? MARKER : ''}\`\`\`sh\n`).slice(1);
  return blocks.flatMap((block) => block.slice(0, block.indexOf('```')).split('\n').filter(Boolean));
}

const lines = PAGES.flatMap(listLines);
const taken = new Set<string>();

/** Returns the one command line of the pages that begins so, or matches. */
function take(pattern: string | RegExp): string {
  const found = lines.filter((line) => (typeof pattern === 'string' ? line.startsWith(pattern) : pattern.test(line)));
  expect([pattern, found.length]).toEqual([pattern, 1]);
  taken.add(found[0]!);
  return found[0]!;
}

let folder: string;
let clone: string;
let env: Readonly<Record<string, string>>;
const running: RunningCommand[] = [];

/** Starts a command in the clone, in another terminal. */
function start(line: string, variables: Readonly<Record<string, string>> = {}): RunningCommand {
  const command = new RunningCommand(line, { cwd: clone, env: { ...env, ...variables } });
  running.push(command);
  return command;
}

/** Runs a command to its end and returns what it printed. */
async function run(line: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = start(line, variables);
  expect([line, await command.exit(), command.text]).toEqual([line, 0, expect.any(String)]);
  return command.text;
}

/** Stops a command with Ctrl+C, which must be a success and leave nothing of it behind. */
async function interrupt(command: RunningCommand): Promise<void> {
  expect([await command.stop(CTRL_C), command.text]).toEqual([0, expect.any(String)]);
  await command.untilGone();
}

async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch(() => {
    throw new Error(`port ${port} is in use: the commands of the pages need it, so stop what listens there`);
  });
  server.close();
  await once(server, 'close');
}

beforeAll(async () => {
  for (const port of PORTS) await requireFreePort(port);
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'document-commands-')));
  // A reader's Node, without the tools of this installation and the settings of this run.
  const path = process.env['PATH']!.split(delimiter).filter((each) => !each.includes('node_modules'));
  env = { PATH: path.join(delimiter), HOME: folder };
});
afterEach(async () => {
  // After a failure one may still run.
  for (const command of running.splice(0)) {
    command.kill();
    await command.untilGone();
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Saves a source file again, as an editor does. */
function save(path: string): void {
  utimesSync(join(clone, path), new Date(), new Date());
}

it('docs/getting-started.md: clones the repository and starts the demo', async () => {
  rule('documents.blocks');
  const [cloning, changing] = take('git clone ADDRESS').replace('ADDRESS', ROOT).split(' && ');
  execFileSync('/bin/sh', ['-c', cloning!], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  clone = join(folder, changing!.replace('cd ', ''));
  linkModules();
  const demo = start(take('npm start'));
  await demo.until(/^ready$/m);
  await interrupt(demo);
});

/** Installs the modules of this installation, without what its tools have cached. Their files are linked where the file system allows it. */
function linkModules(): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(clone, 'node_modules')];
  if (spawnSync('cp', ['--archive', '--link', from, to], { stdio: 'ignore' }).status !== 0) {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['--archive', from, to]);
  }
  for (const cache of globSync('.{cache,vite*}', { cwd: to })) rmSync(join(to, cache), { recursive: true });
}

describe('docs/debugging.md', () => {
  it.each([
    ['npm run test:fast -- src', /Tests +\d+ passed/],
    [/^node bin\/run\.js vitest run --project unit src\/http /, /Tests +\d+ passed/],
    [/^node bin\/run\.js vitest run --project service /, /Tests +\d+ passed/],
    ['FC_SEED=', /Tests +\d+ passed/],
    ['npm run sim -- --seeds 50 ', /^seeds 50, wrong 0,/m],
    ['SEED=', /^trace [0-9a-f]+$/m],
    [/^npm run test:fast +#/, /Tests +\d+ passed/],
  ])('runs %s', async (pattern, printed) => {
    expect(await run(take(pattern))).toMatch(printed);
  });

  it('runs tests again after each change', async () => {
    const watch = start(take(/^node bin\/run\.js vitest --project fast /));
    await watch.until(/Waiting for file changes/);
    save('src/domain/rating/amount.ts');
    await watch.until(/RERUN[^]+Waiting for file changes/);
    expect(await watch.stop('q')).toBe(0);
    await watch.untilGone();
  });

  it('stops a simulation, which names the seed to continue from', async () => {
    const simulation = start(take('npm run sim -- --seeds 10000 '));
    await simulation.until(/^10 seeds, 0 failed$/m);
    await interrupt(simulation);
    // npm may print a notice after it.
    expect(simulation.text).toMatch(/^summary .+\n(?:npm notice.*\n|\n)*$/m);
    const { seeds, next } = JSON.parse(/^summary (.+)$/m.exec(simulation.text)![1]!) as Record<string, number>;
    expect([next, seeds! >= 10]).toEqual([seeds! + 1, true]);
  });

  it('runs a test that waits for an inspector', async () => {
    const test = start(take(/--inspect-brk/));
    await test.until(/Debugger listening on ws:\/\/127\.0\.0\.1:9229\//);
    await attach();
    expect([await test.exit(), test.text]).toEqual([0, expect.stringMatching(/Tests +\d+ passed/)]);
  });

  it('serves the pages, with a database that can be read meanwhile', async () => {
    const dev = start(take(/^npm run dev +#/));
    await dev.until(/^ready;/m);
    expect((await fetch(`${URL_OF_PAGES}/`)).status).toBe(200);
    expect(await run(take(/^sqlite3 .*\.tables/))).toContain('checkpoints');
    await expect.poll(() => run(lines.find((line) => line.includes('FROM checkpoints'))!)).toContain('main');
    take(/FROM checkpoints/);
    save('src/domain/rating/amount.ts');
    await dev.until(/service started; open/);
    await interrupt(dev);
  });

  it('attaches an inspector to the service, again after each restart', async () => {
    const dev = start(take('npm run dev -- --inspect'));
    await dev.until(/Debugger listening on ws:\/\/127\.0\.0\.1:9229\//);
    await dev.until(/^ready;/m);
    expect(await (await fetch(`${INSPECTOR}/json/list`)).json()).toMatchObject([{ type: 'node' }]);
    save('src/domain/rating/amount.ts');
    await dev.until(/Debugger listening on ws:\/\/127\.0\.0\.1:9229\//);
    await dev.until(/service started; open/);
    await interrupt(dev);
  });

  it('logs one line per request', async () => {
    const dev = start(take('LOG_LEVEL=info npm run dev'));
    await dev.until(/^ready;/m);
    await fetch(`${URL_OF_PAGES}/mcr/${DID}`);
    await dev.until(/mcr/);
    await interrupt(dev);
  });

  it('serves metrics on the admin port', async () => {
    const line = take('ADMIN_PORT=9464 npm run dev');
    const dev = start(line);
    await dev.until(/^ready;/m);
    expect(await run(line.split(' # ')[1]!)).toContain('\nsvc_leader 1\n');
    await interrupt(dev);
  });
});

/** Attaches to the waiting process and lets it run. */
async function attach(): Promise<void> {
  const [target] = (await (await fetch(`${INSPECTOR}/json/list`)).json()) as [
    { readonly webSocketDebuggerUrl: string },
  ];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  socket.addEventListener('message', ({ data }) => {
    if ((JSON.parse(data as string) as { method?: string }).method === 'Debugger.paused') send(3, 'Debugger.resume');
  });
  send(1, 'Debugger.enable');
  send(2, 'Runtime.runIfWaitingForDebugger');
  await once(socket, 'close');
}

it('docs/benchmarks.md: measures without storing', async () => {
  expect(await run(take('npm run build && npm run bench'))).toMatch(/^== \S+\.ts/m);
  expect(execFileSync('git', ['status', '--short'], { cwd: clone, encoding: 'utf8' })).toBe('');
});

it('docs/payouts.md: prints links to sample machines', async () => {
  const demo = start(take('bin/svc demo'));
  await demo.until(/^ready$/m);
  expect((await fetch(`${URL_OF_PAGES}/mcr/${DID}`)).status).toBe(200);
  await interrupt(demo);
});

/** Interval of repeated requests, which the limits of the service allow. */
const UNLIMITED = { interval: 1_000 };

const TOOLS = ['sqlite3', 'psql', 'createdb', 'pg_dump', 'pg_restore'];
const [installation] = globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().reverse();
const missing = [
  ...TOOLS.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0),
  ...(installation === undefined ? ['postgres'] : []),
];
const isSkipped = missing.length > 0 && process.env['CI'] === undefined;
if (isSkipped) process.stdout.write(`skipped, because these are not installed: ${missing.join(', ')}\n`);

describe.skipIf(isSkipped)('with the tools of the databases', () => {
  let server: PostgresServer;
  /** Runs for all of these tests. */
  let devnet: RunningCommand | undefined;

  beforeAll(async () => {
    expect(missing).toEqual([]);
    // The tools refuse a server that is newer than they are.
    server = await startEmbeddedPostgres({ installation: join(installation!, '../..') });
  });
  afterAll(async () => {
    devnet?.kill();
    await devnet?.untilGone();
    await server.stop();
  });

  const serving = take('bin/svc serve --env-file .devnet/env');
  const copying = take(/VACUUM INTO/);
  const partitioning = take(/partitions\.ts/);
  const dumping = take('pg_dump');
  const restoring = take('createdb');

  /** Returns the environment of a reader who uses a database of the server. */
  function useDatabase(address: string | URL) {
    const { username, searchParams, href: url } = new URL(address);
    return { DATABASE_URL: url, PGHOST: searchParams.get('host')!, PGUSER: username };
  }

  /** Starts the service, and waits until it rates. */
  async function serve(line: string, variables: Readonly<Record<string, string>> = {}): Promise<RunningCommand> {
    const service = start(line, variables);
    await service.until(/listening on http/);
    await expect.poll(async () => (await fetch(`${URL_OF_PAGES}/mcr/${DID}`)).status, UNLIMITED).toBe(200);
    return service;
  }

  it('docs/debugging.md: runs the chains, and the service in another terminal', async () => {
    devnet = new RunningCommand(take('bin/svc devnet'), { cwd: clone, env });
    await devnet.until(/^ready$/m);
    await interrupt(await serve(serving));
  });

  it('docs/getting-started.md: runs the service with own settings', async () => {
    copyFileSync(join(clone, '.devnet/env'), join(clone, 'svc.env'));
    await interrupt(await serve(take('bin/svc serve --env-file svc.env')));
  });

  it('docs/payouts.md: makes the verdicts of a machine again', async () => {
    const service = await serve(serving);
    await expect.poll(() => readVerdicts(), UNLIMITED).toMatchObject({ pending: 0 });
    expect(await run(take('bin/svc replay '))).toContain('Equal: ');
    await interrupt(service);
  });

  async function readVerdicts(): Promise<unknown> {
    const response = await fetch(`${URL_OF_PAGES}/mcr/${PAID_DID}/explanation`);
    return ((await response.json()) as { evidence?: { verdicts: unknown } }).evidence?.verdicts;
  }

  it('docs/operating.md: copies SQLite while the service runs', async () => {
    const service = await serve(serving);
    await run(copying);
    await interrupt(service);
    const [copy, original] = ['backup', 'data'].map((each) => {
      const database = new Sqlite(join(clone, each, 'svc.db'), { readonly: true });
      const rows = database.prepare('SELECT * FROM machine_owners ORDER BY machine_id').all();
      database.close();
      return rows;
    });
    expect([copy!.length > 0, copy]).toEqual([true, original]);
  });

  it('docs/capacity-planning.md and docs/operating.md: partitions PostgreSQL, dumps and restores it', async () => {
    const database = await server.createDatabase();
    const shell = useDatabase(database.url);
    const migrating = start(serving, { ...shell, INDEXER: 'off' });
    await migrating.until(/listening on http/);
    await interrupt(migrating);
    await run(partitioning, shell);
    const service = await serve(serving, shell);
    const refused = start(partitioning, shell);
    expect([await refused.exit(), refused.text]).toEqual([3, expect.stringContaining('the tables have rows')]);

    await run(dumping, shell);
    await run(restoring, shell);
    await interrupt(service);
    const url = new URL(database.url);
    url.pathname = '/svc_restored';
    const [whole, restored] = [await readTables(database.url), await readTables(url.href)];
    expect(restored.names).toEqual(whole.names);
    expect(restored.names).toContain('machine_owners_15');
    expect([restored.owners.length > 0, restored.owners]).toEqual([true, whole.owners]);
    await interrupt(await serve(serving, useDatabase(url)));
  });

  it('stops the chains', () => interrupt(devnet!));
});

/** Returns the names of all tables of a PostgreSQL database, and the rows of one. */
async function readTables(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  );
  const owners = await client.query<object>('SELECT * FROM machine_owners ORDER BY machine_id');
  await client.end();
  return { names: tables.rows.map(({ tablename }) => tablename), owners: owners.rows };
}

it.skipIf(isSkipped)('runs every command of the pages', () => {
  rule('documents.blocks');
  expect(lines.filter((line) => !taken.has(line))).toEqual([]);
});
