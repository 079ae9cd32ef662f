/** Tests log queries over long ranges: each block once, in ranges as wide as the node serves. */
import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import { LogQueryRefused, type LogQuery } from '../../ports/main-chain.ts';
import { createTargetedScan } from './targeted-scan.ts';

const RANGE: BlockRange = { fromBlock: 0, toBlock: 2_999_999 };

/** Opens a scan of a node that fails wider queries; returns the ranges of those that it served. */
function openScan(maxBlocks: number, failure: () => Error) {
  const served: BlockRange[] = [];
  let queries = 0;
  const scan = createTargetedScan({
    addresses: [],
    readLogs: ({ fromBlock, toBlock }: LogQuery) => {
      queries += 1;
      if (toBlock - fromBlock >= maxBlocks) return Promise.reject(failure());
      served.push({ fromBlock, toBlock });
      return Promise.resolve([]);
    },
  });
  const run = async () => {
    served.length = queries = 0;
    for await (const logs of scan(RANGE, [{}])) expect(logs).toEqual([]);
    return { served: served.toReversed(), queries };
  };
  return { run, queries: () => queries };
}

function expectWhole(served: readonly BlockRange[]): void {
  expect(served[0]!.fromBlock).toBe(RANGE.fromBlock);
  expect(served.at(-1)!.toBlock).toBe(RANGE.toBlock);
  served.slice(1).forEach(({ fromBlock }, i) => expect(fromBlock).toBe(served[i]!.toBlock + 1));
}

describe('a targeted scan', () => {
  it('covers the range once behind a node that refuses wide queries', async () => {
    const { run } = openScan(20_000, () => new LogQueryRefused('range-too-large'));
    expectWhole((await run()).served);
  });

  it('succeeds after few attempts behind a node that does not serve wide queries in time', async () => {
    const { run } = openScan(2_000, () => chainUnreadable('main', 'deadline'));
    const outcomes: unknown[] = [];
    for (let attempt = 0; attempt < 4 && outcomes.at(-1) !== 'whole'; attempt++) {
      outcomes.push(
        await run().then(
          ({ served }) => (expectWhole(served), 'whole'),
          () => 'late',
        ),
      );
    }
    expect(outcomes.at(-1)).toBe('whole');
  });

  it('asks a node that does not respond twice per attempt', async () => {
    const { run, queries } = openScan(0, () => chainUnreadable('main', 'deadline'));
    await expect(run()).rejects.toThrow();
    expect(queries()).toBe(2);
  });
});
