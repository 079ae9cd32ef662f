/** Holds the head of a chain still for a suite in which a new block would change what is expected. */
import { expect, inject, vi } from 'vitest';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import type { ProxiedService } from './proxied-service.ts';

const SOON = { timeout: 60_000 };

interface LogFilter {
  readonly fromBlock?: unknown;
  readonly toBlock: unknown;
}

/**
 * Hides every block after the newest one, until the faults of the proxy are removed, and waits until the service follows the chain from it,
 * so that no step changes a cache any more. Requests of the meantime wait for its number, so that the service never knows a newer block.
 */
export async function holdHead({ proxy }: ProxiedService): Promise<void> {
  let head = '';
  const reading = createRpc(inject('fixtures').mainChain.rpcUrl)
    .request<string>('eth_blockNumber')
    .then((number) => (head = number));
  const pin = (param: unknown): unknown => {
    if (param === 'latest') return head;
    if (param === 'finalized') return `0x${(Number(head) - 2).toString(16)}`;
    return isLogFilter(param) ? { ...param, toBlock: pin(param.toBlock) } : param;
  };
  proxy.inject({ kind: 'hold', until: reading });
  proxy.inject({ kind: 'call', change: ({ method, params }) => ({ method, params: params.map(pin) }) });
  await reading;
  // Every poll asks for the logs from the block that the service knows as the newest one.
  const known = () =>
    proxy.calls
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => (params[0] as LogFilter).fromBlock);
  await vi.waitFor(() => expect(known()).toContain(head), SOON);
}

const isLogFilter = (param: unknown): param is LogFilter =>
  typeof param === 'object' && param !== null && 'toBlock' in param;
