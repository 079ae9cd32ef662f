/** `svc doctor` on the devnet's chains, and on nodes that lack what the service needs. */
import { expect, inject, it } from 'vitest';
import { examineAltChain } from '../../cli/doctor/alt-chain.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';
import { readConfig } from '../../src/config.ts';
import { startRpcProxy, type RpcFault } from '../../testing/harness/rpc-proxy.ts';

const env = inject('devnetEnv');

it('reports no problem of the devnet', async () => {
  const { code, stdout } = await runSvc(['doctor'], { env: { ...env, DATABASE_URL: 'sqlite::memory:' } });
  expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok'))).toEqual([
    'warn  DATABASE_URL: in memory, so every start rebuilds the index; name a file to keep it',
  ]);
  expect(code).toBe(0);
});

/** Returns states and subjects of the findings about the alt chain behind a node with a fault. */
async function examine(fault: RpcFault | undefined, further: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const proxy = await startRpcProxy(env['ALT_RPC_URLS']!);
  if (fault !== undefined) proxy.inject(fault);
  const { config } = readConfig({ ...env, ALT_RPC_URLS: proxy.url, ...further }, { readFile: () => '' });
  try {
    const findings = await examineAltChain(config.altChain, Date.now);
    return findings.map(({ state, subject }) => `${state} ${subject}`);
  } finally {
    await proxy.close();
  }
}

/** Changes the result of one method. */
function answering(method: string, result: unknown): RpcFault {
  return { kind: 'answer', change: (response, call) => (call.method === method ? { result } : response) };
}

it('reports no problem of the alt chain', async () => {
  expect(await examine(undefined)).toEqual(['ok alt chain', 'ok ALT_FIRST_SLOT', 'ok alt fleets']);
});

it.each<[name: string, fault: RpcFault, findings: string[]]>([
  ['is unreachable', { kind: 'cut' }, ['unreachable ALT_RPC_URLS', 'unreachable ALT_RPC_URLS']],
  [
    'serves another cluster',
    answering('getGenesisHash', '1'.repeat(32)),
    ['fail ALT_GENESIS_HASH', 'unreachable ALT_RPC_URLS'],
  ],
  [
    'has pruned its history',
    answering('getFirstAvailableBlock', 9_000_000),
    ['ok alt chain', 'fail ALT_FIRST_SLOT', 'ok alt fleets'],
  ],
  [
    'omits machines',
    {
      kind: 'answer',
      change: (response, { method, params }) => {
        if (method !== 'getProgramAccounts' || !('result' in response)) return response;
        expect(params.length).toBe(2);
        const result = response.result as { context: object; value: unknown[] };
        return { result: { ...result, value: result.value.slice(1) } };
      },
    },
    ['ok alt chain', 'ok ALT_FIRST_SLOT', 'warn alt fleets'],
  ],
  [
    'refuses to list machines',
    {
      kind: 'answer',
      change: (response, { method }) =>
        method === 'getProgramAccounts' ? { error: { code: -32_010, message: 'excluded' } } : response,
    },
    ['ok alt chain', 'ok ALT_FIRST_SLOT', 'unreachable alt fleets'],
  ],
])('reports a node that %s', async (_name, fault, findings) => {
  expect(await examine(fault)).toEqual(findings);
});

it('reports that no alt chain is configured', async () => {
  expect(await examineAltChain(undefined, Date.now)).toEqual([
    { state: 'ok', subject: 'alt chain', text: 'not configured; its machines are homed elsewhere' },
  ]);
});
