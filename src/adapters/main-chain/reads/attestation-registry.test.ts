/** Whether a machine was transferred since its chip record, from the logs of a node. */
import { afterEach, expect, test } from 'vitest';
import { startHttpNode, toResult, type HttpNode } from '../../../../testing/harness/http-node.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { createAttestationRegistry } from './attestation-registry.ts';
import { TOKEN_TRANSFER_TOPIC } from '../logs/log-effects.ts';

const ID = 7n as MachineId;
const ADDRESS = `0x${'0a'.repeat(20)}` as Address;
const RECORD = { blockNumber: 5n, logIndex: 3 };
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

let node: HttpNode | undefined;
afterEach(() => node?.close());

/** Returns a node whose only log is a transfer of the machine at this place. */
async function serveTransfer(blockNumber: number, logIndex: number): Promise<string> {
  const log = {
    ...{ address: ADDRESS, data: '0x', removed: false, transactionIndex: '0x0' },
    topics: [TOKEN_TRANSFER_TOPIC, word(1n), word(2n), word(ID)],
    ...{ blockNumber: `0x${blockNumber.toString(16)}`, logIndex: `0x${logIndex.toString(16)}` },
    ...{ blockHash: word(BigInt(blockNumber)), transactionHash: word(9n) },
  };
  node = await startHttpNode(([call]) => {
    if (call!.method === 'eth_blockNumber') return { body: toResult(call!, '0x8') };
    const [{ fromBlock, toBlock }] = call!.params as [{ fromBlock: string; toBlock: string }];
    const isInRange = Number(fromBlock) <= blockNumber && blockNumber <= Number(toBlock);
    return { body: toResult(call!, isInRange ? [log] : []) };
  });
  return node.url;
}

test.each([
  [4, 9, false],
  [5, 2, false],
  [5, 4, true],
  [6, 0, true],
])('reports a transfer in block %i at log %i as after the record: %s', async (blockNumber, logIndex, isAfter) => {
  const rpcUrls = [await serveTransfer(blockNumber, logIndex)];
  const options = { rpcUrls, chainId: 1, address: ADDRESS, machineRegistry: ADDRESS, startBlock: 0 };
  expect(await createAttestationRegistry(options).isTransferredAfter(ID, RECORD)).toBe(isAfter);
});
