import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openRawNode } from './raw-node.ts';

const BATCH = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
];
const ANSWERED = BATCH.map((_, id) => ({ jsonrpc: '2.0', id, result: '0x1' }));

interface Answer {
  readonly status?: number;
  readonly json: unknown;
}

/** Opens a node that gives these answers in this order, and no other. */
const openNode = (...answers: Answer[]) => openLimited(undefined, ...answers);

async function openLimited(callsPerSecond: number | undefined, ...answers: Answer[]) {
  const server = createServer((request, response) => {
    const { status = 200, json } = answers.shift() ?? { status: 500, json: 'no answer left' };
    request.resume().on('end', () => {
      response.writeHead(status, { 'retry-after': '0' });
      response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node = openRawNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, callsPerSecond);
  onTestFinished(async () => {
    await node.close();
    server.close();
  });
  return { node, answers };
}

const RATE_ERROR = { jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'rate limit exceeded' } };

it.each([
  ['HTTP 429', { status: 429, json: 'Too Many Requests' }],
  ['one error', { json: RATE_ERROR }],
  ['a code alone', { json: { ...RATE_ERROR, error: { code: 429, message: 'slow down' } } }],
  ['-32005 outside of log queries', { json: { ...RATE_ERROR, error: { code: -32_005, message: 'limit exceeded' } } }],
  ['an error per call', { json: BATCH.map((_, id) => ({ ...RATE_ERROR, id })) }],
  ['an error for some calls', { json: [ANSWERED[0], { ...RATE_ERROR, id: 1 }] }],
  ['the page of a gateway', { status: 502, json: 'Bad Gateway' }],
  [
    'an offline backend',
    { status: 503, json: { ...RATE_ERROR, error: { code: -32_010, message: 'backend offline' } } },
  ],
])('sends a batch that is refused with %s once more', async (_, refusal) => {
  const { node, answers } = await openNode(refusal, { json: ANSWERED });
  expect(await node.answersBatch(BATCH)).toBe(true);
  expect(answers).toEqual([]);
});

it.each([
  ['refuses it', { status: 400, json: { error: { code: -32_600, message: 'batches are not supported' } } }],
  ['answers one of its calls', { json: ANSWERED.slice(0, 1) }],
  ['answers it as one call', { json: ANSWERED[0] }],
  [
    'refuses one of its calls',
    { json: [ANSWERED[0], { ...RATE_ERROR, error: { code: -32_601, message: 'unknown' } }] },
  ],
])('finds that a node serves no batches where it %s', async (_, answer) => {
  const { node } = await openNode(answer, { json: ANSWERED });
  expect(await node.answersBatch(BATCH)).toBe(false);
});

it('returns the result of a call, also null, and the text of an error', async () => {
  const pruned = { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'missing trie node' } };
  const { node } = await openNode({ json: { jsonrpc: '2.0', id: 1, result: null } }, { json: pruned });
  expect(await node.call('eth_getBlockByHash', '0x0', false)).toEqual({ ok: true, result: null });
  expect(await node.call('eth_chainId')).toEqual({ ok: false, code: -32_000, text: 'missing trie node' });
});

it('sends no more calls in a second than configured', async () => {
  const one = { json: { jsonrpc: '2.0', id: 0, result: '0x1' } };
  const { node } = await openLimited(2, one, one, one);
  const startedAt = performance.now();
  for (let i = 0; i < 3; i++) expect(await node.call('eth_chainId')).toEqual({ ok: true, result: '0x1' });
  expect(performance.now() - startedAt).toBeGreaterThan(950);
});

it('returns the refusal of a rate that lasts', async () => {
  const refusal = { status: 429, json: RATE_ERROR };
  const { node } = await openNode(refusal, refusal, refusal, refusal);
  expect(await node.call('eth_chainId')).toEqual({ ok: false, code: -32_005, text: 'rate limit exceeded' });
});
