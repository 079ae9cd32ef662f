/** `svc doctor` on the devnet's chains, and on nodes that lack what the service needs. */
import { describe, expect, inject, it } from 'vitest';
import type { Finding } from '../../../cli/doctor/check-result.ts';
import { examineMainChain } from '../../../cli/doctor/main-chain.ts';
import { examineAltChain } from '../../../cli/doctor/alt-chain.ts';
import { runSvc } from '../../../testing/harness/run-svc.ts';
import { explainCause, type IndexCause, type PlainIndexCause } from '../../../src/domain/index-rules/index-cause.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';
import { readConfig } from '../../../src/config.ts';
import { MAIN_BEHAVIORS } from '../../../testing/harness/provider-proxy/behaviors.ts';
import { startProviderProxy } from '../../../testing/harness/provider-proxy/provider-proxy.ts';
import { PROXY_KEY, startRpcProxy, type RpcFault } from '../../../testing/harness/rpc-proxy.ts';

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

const ALT_CHECKS = ['ok alt chain', 'ok ALT_FIRST_SLOT', 'ok alt fleets', 'ok alt first start'];

it('reports no problem of the alt chain', async () => {
  expect(await examine(undefined)).toEqual(ALT_CHECKS);
});

it.each<[name: string, fault: RpcFault, findings: string[]]>([
  ['is unreachable', { kind: 'cut' }, ['unreachable ALT_RPC_URLS', 'unreachable ALT_RPC_URLS']],
  ['serves another cluster', answering('getGenesisHash', '1'.repeat(32)), ['fail ALT_GENESIS_HASH']],
  ['has pruned its history', answering('getFirstAvailableBlock', 9_000_000), ['ok alt chain', 'fail ALT_FIRST_SLOT']],
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
    ['ok alt chain', 'ok ALT_FIRST_SLOT', 'fail ALT_RPC_URLS', 'ok alt first start'],
  ],
  [
    'refuses to list machines',
    {
      kind: 'answer',
      change: (response, { method }) =>
        method === 'getProgramAccounts' ? { error: { code: -32_010, message: 'excluded' } } : response,
    },
    ['ok alt chain', 'ok ALT_FIRST_SLOT', 'fail ALT_RPC_URLS', 'ok alt first start'],
  ],
])('reports a node that %s', async (_name, fault, findings) => {
  expect(await examine(fault)).toEqual(findings);
});

it('reports that no alt chain is configured', async () => {
  expect(await examineAltChain(undefined, Date.now)).toEqual([
    { state: 'ok', subject: 'alt chain', text: 'not configured; its machines are homed elsewhere' },
  ]);
});

/** Rehearses behind a provider with these behaviors; returns every finding that does not pass, without its key. */
async function rehearse(
  behaviors: string | undefined,
  further: Readonly<Record<string, string>> = {},
): Promise<readonly Finding[]> {
  const proxy = await startProviderProxy(
    env['MAIN_RPC_URLS']!,
    MAIN_BEHAVIORS.filter(({ name }) => behaviors?.split(' ').includes(name)),
  );
  const { config } = readConfig({ ...env, MAIN_RPC_URLS: proxy.url, ...further }, { readFile: () => '' });
  try {
    const findings = await examineMainChain(config.mainChain, Date.now, config.indexProof);
    expect(JSON.stringify(findings)).not.toContain(PROXY_KEY);
    return findings.filter(({ state }) => state !== 'ok');
  } finally {
    await proxy.close();
  }
}

/** Matches the sentence that the log and `/status` use too. */
const toPattern = (kind: PlainIndexCause) => new RegExp(`^${explainCause({ kind }).text}$`);

