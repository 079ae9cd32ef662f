import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { createHistory } from '../../../testing/fixtures/main-index-harness.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import { watchContracts } from '../../domain/index-rules/block-checks.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { readCompleteBlocks } from './complete-blocks.ts';

let chain: FakeChain;
beforeEach(() => {
  chain = createHistory();
  chain.servesReceipts = true;
});

async function readAll(): Promise<number[]> {
  const headers = await chain.readHeaders([1, 2, 3, 4, 5, 6, 7]);
  const blocks = await readCompleteBlocks(chain, watchContracts(chain.addresses), headers);
  return blocks.map((logs) => logs.length);
}

function refuse(error: Error): void {
  chain.faults.before = (request) => {
    if (request === 'block-logs') throw error;
  };
}

describe('the logs of whole blocks', () => {
  it.each([
    ['an unclear error', chainUnreadable('main', 'rpc-error')],
    ['a refusal', new LogQueryRefused('logs-refused')],
  ])('are read from receipts where the node answers queries by block with %s', async (_, error) => {
    const expected = await readAll();
    expect(Math.max(...expected)).toBeGreaterThan(0);
    refuse(error);
    expect(await readAll()).toEqual(expected);
  });

  it.each([
    ['a rate limit', new LogQueryRefused('rate-limited')],
    ['a block that the node lacks', chainUnreadable('main', 'block-mismatch')],
  ])('are not read from receipts because of %s', async (_, error) => {
    refuse(error);
    await expect(readAll()).rejects.toBe(error);
    expect(chain.requests).not.toContain('receipts');
  });

  it('are not accepted from receipts that prove nothing', async () => {
    const error = chainUnreadable('main', 'rpc-error');
    refuse(error);
    chain.faults.receipts = () => 'unproven';
    await expect(readAll()).rejects.toBe(error);
  });

  it('are read from receipts where the lists contradict the blooms', async () => {
    const whole = await readAll();
    chain.faults.blockLogs = (logs) => logs.slice(1);
    expect(await readAll()).toEqual(whole);
    expect(chain.requests).toContain('receipts');
  });

  it('are rejected where the lists contradict the blooms and receipts prove nothing', async () => {
    chain.faults.blockLogs = (logs) => logs.slice(1);
    chain.faults.receipts = () => 'unproven';
    await expect(readAll()).rejects.toMatchObject({ problem: 'withheld-logs' });
  });
});
