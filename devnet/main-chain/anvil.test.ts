/** Life cycle of the local EVM node: start options, start failures, and exit with its parent process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { startAnvil } from './anvil.ts';
import { createChainWriter } from './chain-writer.ts';
import { createRpc } from './rpc.ts';

const GENESIS = 1_700_000_000;

interface Block {
  readonly number: string;
  readonly timestamp: string;
}

test('starts in the past, finalizes two blocks behind the head, and stops', async () => {
  const anvil = await startAnvil({ genesisTimestamp: GENESIS });
  const writer = createChainWriter(anvil.rpcUrl);
  for (let block = 1; block <= 4; block += 1) await writer.mine([], GENESIS + 1_000 * block);
  const latest = await writer.rpc.request<Block>('eth_getBlockByNumber', ['latest', false]);
  const finalized = await writer.rpc.request<Block>('eth_getBlockByNumber', ['finalized', false]);
  expect([Number(latest.number), Number(latest.timestamp)]).toEqual([4, GENESIS + 4_000]);
  expect(Number(finalized.number)).toBe(2);
  await anvil.stop();
  await anvil.stop();
  await expect(writer.rpc.request('eth_chainId')).rejects.toThrow('fetch failed');
});

test('rejects a port in use', async () => {
  const anvil = await startAnvil();
  const port = Number(new URL(anvil.rpcUrl).port);
  await expect(startAnvil({ port })).rejects.toThrow('anvil did not start');
  await anvil.stop();
});

test('exits when its parent is killed', async () => {
  const script = `
    import { startAnvil } from ${JSON.stringify(new URL('anvil.ts', import.meta.url).href)};
    const { rpcUrl } = await startAnvil();
    console.log(rpcUrl);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [rpcUrl] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  const rpc = createRpc(rpcUrl);
  expect(await rpc.request('eth_chainId')).toBe('0x7a69');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expect.poll(() => rpc.request('eth_chainId').catch(() => 'gone'), { timeout: 10_000 }).toBe('gone');
});
