/**
 * Throughput measurement of the local alt chain. `node devnet/alt-node/throughput.ts` prints the time to start, to execute events and to
 * read a fleet of 9,000 machines.
 */
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { startAltNode } from './alt-node.ts';
import { toWord } from './borsh-writer.ts';
import { submitEvent } from './event-transactions.ts';
import { GENESIS, OWNER_SEED, placeEventRegistry, placeMachine, REVENUE } from './registered-machine.ts';

const EVENTS = 5_000;
const FLEET = 9_000;

async function timed<T>(label: string, work: () => Promise<T>, count?: number): Promise<T> {
  const begin = performance.now();
  const result = await work();
  const ms = performance.now() - begin;
  console.log(`${label}: ${ms.toFixed(0)} ms${count === undefined ? '' : `, ${((count / ms) * 1000).toFixed(0)}/s`}`);
  return result;
}

const node = await timed('start', async () => startAltNode({ genesisTimestamp: GENESIS }));
await placeEventRegistry(node);
await placeMachine(node, 1n);
await timed(
  `${EVENTS} events`,
  async () => {
    for (let k = 0; k < EVENTS; k++) {
      if (k % 100 === 0) node.advanceSlots(1);
      await submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: REVENUE });
    }
  },
  EVENTS,
);
await timed(`${FLEET} accounts written`, async () => {
  for (let k = 0; k < FLEET; k++) {
    const address = formatAltKey(toWord(BigInt(k + 1)));
    node.setAccount(address, { owner: node.programs.machineRegistry, data: new Uint8Array(300) });
  }
});
node.advanceSlots(40);
const options = { encoding: 'base64', withContext: true, dataSlice: { offset: 8, length: 158 } };
const bytes = await timed('fleet read', async () => {
  const params = [node.programs.machineRegistry, options];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getProgramAccounts', params });
  const response = await fetch(node.rpcUrl, { method: 'POST', body });
  return (await response.bytes()).length;
});
console.log(`${(bytes / 1e6).toFixed(1)} MB of JSON`);
await node.stop();