describe('the rehearsal of the first start', () => {
  it.each([
    [
      'logs-off-bnb',
      'fail',
      'MAIN_RPC_URLS',
      /^the node refuses log queries, even of one block \(the node: limit exceeded\)$/,
    ],
    ['logs-not-found', 'fail', 'MAIN_RPC_URLS', /^the node refuses log queries, even of one block/],
    ['pruned-history-4444', 'fail', 'MAIN_RPC_URLS', /^the node no longer has logs as old as MAIN_START_BLOCK/],
    ['no-finalized-null', 'fail', 'finality', /^the node serves no finalized block/],
    ['no-finalized-39001', 'fail', 'finality', /^the node serves no finalized block/],
    ['no-log-times', 'warn', 'MAIN_RPC_URLS', toPattern('log-times-missing')],
    ['batches-off-jsonrpsee', 'warn', 'MAIN_RPC_URLS', toPattern('batches-missing')],
    ['zero-blooms', 'warn', 'node', /^the bloom of a block does not contain its logs$/],
    ['no-block-receipts', 'warn', 'node', /^serves no receipts by block$/],
    ['other-receipts-root', 'warn', 'node', /^receipts do not match the receipts root$/],
    ['no-hash-pins', 'warn', 'node', /EIP-1898/],
  ])('names what a node with %s lacks', async (behavior, state, subject, text) => {
    const found = await rehearse(behavior);
    expect(found).toEqual([expect.objectContaining({ state, subject, text: expect.stringMatching(text) as string })]);
    expect(found[0]!.remedy).toBeDefined();
  });

  it('warns of a chain without Multicall3', async () => {
    const { subject, text, remedy } = explainCause({ kind: 'multicall-missing' });
    const further = { MULTICALL3_ADDRESS: `0x${'0a'.repeat(20)}` };
    expect(await rehearse(undefined, further)).toEqual([{ state: 'warn', subject, text, remedy }]);
  });

  it.each<[behaviors: string, causes: IndexCause[]]>([
    ['html-502-always', [{ kind: 'node-unreachable' }]],
    ['full-blooms no-block-receipts', [{ kind: 'answers-contradict' }]],
    ['no-state', [{ kind: 'state-missing' }]],
    ['finality-distant', [{ kind: 'finality-distant', gapBlocks: 150 }]],
  ])('fails with the sentence that the log and /status use behind %s', async (behaviors, causes) => {
    const failures = (await rehearse(behaviors)).filter(({ state }) => state !== 'warn');
    const texts = failures.map(({ text }) => text);
    for (const cause of causes) {
      const { text, remedy } = explainCause(cause);
      expect(texts.filter((each) => each.startsWith(text))).toHaveLength(1);
      expect(failures.find((each) => each.text.startsWith(text))).toMatchObject({ remedy });
    }
  });

  it('compares MAIN_START_BLOCK with the first log where old state is pruned', async () => {
    const [late] = await rehearse('pruned-state-geth', { MAIN_START_BLOCK: '60' });
    expect(late).toMatchObject({
      state: 'fail',
      subject: 'MAIN_START_BLOCK',
      text: expect.stringMatching(/the first with a log of a contract$/) as string,
    });
  });

  it('fails where fewer hosts respond than must agree', async () => {
    const [responding] = env['MAIN_RPC_URLS']!.split(',');
    const further = { MAIN_RPC_URLS: `${responding},http://127.0.0.2:${await findFreePort()}`, MAIN_RPC_QUORUM: '2' };
    const { text, remedy } = explainCause({ kind: 'hosts-missing', hosts: 1, quorum: 2 });
    expect(await rehearse(undefined, further)).toContainEqual({
      ...{ state: 'fail', subject: 'MAIN_RPC_QUORUM', text, remedy },
    });
  });

  it('fails where INDEX_PROOF=before cannot be satisfied', async () => {
    const found = await rehearse('other-receipts-root', { INDEX_PROOF: 'before' });
    expect(found.map(({ state, subject }) => `${state} ${subject}`)).toEqual(['fail INDEX_PROOF']);
  });

  it.each(['logs-10-alchemy', 'logs-50-unclear', 'rate-429-seconds', 'logs-results-infura'])(
    'passes behind a provider that serves with a limit: %s',
    async (behavior) => {
      expect(await rehearse(behavior)).toEqual([]);
    },
  );

  it('fails for MAIN_START_BLOCK after the first log, with the right block', async () => {
    const [late] = await rehearse(undefined, { MAIN_START_BLOCK: '60' });
    expect(late).toMatchObject({ state: 'fail', subject: 'MAIN_START_BLOCK' });
    const block = /^set MAIN_START_BLOCK=(\d+);/.exec(late!.remedy!)?.[1];
    expect(await rehearse(undefined, { MAIN_START_BLOCK: block! })).toEqual([]);
  });
});
