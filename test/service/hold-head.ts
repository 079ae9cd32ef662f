/** Holds the head of a chain still for a suite in which a new block would change what is expected. */
import { expect, inject, vi } from 'vitest';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import { fetchChecked } from './fetch-checked.ts';
import type { ProxiedService } from './proxied-service.ts';

const SOON = { timeout: 30_000 };

/**
 * Hides every block after the newest one, until the faults of the proxy are removed, and waits until the service has reached it. Requests
 * of the meantime wait for its number, so that the service never knows a newer block.
 */
export async function holdHead({ proxy, service }: ProxiedService): Promise<void> {
  let head = '';
  const reading = createRpc(inject('fixtures').mainChain.rpcUrl)
    .request<string>('eth_blockNumber')
    .then((number) => (head = number));
  const pin = (param: unknown) => (param === 'latest' ? head : param === 'finalized' ? toFinalized(head) : param);
  proxy.inject({ kind: 'hold', until: reading });
  proxy.inject({ kind: 'call', change: ({ method, params }) => ({ method, params: params.map(pin) }) });
  await reading;
  const readHead = async () =>
    (await fetchChecked(`${service.url}/status`)).json<{ operator_index: { head_block: number } }>();
  const isReached = async () =>
    expect(await readHead()).toMatchObject({ operator_index: { head_block: Number(head) } });
  await vi.waitFor(isReached, SOON);
}

const toFinalized = (head: string) => `0x${(Number(head) - 2).toString(16)}`;
