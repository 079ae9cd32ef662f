/**
 * Verify record in front of a real chain: exact bytes and headers, also for errors of framework and parser; the current state of the chain; the
 * rate limit and the deadline of a deployment (interface, Verify read; evidence 2 and 3).
 */
import { stringToHex, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accountOf } from '../../../devnet/accounts.ts';
import { startBareChain, type BareChain } from '../../../devnet/main-chain/bare-chain.ts';
import type { Call } from '../../../devnet/main-chain/chain-writer.ts';
import {
  activateMachine,
  adminCall,
  machineIdOf,
  setController,
  transferMachine,
} from '../../../devnet/main-chain/calls.ts';
import { sendRaw, type RawResponse } from '../../../testing/harness/raw-http.ts';
import { respondInner } from '../../../testing/harness/rpc-proxy.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { untilObserved } from '../first-work.ts';
import { holdHead } from '../hold-head.ts';
import { startIndexedService, startProxiedService, type ProxiedService } from '../proxied-service.ts';

const baseUrl = inject('baseUrl');
const { machines, mainChain } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const pathOf = (id: string | bigint) => `/v1/verify/machines/${id}`;

interface Statuses {
  readonly verification: { readonly kyb: { readonly status: string }; readonly chip: { readonly status: string } };
}

const statusesOf = async (url: string): Promise<string> => {
  const response = await fetchChecked(url);
  if (response.status !== 200) return String(response.status);
  const { verification } = response.json<Statuses>();
  return `${verification.kyb.status} ${verification.chip.status}`;
};

const codeOf = async (url: string): Promise<string> => {
  const { status, json } = await fetchChecked(url);
  return `${status} ${json<{ detail: { code: string } }>().detail.code}`;
};

/** Sends a raw request and returns its only response. The connection ends with it. */
async function send(url: string, text: string): Promise<RawResponse> {
  const { responses } = await sendRaw(Number(new URL(url).port), text);
  expect(responses).toHaveLength(1);
  return responses[0]!;
}

const requestOf = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n');

/** Asserts evidence 2, items 1 to 9. Only a 405 has `allow`. */
function expectConduct({ status, headers, text }: RawResponse): void {
  const { date, connection, allow, 'content-length': length, ...others } = headers;
  expect([others, typeof date, connection]).toEqual([
    {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    },
    'string',
    'close',
  ]);
  expect([allow, Number(length) > 2 && Number(length) <= 4096]).toEqual([status === 405 ? 'GET' : undefined, true]);
  if (status === 200) return;
  const { detail, ...rest } = JSON.parse(text) as { detail: Record<string, unknown> };
  expect([Object.keys(rest), Object.keys(detail).sort()]).toEqual([[], ['code', 'message']]);
  expect(Object.values(detail).map((value) => typeof value)).toEqual(['string', 'string']);
}

describe('the record', () => {
  it('has exactly the documented bytes and headers', async () => {
    rule('verify-read.headers');
    const { id, did, owner, controller } = machineOf('with-controller');
    const response = await send(baseUrl, requestOf(`GET ${pathOf(id)}`, 'Accept: application/json'));
    expectConduct(response);
    expect(response.text).toBe(
      `{"machineId":"${id}","machineDid":"${did}","homeChain":{"kind":"evm","chainId":"${mainChain.chainId}"},` +
        `"didController":{"kind":"evm","address":"${controller}"},"operator":{"kind":"evm","address":"${owner}"},` +
        '"verification":{"kyb":{"status":"unverified"},"chip":{"status":"unverified"}}}',
    );
    expect(response.headers['content-length']).toBe(String(response.text.length));
  });

  it('is never compressed and ignores conditional headers', async () => {
    rule('verify-read.no-redirect');
    const { id } = machineOf('verified');
    const wishes = ['Accept-Encoding: gzip, br', 'If-None-Match: *', 'Origin: https://a.example'];
    const response = await send(baseUrl, requestOf(`GET ${pathOf(id)}`, ...wishes));
    expectConduct(response);
    expect([response.status, Object.keys(JSON.parse(response.text) as object)]).toEqual([
      200,
      ['machineId', 'machineDid', 'homeChain', 'didController', 'operator', 'verification'],
    ]);
  });
});

