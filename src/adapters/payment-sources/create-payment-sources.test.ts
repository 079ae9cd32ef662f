/** Tests what the payment sources share with the chains: the profiles of nodes. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPaymentSources } from './create-payment-sources.ts';

it('takes over the profiles of the nodes of every source, and returns them', async () => {
  const urls = ['http://127.0.0.1:1/evm', 'http://127.0.0.1:1/solana'];
  const [evm, solana] = urls.map((url) => createHash('sha256').update(url).digest('hex'));
  const text = (method: string) =>
    JSON.stringify({ limits: { [method]: { passed: 1, refused: 2 } }, logs: { passed: 0, logs: 25_000 }, lacks: {} });
  const profiles = new Map([
    [evm!, text('eth_getBlockByNumber')],
    [solana!, text('getBlock')],
  ]);
  const adapter = createPaymentSources(
    {
      hash: 'ab'.repeat(32),
      sources: [
        { name: 'eip155:1', kind: 'evm', reference: '1', id: '1', tokens: [], rpcUrls: [urls[0]!] },
        { name: 'solana:x', kind: 'solana', reference: 'x', id: '2', tokens: [], rpcUrls: [urls[1]!] },
      ],
    },
    {
      clock: { nowMilliseconds: () => 0 },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      callsPerSecond: 1,
      profiles,
    },
  );
  expect(adapter.listProfiles()).toEqual(profiles);
  await adapter.close();
});
