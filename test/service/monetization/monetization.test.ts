/**
 * Opt-in decisions signed with the keys of the devnet's machines, with a database on disk, up to a thousand concurrent ones (interface,
 * Monetization; http-facts 9).
 */
import type { DecisionLogResponse } from '../../../client/client.ts';
import { replayAuthority, type StatedAuthority } from '../../../cli/replay/decision-authority.ts';
import { createRpc } from '../../../cli/replay/json-rpc.ts';
import { on, once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Address, MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import type { PublishedDeployment } from '../../../src/domain/monetization/decision.ts';
import type { ChangePageResponse } from '../../../src/http/wire/response-types.ts';
import { prepareDecision } from '../../../src/domain/monetization/prepared-decision.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import {
  conformanceOf,
  type OpenapiConformance,
  type OpenapiDocument,
} from '../../../testing/harness/openapi-conformance.ts';
import { findMessageProblems, type AsyncapiDocument } from '../../../testing/harness/asyncapi-conformance.ts';
import { rule } from '../../conformance/rule.ts';
import { runSvc } from '../../../testing/harness/run-svc.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';

const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);

let folder: string;
let database: string;
let proxied: ProxiedService;
let url: string;
let conformance: OpenapiConformance;
let deployment: PublishedDeployment;
/** Receives the webhooks of one machine. */
let receiver: Server;
const WEBHOOK_SECRET = `whsec_${'A'.repeat(32)}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'monetization-'));
  database = join(folder, 'svc.db');
  copyFileSync(inject('indexedDatabase'), database);
  receiver = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      receiver.emit('delivered', incoming.headers, body);
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  proxied = await startProxiedService({ DATABASE_URL: `sqlite:${database}`, WATCH_FILE: writeWatchFile() });
  url = proxied.service.url;
  conformance = conformanceOf((await fetchChecked(`${url}/openapi.json`)).json<OpenapiDocument>());
  const published = (await fetchChecked(`${url}/.well-known/svc-monetization`)).json<{
    chain_id: string;
    registry: Address;
  }>();
  deployment = { chainId: published.chain_id, registry: published.registry };
});
afterAll(async () => {
  await proxied.close();
  receiver.close();
  rmSync(folder, { recursive: true });
});

function writeWatchFile(): string {
  const [path, secretFile] = [join(folder, 'watch.json'), join(folder, 'secret')];
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  writeFileSync(secretFile, WEBHOOK_SECRET);
  const machines = [machineOf('rated-b').did];
  writeFileSync(path, JSON.stringify({ receivers: [{ name: 'desk', url, secret_file: secretFile, machines }] }));
  return path;
}

const now = () => Math.floor(Date.now() / 1000);
const pathOf = (did: string) => `/machine/${encodeURIComponent(did)}/monetization`;

/** Returns the body of a decision signed by `key`. */
function sign(id: string, key: string, optedIn: boolean, timestamp: number): string {
  const decision = { machineId: BigInt(id) as MachineId, optedIn, timestamp };
  const { message } = prepareDecision(decision, { chain: 'main' }, deployment, DEFAULT_NAMESPACE);
  const signature = createMainChainKey(Buffer.from(key.slice(2), 'hex')).sign(message);
  return JSON.stringify({ opted_in: optedIn, timestamp, signature });
}

async function put(did: string, body: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, headers, text } = await fetchChecked(url + pathOf(did), { method: 'PUT', body });
  conformance.expectDocumented('PUT', pathOf(did), { status, headers: Object.fromEntries(headers), text });
  const json = JSON.parse(text) as { detail?: Record<string, unknown> };
  return { status, body: json.detail ?? json };
}

const decide = (name: string, optedIn: boolean, timestamp = now(), key: string = machineOf(name).ownerKey) =>
  put(machineOf(name).did, sign(machineOf(name).id, key, optedIn, timestamp));

const code = async (response: ReturnType<typeof put>) => {
  const { status, body } = await response;
  return `${status} ${String(body['code'] ?? body['status'])}`;
};

describe('the owner', () => {
  it('opts a machine in and out again', async () => {
    rule(
      'opt-in.state-members',
      'opt-in.any-state',
      'monetization.state',
      'monetization.main-signers',
      'monetization.resolved-id',
      'monetization.put',
      'opt-in.strictly-newer',
    );
    const { id, did, owner } = machineOf('fresh');
    const at = now() - 100;
    const state = (status: string, signer: string | null, updated_at: number | null) => ({
      machine_id: id,
      status,
      signer,
      updated_at,
      signer_is_current: signer === null ? null : true,
    });
    const read = async () => (await fetchChecked(url + pathOf(did))).json();
    expect(await read()).toEqual(state('PENDING', null, null));
    expect(await decide('fresh', true, at)).toEqual({ status: 200, body: state('OPTED_IN', owner, at) });
    expect(await read()).toEqual(state('OPTED_IN', owner, at));
    expect(await code(decide('fresh', false, at))).toBe('409 STALE_SIGNATURE');
    expect(await code(decide('fresh', true, at))).toBe('409 STALE_SIGNATURE');
    expect(await decide('fresh', false, at + 1)).toEqual({ status: 200, body: state('OPTED_OUT', owner, at + 1) });
    expect(await read()).toEqual(state('OPTED_OUT', owner, at + 1));
  });

  it('are logged with the authority that the chain shows at their blocks', async () => {
    rule('decision-log.history', 'decision-log.bundle');
    const { did } = machineOf('with-controller');
    for (const [offset, optedIn] of [true, false].entries())
      await decide('with-controller', optedIn, now() - 50 + offset);
    const path = `${pathOf(did)}/history`;
    const { decisions, head } = (await fetchChecked(url + path)).json<DecisionLogResponse>();
    const rows = decisions as readonly (StatedAuthority & { hash: string; previous: string | null })[];
    expect([rows.length, head, rows[0]!.previous]).toEqual([2, rows[0]!.hash, rows[1]!.hash]);
    const { rpcUrl, chainId, addresses } = inject('fixtures').mainChain;
    const rpc = createRpc({ urls: [rpcUrl], fetch, wait: () => Promise.resolve() });
    const location = { chainId: BigInt(chainId), machineRegistry: addresses.machineRegistry };
    expect(await replayAuthority(rpc, location, rows)).toEqual({ compared: 2, differences: [], unchecked: 0 });
  });

  it.each([
    ['grace', '200 OPTED_IN'],
    ['unbonded', '409 MACHINE_NOT_BONDED'],
    ['runoff', '409 MACHINE_NOT_BONDED'],
    ['deactivated', '409 MACHINE_DEACTIVATED'],
    ['suspended', '503 MACHINE_UNAVAILABLE'],
    ['technical-pause', '503 MACHINE_UNAVAILABLE'],
  ])('of %s gets %s on opting in, and may opt out', async (name, expected) => {
    rule('opt-in.precondition', 'opt-in.availability', 'opt-in.exit-always');
    const at = now() - 10;
    expect(await code(decide(name, true, at))).toBe(expected);
    expect(await code(decide(name, false, at + 1))).toBe('200 OPTED_OUT');
  });

  it.each([
    ['relocating', '200 OPTED_OUT'],
    ['homed-elsewhere', '409 MACHINE_HOMED_ELSEWHERE'],
    ['retired', '404 MACHINE_NOT_FOUND'],
    ['reissued-old', '404 MACHINE_NOT_FOUND'],
  ])('of %s gets %s on opting out', async (name, expected) => {
    rule('monetization-errors.not-found');
    expect(await code(decide(name, false))).toBe(expected);
  });
});

it('sends no transaction', async () => {
  rule('service.single-write', 'opt-in.any-state');
  proxied.proxy.resetCounts();
  expect(await code(decide('kyb-expired', true, now() - 5))).toBe('200 OPTED_IN');
  expect(await code(decide('kyb-expired', false, now() - 4))).toBe('200 OPTED_OUT');
  const methods = [...new Set(proxied.proxy.calls.map(({ method }) => method))];
  expect(methods).toContain('eth_call');
  expect(methods.filter((method) => /send|sign/i.test(method))).toEqual([]);
});

it.each(['did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'])(
  'returns 400 for the key %s: only decimal machine DIDs are supported',
  async (key) => {
    rule('monetization.address-key');
    const detail = {
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('Only decimal machine DIDs are supported'),
    };
    for (const method of ['GET', 'PUT']) {
      const { status, json } = await fetchChecked(url + pathOf(key), {
        method,
        ...(method === 'PUT' && { body: '{}' }),
      });
      expect([status, json()]).toEqual([400, { detail }]);
    }
  },
);

describe('the signer', () => {
  it('may be the controller', async () => {
    rule('monetization.main-signers');
    const { controller, controllerKey } = machineOf('with-controller');
    const { status, body } = await decide('with-controller', true, now(), controllerKey!);
    expect([status, body['signer']]).toEqual([200, controller]);
  });

  it('may be the buyer of a sold machine, or the controller that it retains', async () => {
    const { controllerKey } = machineOf('sold');
    expect(await code(decide('sold', true, now() - 5))).toBe('200 OPTED_IN');
    expect(await code(decide('sold', false, now() - 4, controllerKey!))).toBe('200 OPTED_OUT');
  });

  it('may be no other account', async () => {
    rule('monetization.main-no-other-signer', 'monetization-errors.rounded-message-id');
    const { did } = machineOf('rated-b');
    expect(await code(decide('rated-b', true, now(), machineOf('fresh').ownerKey))).toBe('403 UNAUTHORIZED_SIGNER');
    const ofAnother = sign(machineOf('fresh').id, machineOf('rated-b').ownerKey, true, now());
    expect(await code(put(did, ofAnother))).toBe('403 UNAUTHORIZED_SIGNER');
    const rounded = sign(String(BigInt(Number(machineOf('rated-b').id))), machineOf('rated-b').ownerKey, true, now());
    expect(await code(put(did, rounded))).toBe('403 UNAUTHORIZED_SIGNER');
  });

  it.each([
    [-400, '409 STALE_SIGNATURE'],
    [60, '409 STALE_SIGNATURE'],
  ])('may not sign %i s from now', async (offset, expected) => {
    rule('opt-in.freshness-window', 'monetization-errors.stale-signature');
    expect(await code(decide('rated-b', true, now() + offset))).toBe(expected);
  });
});

describe('an unreachable node', () => {
  it('leaves the well-known document available and accepts no decision', async () => {
    proxied.proxy.inject({ kind: 'cut' }, Number.MAX_SAFE_INTEGER);
    try {
      expect((await fetchChecked(`${url}/.well-known/svc-monetization`)).status).toBe(200);
      expect(await code(decide('dormant', true))).toBe('503 CHAIN_UNAVAILABLE');
    } finally {
      proxied.proxy.heal();
    }
    await expect.poll(async () => code(decide('dormant', true)), { timeout: 20_000 }).toBe('200 OPTED_IN');
  });
});

describe('the last of 1,000 decisions, 250 at a time', () => {
  const RACERS = 1_000;
  // As many as a busy machine serves within the deadline of a request; a decision that ends with 503 may be in the log or not.
  const AT_A_TIME = 250;

  it('is the newest, and the decision log equals the acknowledged ones in order', async () => {
    rule('opt-in.strictly-newer');
    const { id, did, ownerKey } = machineOf('activity-only');
    const from = now() - 280;
    // 250 seconds, each signed four times for both states, in an unrelated order.
    const bodies = Array.from({ length: RACERS }, (_, n) => {
      const place = (n * 617) % RACERS;
      return sign(id, ownerKey, place % 2 === 0, from + Math.floor(place / 4));
    });
    const agent = new Agent({ maxSockets: AT_A_TIME, keepAlive: false });
    const responses = await Promise.all(bodies.map((body) => putThrough(agent, pathOf(did), body)));
    agent.destroy();

    const outcomes = responses.map(({ status, text }) => (status === 200 || status === 409 ? status : text));
    expect(new Set(outcomes)).toEqual(new Set([200, 409]));
    const won = responses
      .filter(({ status }) => status === 200)
      .map(({ text }) => JSON.parse(text) as { updated_at: number });
    const newest = (await fetchChecked(url + pathOf(did))).json<{ updated_at: number }>();
    expect(newest.updated_at).toBe(from + RACERS / 4 - 1);
    const wonAt = won.map(({ updated_at }) => updated_at).toSorted((a, b) => a - b);
    expect(readAudit(id).map(({ signed_at }) => signed_at)).toEqual(wonAt);
    const appliedAt = readAudit(id).map(({ applied_at }) => applied_at);
    expect(appliedAt).toEqual(appliedAt.toSorted((a, b) => a - b));
    expect(new Set(wonAt).size).toBe(wonAt.length);
  });

  function putThrough(agent: Agent, path: string, body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      request({ hostname, port, path, method: 'PUT', agent }, (response) => {
        const read = response.setEncoding('utf8').toArray();
        read.then((chunks) => resolve({ status: response.statusCode!, text: chunks.join('') }), reject);
      })
        .on('error', reject)
        .end(body);
    });
  }

  /** Reads the decision log from the file, without the service. */
  function readAudit(id: string): { signed_at: number; applied_at: number }[] {
    const connection = new Sqlite(database, { readonly: true });
    const machineId = Buffer.from(BigInt(id).toString(16).padStart(64, '0'), 'hex');
    const rows = connection
      .prepare('SELECT signed_at, applied_at FROM decision_audit WHERE machine_id = ? ORDER BY signed_at')
      .all(machineId);
    connection.close();
    return rows as { signed_at: number; applied_at: number }[];
  }
});

describe('svc monetize', () => {
  it('decides with the key of a machine and prints the stored state', async () => {
    const { did, ownerKey, owner } = machineOf('multi-currency');
    const { chainId, addresses } = inject('fixtures').mainChain;
    const expected = ['--chain-id', String(chainId), '--registry', addresses.machineRegistry];
    const args = ['monetize', did, '--opt-in', '--base-url', url, '--json', ...expected];
    const { code: exitCode, stdout } = await runSvc(args, { env: { SVC_KEY: ownerKey } });
    const printed: unknown = JSON.parse(stdout);
    expect([exitCode, printed]).toEqual([0, expect.objectContaining({ status: 'OPTED_IN', signer: owner })]);
    expect((await fetchChecked(url + pathOf(did))).json()).toEqual(printed);
  });
});

describe('the feed of changes', () => {
  it('sends a decision to the stream and to the receiver that watches the machine, and lists it', async () => {
    const readPage = async (query: string) => (await fetchChecked(`${url}/changes${query}`)).json<ChangePageResponse>();
    // The machines of the devnet are observed once before the feed records changes.
    const { newest } = await vi.waitFor(
      async () => {
        const page = await readPage('');
        expect(page.opened_at).not.toBeNull();
        return page;
      },
      { timeout: 60_000, interval: 200 },
    );
    const { id, did } = machineOf('rated-b');
    const webhooks = on(receiver, 'delivered') as AsyncIterable<[Record<string, string>, string]>;
    const stream = await fetch(`${url}/changes/stream?after=${newest}&kinds=opt-in`);
    expect((await decide('rated-b', true)).status).toBe(200);
    const change = await findStreamed(stream, id);
    expect(change).toMatchObject({ kind: 'opt-in', machine_id: id, did, from: 'PENDING', to: 'OPTED_IN' });
    expect((await readPage(`?after=${change.cursor - 1}&limit=1`)).changes).toEqual([change]);
    // Other changes of the machine may be delivered before.
    const [headers, body] = await findWebhook(webhooks, `change-${change.cursor}`);
    expect(new Webhook(WEBHOOK_SECRET).verify(body, headers)).toEqual({
      type: 'machine.changed',
      timestamp: expect.any(String) as string,
      data: change,
    });
    const document = (await fetchChecked(`${url}/asyncapi.json`)).json<AsyncapiDocument>();
    expect([
      ...findMessageProblems(document, ['changeStream', 'change'], { payload: change }),
      ...findMessageProblems(document, ['webhook', 'machineChanged'], {
        payload: JSON.parse(body) as unknown,
        headers,
      }),
    ]).toEqual([]);
  });
});

type Change = ChangePageResponse['changes'][number];

/** Returns the first complete change of the machine; decisions of other tests may be streamed before. */
async function findStreamed(stream: Response, machineId: string): Promise<Change> {
  let sent = '';
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    sent += chunk;
    const changes = sent.matchAll(/event: change\ndata: (.*)\n\n/g).map(([, data]) => JSON.parse(data!) as Change);
    const found = changes.find((change) => change.machine_id === machineId);
    if (found !== undefined) return found;
  }
  throw new Error('the stream ended');
}

async function findWebhook(
  webhooks: AsyncIterable<[Record<string, string>, string]>,
  id: string,
): Promise<[Record<string, string>, string]> {
  for await (const webhook of webhooks) if (webhook[0]['webhook-id'] === id) return webhook;
  throw new Error('the receiver was closed');
}
