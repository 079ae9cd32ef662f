/** Tests the texts of the system page that depend on reports of the service. */
import { describe, expect, it } from 'vitest';
import type { Readiness } from '../parts/wire.ts';
import {
  describeAltProgress,
  describeBudget,
  describeIndexedBlock,
  describeProof,
  describeReadiness,
} from './texts.ts';

describe('describeAltProgress', () => {
  it.each([
    [
      'the listing before its first page',
      ['listing', null, 900_000, null],
      'Lists the transactions from slot 900,000, before it applies them.',
    ],
    [
      'how far the listing is',
      ['listing', null, 900_000, 850_000],
      'Lists the transactions from slot 900,000, down to slot 850,000, before it applies them.',
    ],
    [
      'the target before the first slot',
      ['applying', null, 900_000, null],
      'Applies the transactions up to slot 900,000.',
    ],
    ['the applied slot', ['applying', 12_000, 900_000, null], 'Applied slot 12,000 of 900,000.'],
    ['nothing for an index that has caught up', ['following', 900_000, 900_000, null], undefined],
  ] as const)('names %s', (_name, [phase, applied_slot, target_slot, listed_down_to_slot], text) => {
    expect(describeAltProgress({ phase, applied_slot, target_slot, listed_down_to_slot })).toBe(text);
  });
});

describe('describeBudget', () => {
  it.each([
    ['a known limit', [25, 1, 0, false], '25 calls a second; 1 request waiting; 0 reads refused since the start'],
    ['no known limit', [null, 0, 3, false], 'no limit is known; 0 requests waiting; 3 reads refused since the start'],
    [
      'calls that are used too fast',
      [1, 0, 1, true],
      '1 call a second; 0 requests waiting; 1 read refused since the start; the calls of the day are used too fast, which stops the proof',
    ],
  ] as const)('names %s', (_name, [calls_per_second, waiting_requests, refused_reads, day_exhausted], text) => {
    expect(describeBudget({ calls_per_second, waiting_requests, refused_reads, day_exhausted })).toBe(text);
  });
});

describe('describeReadiness', () => {
  const ready = {
    ...{ status: 'ready', rpc_connected: true, contracts: { machine_registry: true }, verify: null },
    ...{ solana_indexer: null, operator_index: null },
  } as unknown as Readiness;

  it('names what is missing', () => {
    const report = { ...ready, status: 'not_ready', rpc_connected: false, verify: false } as const;
    const contracts = { ...ready.contracts, machine_registry: false };
    expect(describeReadiness({ ...report, contracts })).toBe(
      'The service is not ready: the main chain, Machine registry, verification.',
    );
  });

  it('says that the service is ready, not ready for another reason, or silent', () => {
    expect(describeReadiness(ready)).toBe('The service is ready.');
    expect(describeReadiness({ ...ready, status: 'not_ready' })).toBe('The service is not ready.');
    expect(describeReadiness(undefined)).toBe('Status unavailable.');
  });
});

describe('the index of the main chain', () => {
  it('names the indexed block with its lag, where the lag is known', () => {
    expect(describeIndexedBlock(1_199, 1_200, 1)).toBe('Block 1,199 of 1,200, 1 block behind the chain head');
    expect(describeIndexedBlock(1_199, 1_200, null)).toBe('Block 1,199 of 1,200');
  });

  it.each([
    ['off', 3, 'The index is not proven by receipts.'],
    ['background', 0, 'Every indexed block is proven by its receipts.'],
    ['background', 1, '1 block with events is not proven by receipts yet.'],
    ['full', 2, '2 blocks with events are not proven by receipts yet.'],
  ] as const)('describes the proof in the mode %s with %i unproven blocks', (mode, unproven_blocks, text) => {
    expect(describeProof({ mode, unproven_blocks })).toBe(text);
  });
});
