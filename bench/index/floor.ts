/**
 * Lower bound for any indexer: a bare loop of `eth_getLogs` and `JSON.parse` over the chain in `FLEET_CHAIN`. It checks, reads
 * and stores nothing. Prints one line of JSON.
 */
import type { FleetChain } from './fleet-chain.ts';

export interface FloorRun {
  readonly milliseconds: number;
  readonly logs: number;
  readonly requests: number;
}

/** The fastest of 50, 200 and 1,000 with anvil. */
const WINDOW_BLOCKS = Number(process.env['FLOOR_WINDOW'] ?? 200);

const { rpcUrl, startBlock, finalizedBlock, addresses } = JSON.parse(process.env['FLEET_CHAIN']!) as FleetChain;

async function readLogs(fromBlock: number, toBlock: number): Promise<number> {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` };
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getLogs',
      params: [{ ...range, address: addresses.machineRegistry }],
    }),
  });
  const { result } = JSON.parse(await response.text()) as { readonly result: readonly unknown[] };
  return result.length;
}

const began = performance.now();
let logs = 0;
let requests = 0;
for (let from = startBlock; from <= finalizedBlock; from += WINDOW_BLOCKS) {
  logs += await readLogs(from, Math.min(from + WINDOW_BLOCKS - 1, finalizedBlock));
  requests += 1;
}
console.log(JSON.stringify({ milliseconds: performance.now() - began, logs, requests } satisfies FloorRun));
