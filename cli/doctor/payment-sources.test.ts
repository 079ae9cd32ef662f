/** Tests the findings of `svc doctor` about payment sources: one line per URL, without the URL. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { read } from '../../testing/fixtures/sample-environment.ts';
import { FAKE_CHAIN_ID, FakeEvmChain, FakeEvmNode } from '../../testing/fakes/fake-evm-chain.ts';
import { FakeSolanaLedger } from '../../testing/fakes/fake-solana-ledger.ts';
import { PROXY_KEY, rateLimit, respondWith, startRpcProxy, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';
import { examinePaymentSources } from './payment-sources.ts';

const NOW = 1_772_452_800;
const DAY = 86_400;
const SUBJECT = `eip155:${FAKE_CHAIN_ID} rpc[0]`;

let folder: string;
let proxy: RpcProxy | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

/** Examines a source with one node. */
async function examine(node: FakeEvmNode, nowSeconds = NOW, prepare?: (node: RpcProxy) => void) {
  proxy = await startRpcProxy(node.respond);
  prepare?.(proxy);
  return examineFile(
    { [`eip155:${FAKE_CHAIN_ID}`]: { rpc: [proxy.url], tokens: { USDC: `0x${'a'.repeat(40)}` } } },
    nowSeconds,
  );
}

async function examineFile(sources: object, nowSeconds = NOW) {
  const [sourcesFile, tokensFile] = [join(folder, 'sources.json'), join(folder, 'tokens.json')];
  await writeFile(sourcesFile, JSON.stringify(sources));
  await writeFile(tokensFile, JSON.stringify([{ symbol: 'USDC', decimals: 6, usd_rate: '1' }]));
  const { config } = read({ SOURCES_FILE: sourcesFile, TOKENS_FILE: tokensFile, SOURCE_CALLS_PER_SECOND: '1000' });
  const findings = await examinePaymentSources(config, () => nowSeconds * 1_000);
  expect(JSON.stringify(findings)).not.toContain(PROXY_KEY);
  return findings;
}

/** One block with a transaction every hour. */
function createNode(days: number): FakeEvmNode {
  const chain = new FakeEvmChain();
  for (let hour = days * 24; hour >= 0; hour -= 1) chain.mine(NOW - hour * 3_600, { from: `0x${'1'.repeat(40)}` });
  return new FakeEvmNode(chain);
}

it('says that no payments are followed without a file', async () => {
  expect(await examinePaymentSources(read({}).config, () => NOW)).toEqual([
    { state: 'ok', subject: 'SOURCES_FILE', text: 'not set; no payments are followed' },
  ]);
});

it('reports the problems of the file', async () => {
  expect(await examineFile({ 'eip155:1': { rpc: [], tokens: { DAI: `0x${'a'.repeat(40)}` } } })).toMatchObject([
    { state: 'fail', subject: 'SOURCES_FILE', text: '"eip155:1".rpc: must be an array of 1 to 4 URLs' },
    { state: 'fail' },
  ]);
});

it('accepts a URL with finality and history', async () => {
  expect(await examine(createNode(200))).toEqual([
    { state: 'ok', subject: 'SOURCES_FILE', text: expect.stringMatching(/^sources hash [0-9a-f]{64}$/) as string },
    { state: 'ok', subject: SUBJECT, text: 'finalized block 4800, 0 s old; history of 194 days' },
  ]);
});

it('warns of a short history', async () => {
  const node = createNode(20);
  node.firstReceiptBlock = 200;
  expect((await examine(node))[1]).toMatchObject({
    state: 'warn',
    subject: SUBJECT,
    text: 'finalized block 480, 0 s old; its history is shorter than 194 days',
  });
});

it('warns of a finalized block that is hours old', async () => {
  expect((await examine(createNode(20), NOW + DAY))[1]).toMatchObject({
    state: 'warn',
    text: 'finalized block 480, 86400 s old',
  });
});

it.each([
  ['another chain', 'eth_chainId', '0x1', 'fail', 'serves another chain'],
  ['no finalized block', 'eth_getBlockByNumber', null, 'fail', 'does not report a finalized block'],
  [
    'no receipts',
    'eth_getTransactionReceipt',
    1,
    'warn',
    'finalized block 480, 0 s old; the depth of its history is not known',
  ],
] as const)('reports a URL with %s', async (_, method, result, state, text) => {
  const findings = await examine(createNode(20), NOW, (node) => node.inject(respondWith(method, { result })));
  expect(findings[1]).toMatchObject({ state, subject: SUBJECT, text });
});

it.each([
  ['cuts its connections', { kind: 'cut' }],
  ['is throttled', rateLimit()],
] as const)('reports a URL that %s', async (_, fault) => {
  const findings = await examine(createNode(20), NOW, (node) => node.inject(fault));
  expect(findings[1]).toMatchObject({
    state: 'unreachable',
    text: 'gives no usable response',
    remedy: 'check the URL, its key, its rate limit and the network',
  });
});

describe('a Solana URL', () => {
  const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const HEAD_SLOT = 400_000_000;
  const TEXT = `finalized block ${HEAD_SLOT}, 0 s old; history of 14 days`;
  const ABSENCE = 'prove that a transaction does not exist';

  async function examineSolana(method?: string, code = -32_601) {
    const ledger = new FakeSolanaLedger(HEAD_SLOT, NOW);
    proxy = await startRpcProxy((call) => {
      if (call.method === method) return { error: { code, message: 'refused' } };
      return ledger.respond(call) ?? { result: GENESIS };
    });
    const source = { id: '1151111081099710', rpc: [proxy.url], tokens: { USDC: MINT } };
    return (await examineFile({ [`solana:${GENESIS.slice(0, 32)}`]: source }))[1];
  }

  it('passes when it serves what proves the absence of a transaction', async () => {
    expect(await examineSolana()).toMatchObject({ state: 'ok', text: TEXT });
  });

  it.each(['getBlock', 'getSignatureStatuses'])('cannot prove absence without %s', async (method) => {
    expect(await examineSolana(method)).toMatchObject({
      state: 'warn',
      text: `${TEXT}; it cannot ${ABSENCE}: it refuses getBlock or getSignatureStatuses`,
      remedy: 'citations of such transactions stay pending; enable both methods, or add a node that serves them',
    });
  });

  it('is not judged when it is overloaded during the search', async () => {
    expect(await examineSolana('getBlock', -32_005)).toMatchObject({
      state: 'warn',
      text: `${TEXT}; whether it can ${ABSENCE} is not known`,
    });
  });
});
