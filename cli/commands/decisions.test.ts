/** `svc decisions`: export from a database, verification, and replay against a node. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { DecisionBundle } from '../../src/domain/monetization/decision-bundle.ts';
import { BUNDLE_KEY, provenDecision } from '../../testing/fixtures/decision-bundles.ts';
import { CONTROLLER, DEPLOYMENT, ID, NOW, OWNER, STRANGER } from '../../testing/fixtures/deciding-machines.ts';
import { MAIN } from '../../testing/fixtures/sample-environment.ts';
import { listPageCommands, runInShell } from '../../testing/harness/page-commands.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';
import { rule } from '../../test/conformance/rule.ts';

const DECISIONS = 3;
const DID = `did:svc:${ID}`;

let folder: string;
let node: Server;
let env: Record<string, string>;
/** Owner that the node shows. */
let owner: string;
/** Seconds by which the node's blocks are older than the decisions. */
let blockLag = 0;

const pathOf = (name: string) => join(folder, name);
const bundleOf = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as DecisionBundle;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'decisions-'));
  owner = OWNER.address;
  node = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const { method, params } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as {
        method: string;
        params: [string & { data: string }];
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: respond(method, params[0]) }));
    });
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const database = `sqlite:${pathOf('svc.db')}`;
  writeFileSync(pathOf('statement.key'), `0x${'09'.repeat(32)}`);
  env = {
    ...MAIN,
    MAIN_RPC_URLS: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    MAIN_CHAIN_ID: DEPLOYMENT.chainId,
    MACHINE_REGISTRY_ADDRESS: DEPLOYMENT.registry,
    DATABASE_URL: database,
    STATEMENT_KEY_FILE: pathOf('statement.key'),
  };
  const store = await createStore(database);
  for (let n = 0; n < DECISIONS; n += 1) {
    await store.applyDecision({ ...provenDecision(n, 'main'), appliedAtMilliseconds: NOW * 1000 });
  }
  await store.recordStatementKeys({ signing: BUNDLE_KEY.address, announced: [] }, { nowSeconds: 0, lastSecond: 0 });
  await store.close();
  const { code, stdout, stderr } = await runSvc(['decisions', 'export', DID], { env });
  expect([code, stderr]).toEqual([0, '']);
  writeFileSync(pathOf('bundle.json'), stdout);
});
afterAll(() => {
  node.close();
  rmSync(folder, { recursive: true });
});

function respond(method: string, first: string & { data: string }): unknown {
  if (method === 'eth_chainId') return '0x7a69';
  if (method === 'eth_call') {
    const isOwner = first.data.startsWith('0x6352211e');
    return `0x${(isOwner ? owner : CONTROLLER.address).slice(2).padStart(64, '0')}`;
  }
  const timestamp = NOW - 1_100 + Number(first) - blockLag;
  return { number: first, hash: `0x${'b1'.repeat(32)}`, timestamp: `0x${timestamp.toString(16)}` };
}

const verify = (name: string, ...options: string[]) =>
  runSvc(['decisions', 'verify', pathOf(name), '--signer', BUNDLE_KEY.address, ...options], { env });

describe('an exported bundle', () => {
  it('is accepted, with and without replay', async () => {
    rule('decision-log.bundle');
    expect(bundleOf(pathOf('bundle.json')).decisions).toHaveLength(DECISIONS);
    expect((await verify('bundle.json')).code).toBe(0);
    const { code, stdout } = await verify('bundle.json', '--replay', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { machineId: '42', decisions: DECISIONS, replay: { compared: DECISIONS, differences: [], unchecked: 0 } },
    ]);
  });

  it('is accepted with a stored head of its chain, and no other', async () => {
    const [, second] = bundleOf(pathOf('bundle.json')).decisions;
    expect((await verify('bundle.json', '--head', second!.hash)).code).toBe(0);
    const { code, stderr } = await verify('bundle.json', '--head', `0x${'00'.repeat(32)}`);
    expect([code, stderr]).toEqual([4, expect.stringContaining('known head missing')]);
    expect((await verify('bundle.json', '--head', 'x')).code).toBe(2);
  });

  it('is refused after a change', async () => {
    const bundle = bundleOf(pathOf('bundle.json'));
    writeFileSync(pathOf('cut.json'), JSON.stringify({ ...bundle, decisions: bundle.decisions.slice(0, -1) }));
    const { code, stdout, stderr } = await verify('cut.json');
    expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining('the bundle proves nothing: wrong head')]);
  });

  it('is refused by the replay when the chain shows another owner', async () => {
    owner = STRANGER.address;
    const { code, stderr } = await verify('bundle.json', '--replay');
    owner = OWNER.address;
    expect([code, stderr]).toEqual([4, expect.stringContaining(`the owner was ${STRANGER.address}`)]);
  });

  it('is refused by the replay when its blocks were not the newest', async () => {
    blockLag = 3_600;
    const { code, stderr } = await verify('bundle.json', '--replay');
    blockLag = 0;
    expect([code, stderr]).toEqual([4, expect.stringContaining('was not the newest')]);
  });
});

it('docs/decision-log.md prints commands that succeed in their order', async () => {
  rule('documents.blocks');
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(pathOf('svc.env'), settings.join(''));
  const lines = listPageCommands('docs/decision-log.md', 'cli/commands/decisions.test.ts');
  expect(lines).toHaveLength(3);
  const [, second] = bundleOf(pathOf('bundle.json')).decisions;
  for (const line of lines) {
    const own = line.replace(/0x1A64\S*/, BUNDLE_KEY.address).replace('0x3f…', second!.hash);
    const { code, stderr } = await runInShell(own, folder);
    expect([line, code, stderr]).toEqual([line, 0, '']);
  }
});

describe('an export', () => {
  it.each([
    ['a machine without decisions', ['43'], {}, 1, 'no decision that can be proven'],
    ['a text that is no machine', ['x'], {}, 2, 'not a machine id or DID'],
    ['no key', [DID], { STATEMENT_KEY_FILE: '' }, 2, 'STATEMENT_KEY_FILE is not configured'],
  ] as const)('is refused for %s', async (_name, operands, changed, exitCode, reason) => {
    const { code, stdout, stderr } = await runSvc(['decisions', 'export', ...operands], {
      env: { ...env, ...changed },
    });
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(reason)]);
  });

  it('is refused for a key that the service does not use', async () => {
    writeFileSync(pathOf('other.key'), `0x${'08'.repeat(32)}`);
    const other = { ...env, STATEMENT_KEY_FILE: pathOf('other.key') };
    const { code, stderr } = await runSvc(['decisions', 'export', DID], { env: other });
    expect([code, stderr]).toEqual([1, expect.stringContaining('not in use')]);
  });

  it('is refused while the newest signature is not public', async () => {
    const store = await createStore(env['DATABASE_URL']!);
    const timestamp = Math.floor(Date.now() / 1000);
    await store.applyDecision({
      ...provenDecision(0, 'main', { machineId: (ID + 2n) as typeof ID, timestamp }),
      appliedAtMilliseconds: 0,
    });
    await store.close();
    const { code, stdout, stderr } = await runSvc(['decisions', 'export', String(ID + 2n)], { env });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('is not public before')]);
  });
});
