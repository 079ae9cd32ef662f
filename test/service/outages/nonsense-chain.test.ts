/** Invalid responses of a node: 503, never a wrong 200 or 404, and recovery without a restart (chain-evm 7.10). */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Service } from '../../../src/main.ts';
import { PROXY_KEY, type RpcFault, type RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const { machines } = inject('fixtures');
const rated = findMachine(machines, 'rated-aaa');

/** Next id that no machine has. Each is requested once, so that no cached fact can answer. */
let unusedId = 1_000_000;
let proxied: ProxiedService;
let proxy: RpcProxy;
let lines: readonly string[];
let service: Service;

beforeAll(async () => {
  proxied = await startIndexedService();
  ({ service, proxy, lines } = proxied);
});
/** Waits until the circuit breaker of the node has closed, so that the next fault is the one that is reported. */
beforeEach(async () => {
  proxy.heal();
  await expect
    .poll(async () => (await fetchChecked(`${service.url}/mcr/did:svc:${++unusedId}`)).status, { timeout: 60_000 })
    .toBe(404);
});
afterAll(() => proxied.close());

const READS = ({ id, did }: { id: string; did: string }) => [
  `/mcr/${did}`,
  `/machine/${did}`,
  `/metadata/${id}`,
  `/machines/${id}`,
];

/** Faults that make every response of the node unusable. */
const NONSENSE: readonly (readonly [name: string, fault: RpcFault])[] = [
  ['cuts connections', { kind: 'cut' }],
  ['answers 500', { kind: 'status', status: 500, body: 'no' }],
  ['truncates JSON', { kind: 'body', change: (body) => body.slice(0, body.length >> 1) }],
  ['answers HTML', { kind: 'body', change: () => '<html></html>' }],
  ['answers null', { kind: 'answer', change: () => ({ result: null }) }],
  ['answers 0x', { kind: 'answer', change: () => ({ result: '0x' }) }],
  ['answers zeros', { kind: 'answer', change: () => ({ result: `0x${'00'.repeat(4096)}` }) }],
  ['answers a number', { kind: 'answer', change: () => ({ result: 5 }) }],
  ['loses every answer', { kind: 'answer', change: () => undefined }],
  ['errs without revert data', { kind: 'answer', change: () => ({ error: { code: -32603, message: PROXY_KEY } }) }],
  [
    'reverts with empty data',
    { kind: 'answer', change: () => ({ error: { code: 3, message: 'execution reverted', data: '0x' } }) },
  ],
  [
    'reverts as if no machine existed',
    {
      kind: 'answer',
      change: () => ({ error: { code: 3, message: PROXY_KEY, data: `0x7e273289${'00'.repeat(32)}` } }),
    },
  ],
  // Last, because the service then sends fewer calls for some seconds.
  ['answers 429', { kind: 'status', status: 429, headers: { 'Retry-After': '1' }, body: '{}' }],
];

/** Where the service has learned a rate from a refusal, a read may wait too long for its turn. */
const REFUSED_TURN = 'Too many new lookups, retry later';

describe.each(NONSENSE)('a node that %s', (_name, fault) => {
  it('makes every read return 503 with a documented detail', async () => {
    rule('reads.absent-is-not-unreadable', 'security.faulty-dependency');
    const unknown = String(++unusedId);
    proxy.resetCounts();
    proxy.inject(fault, Number.MAX_SAFE_INTEGER);
    for (const path of READS({ id: unknown, did: `did:svc:${unknown}` })) {
      const response = await fetchChecked(service.url + path);
      const { detail } = response.json<{ detail: string }>();
      const isRefusedTurn = fault.kind === 'status' && fault.status === 429 && detail === REFUSED_TURN;
      expect([response.status, detail]).toEqual([503, isRefusedTurn ? REFUSED_TURN : 'Chain unavailable']);
      expect(response.headers.get('retry-after')).toMatch(isRefusedTurn ? /^\d+$/ : /^30$/);
      expect(response.text).not.toContain(PROXY_KEY);
    }
    // The node was asked: no breaker was open. Where a new head was due, its header is all that was read.
    expect(proxy.requests).toBeGreaterThan(0);
  });
});

describe('the service afterwards', () => {
  it('serves again without a restart', async () => {
    const read = async () => {
      const response = await fetchChecked(`${service.url}/mcr/${rated.did}`);
      return [response.status, response.json<{ mcr: string }>().mcr];
    };
    await expect.poll(read, { timeout: 60_000 }).toEqual([200, 'AAA']);
  });

  it('has logged no key of a URL and no text of the node', () => {
    rule('security.no-secret-in-errors');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).not.toContain(PROXY_KEY);
  });
});