describe('an error has the headers of the record:', () => {
  const path = pathOf(machineOf('verified').id);
  const long = 'x'.repeat(40_000);

  it.each<[expected: string, name: string, text: string]>([
    ['404 VERIFY_ROUTE_NOT_FOUND', 'an unknown path', requestOf('GET /v1/verify/nothing')],
    ['404 VERIFY_ROUTE_NOT_FOUND', 'a trailing slash', requestOf(`GET ${path}/`)],
    ['404 VERIFY_ROUTE_NOT_FOUND', 'no id', requestOf('GET /v1/verify/machines/')],
    ['404 MACHINE_NOT_FOUND', 'an unknown machine', requestOf(`GET ${pathOf('1')}`)],
    ['405 METHOD_NOT_ALLOWED', 'POST', requestOf(`POST ${path}`, 'Content-Length: 0')],
    ['405 METHOD_NOT_ALLOWED', 'a preflight', requestOf(`OPTIONS ${path}`, 'Origin: https://a.example')],
    ['406 NOT_ACCEPTABLE', 'another type', requestOf(`GET ${path}`, 'Accept: text/html')],
    ['400 INVALID_REQUEST', 'an empty query', requestOf(`GET ${path}?`)],
    ['400 INVALID_REQUEST', 'a query', requestOf(`GET ${path}?a=b`)],
    ['400 INVALID_REQUEST', 'a body', `${requestOf(`GET ${path}`, 'Content-Length: 2')}{}`],
    [
      '400 INVALID_REQUEST',
      'an empty body in chunks',
      `${requestOf(`GET ${path}`, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['400 INVALID_REQUEST', 'two lengths', requestOf(`GET ${path}`, 'Content-Length: 0', 'Content-Length: 1')],
    ['400 INVALID_REQUEST', 'two hosts', requestOf(`GET ${path}`, 'Host: b')],
    ['405 METHOD_NOT_ALLOWED', 'an unknown method', requestOf(`NONSENSE ${path}`)],
    ['400 INVALID_REQUEST', 'a broken header', requestOf(`GET ${path}`, 'no colon')],
    ['400 INVALID_MACHINE_ID', 'a broken encoding', requestOf('GET /v1/verify/machines/%FF')],
    ['413 REQUEST_TOO_LARGE', 'an unknown header', requestOf(`GET ${path}`, `X: ${long}`)],
    ['413 REQUEST_TOO_LARGE', 'a header that is too long', requestOf(`GET ${path}`, `X: ${long.slice(0, 20_000)}`)],
    ['413 REQUEST_TOO_LARGE', 'a target that is too long', requestOf(`GET ${pathOf(`1${long.slice(0, 20_000)}`)}`)],
  ])('returns %s for %s', async (expected, _name, text) => {
    const response = await send(baseUrl, text);
    expectConduct(response);
    expect(`${response.status} ${(JSON.parse(response.text) as { detail: { code: string } }).detail.code}`).toBe(
      expected,
    );
  });

  it('returns 405 METHOD_NOT_ALLOWED for HEAD, without a body', async () => {
    const { port } = new URL(baseUrl);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'HEAD' });
    const { status, headers } = response;
    expect([status, headers.get('allow'), headers.get('pragma'), headers.get('cache-control')]).toEqual([
      ...[405, 'GET', 'no-cache', 'no-store'],
    ]);
    expect(await response.text()).toBe('');
  });
});

/** Runs on a separate chain: further blocks would outrun the index of the shared service. */
describe('the current state of the chain', () => {
  const owner = accountOf('verify-record owner').address;
  const buyer = accountOf('verify-record buyer').address;
  const delegate = accountOf('verify-record delegate').address;
  const credentials = { machineType: 'Sensor', credentialSubject: stringToHex('the machine of this suite') };
  const id = machineIdOf(credentials);
  let chain: BareChain;
  let own: ProxiedService;
  const mine = (...calls: Call[]) => chain.writer.mine(calls);
  const attest = (functionName: string, ...args: unknown[]) =>
    adminCall(chain.deployment, 'attestationRegistry', functionName, args);
  const statuses = () => statusesOf(own.service.url + pathOf(id));
  const roles = async () => {
    const response = await fetchChecked(own.service.url + pathOf(id));
    const { didController, operator } = response.json<Record<string, { address: string }>>();
    return [didController!.address, operator!.address];
  };

  beforeAll(async () => {
    chain = await startBareChain();
    const { chainId, startBlock, addresses } = chain.deployment;
    const toVariable = (name: string) => `${name.replace(/[A-Z]/g, '_$&').toUpperCase()}_ADDRESS`;
    own = await startProxiedService({
      // A new chain has no finalized block, and the record needs no index.
      INDEXER: 'off',
      MAIN_RPC_URLS: chain.rpcUrl,
      MAIN_CHAIN_ID: String(chainId),
      MAIN_START_BLOCK: String(startBlock),
      ...Object.fromEntries(Object.entries(addresses).map(([name, address]) => [toVariable(name), address])),
    });
  });
  afterAll(async () => {
    await own.close();
    await chain.stop();
  });

  it('includes a machine from its activation', async () => {
    expect(await codeOf(own.service.url + pathOf(id))).toBe('404 MACHINE_NOT_FOUND');
    await mine(activateMachine(chain.deployment, { from: owner, ...credentials }));
    await expect.poll(statuses, { timeout: 20_000 }).toBe('unverified unverified');
  });

  /** Each step requests the cached record first, so that the cache must be invalidated. */
  it('changes each topic independently of the other', async () => {
    rule('verify.independent-statuses');
    const soon = BigInt(Math.floor(Date.now() / 1000) + 3600);
    const hash = `0x${'11'.repeat(32)}`;
    for (const [call, expected] of [
      [attest('attestKyb', owner, 0n, hash), 'verified unverified'],
      [attest('attestChip', id, soon, hash, hash, hash), 'verified verified'],
      [attest('revokeKyb', owner), 'revoked verified'],
      [attest('revokeChip', id), 'revoked revoked'],
      [attest('attestKyb', owner, soon, hash), 'verified revoked'],
    ] as const) {
      await mine(call);
      await expect.poll(statuses, { timeout: 20_000 }).toBe(expected);
    }
  });

  it('follows the delegate; a sale moves KYB to the buyer and leaves the chip', async () => {
    rule('verify.topic-subjects');
    expect(await roles()).toEqual([owner, owner]);
    await mine(setController(chain.deployment, owner, id, delegate));
    await expect.poll(roles, { timeout: 20_000 }).toEqual([delegate, owner]);
    await mine(transferMachine(chain.deployment, owner, buyer, id));
    await expect.poll(statuses, { timeout: 20_000 }).toBe('unverified revoked');
    expect(await roles()).toEqual([delegate, buyer]);
  });
});

describe('a separate service', () => {
  let proxied: ProxiedService | undefined;
  const start = async (further: Readonly<Record<string, string>> = {}) =>
    (proxied = await startIndexedService(further));
  const url = (name: string) => proxied!.service.url + pathOf(machineOf(name).id);

  afterAll(() => proxied?.close());
  const restart = async (further: Readonly<Record<string, string>> = {}) => {
    await proxied?.close();
    return start(further);
  };

  it('reads a cold record with one call, and none while nothing changes', async () => {
    const { proxy, service } = await restart();
    await untilObserved(service.url);
    // After a new block cached machines are read again.
    await holdHead(proxied!);
    const word = BigInt(machineOf('verified').id).toString(16).padStart(64, '0');
    const isOfMachine = (call: string) => call.includes('"eth_call"') && call.includes(word);
    const calls = () => proxy.calls.filter((call) => isOfMachine(JSON.stringify(call))).length;
    // The facts of the deployment are read once, with the first machine or before it.
    await statusesOf(url('chip-revoked'));
    proxy.resetCounts();
    expect(await Promise.all(Array.from({ length: 50 }, () => statusesOf(url('verified'))))).toEqual(
      Array.from({ length: 50 }, () => 'verified verified'),
    );
    expect(calls()).toBe(1);
    expect([await statusesOf(url('verified')), calls()]).toEqual(['verified verified', 1]);
  });

  it('returns 503 on this route only when the attestation registry is unreadable', async () => {
    const { proxy, service } = await restart();
    const reverts = { success: false, returnData: '0x' } as const;
    proxy.inject(respondInner(toFunctionSelector('recordsOf(uint256)'), reverts));
    const { id } = machineOf('chip-revoked');
    expect(await codeOf(url('chip-revoked'))).toBe('503 VERIFY_READ_UNAVAILABLE');
    expect((await fetchChecked(`${service.url}/machines/${id}`)).status).toBe(200);
    proxy.heal();
    await expect.poll(() => statusesOf(url('chip-revoked')), { timeout: 20_000 }).toBe('verified revoked');
  });

  it('returns 503 by its deadline while the chain is silent, and recovers', async () => {
    rule('verify-errors.deadline');
    const { proxy, lines } = await restart();
    const { promise: until, resolve: release } = Promise.withResolvers<undefined>();
    proxy.inject({ kind: 'hold', until });
    expect(await codeOf(url('kyb-expired'))).toBe('503 VERIFY_READ_UNAVAILABLE');
    proxy.heal();
    release(undefined);
    const refused = lines.map((line) => JSON.parse(line) as object).filter((line) => 'fault' in line);
    expect(refused).toEqual([expect.objectContaining({ fault: 'ChainUnreadable', cause: 'deadline' })]);
    await expect.poll(() => statusesOf(url('kyb-expired')), { timeout: 20_000 }).toBe('expired unverified');
  });

  it('returns unverified without an attestation registry', async () => {
    await proxied?.close();
    // An index of its own: the shared one has the logs of the registry.
    proxied = await startProxiedService({ ATTESTATION_REGISTRY_ADDRESS: '' });
    expect(await statusesOf(url('verified'))).toBe('unverified unverified');
  });

  it('refuses the 61st request of a minute over all ids with the coded 429', async () => {
    const { service } = await restart({ RATE_LIMITS: 'on' });
    const ids = Array.from({ length: 30 }, (_, i) => [pathOf(String(i)), pathOf(machineOf('verified').id)]).flat();
    const admitted = await Promise.all(ids.map(async (path) => (await fetchChecked(service.url + path)).status));
    expect(admitted).not.toContain(429);
    const refused = await send(service.url, requestOf(`GET ${pathOf(machineOf('kyb-expired').id)}`));
    expectConduct(refused);
    expect([refused.status, refused.text]).toEqual([
      429,
      '{"detail":{"code":"RATE_LIMITED","message":"Too many requests."}}',
    ]);
    expect((await fetchChecked(`${service.url}/machines/${machineOf('verified').id}`)).status).toBe(200);
  });
});
