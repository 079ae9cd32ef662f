/** Tests what a profile remembers across processes, and that any stored text leads to a usable one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PROFILE_CHARACTERS } from '../../ports/node-profiles.ts';
import { NodeProfile } from './node-profile.ts';
import { REAL_STOPWATCH } from './deadline.ts';

const NOW = 1_800_000_000;

function open(stored?: string, nowSeconds = NOW): NodeProfile {
  return new NodeProfile({ stopwatch: REAL_STOPWATCH, nowSeconds: () => nowSeconds, stored });
}

const reopen = (profile: NodeProfile): NodeProfile => open(profile.toText());

/** Returns everything that a profile decides. */
function describeProfile(profile: NodeProfile): object {
  return {
    batch: profile.batchLimit('eth_call', 100).size,
    blocks: profile.logLimits.blocks,
    logs: profile.logLimits.logs,
    rate: profile.rate.callsPerSecond,
    hasReceipts: !profile.lacks('eth_getBlockReceipts'),
  };
}

const NOTHING_LEARNED = { batch: 100, blocks: 100_000, logs: 25_000, rate: undefined, hasReceipts: true };

describe('a stored profile', () => {
  test('has the limits, the rate and the missing features of the process that wrote it', () => {
    const profile = open();
    const limit = profile.batchLimit('eth_call', 100);
    limit.recordRefusal(100);
    limit.recordSuccess(50);
    profile.logLimits.recordSuccess(1_000, 10);
    profile.logLimits.recordRefusal(1_062);
    profile.rate.recordRefusal(40, 0);
    profile.recordFeature('eth_getBlockReceipts', false);
    expect(describeProfile(reopen(profile))).toEqual({
      batch: 50,
      blocks: 1_000,
      logs: 25_000,
      rate: 16,
      hasReceipts: false,
    });
  });

  test('remembers limits that its process did not use', () => {
    const profile = open();
    profile.batchLimit('eth_call', 100).recordRefusal(100);
    expect(reopen(reopen(profile)).batchLimit('eth_call', 100).size).toBe(50);
  });

  test('is not written while nothing was learned', () => {
    expect(open().toText()).toBeUndefined();
  });

  test('forgets a missing feature after a day, and at once when it is used', () => {
    const profile = open();
    profile.recordFeature('finalized', false);
    const text = profile.toText();
    expect(open(text, NOW + 86_399).lacks('finalized')).toBe(true);
    expect(open(text, NOW + 86_400).lacks('finalized')).toBe(false);
    profile.recordFeature('finalized', true);
    expect(profile.lacks('finalized')).toBe(false);
  });

  test('fits its bound when every limit is used', () => {
    const profile = open();
    for (let i = 0; i < 100; i++) profile.batchLimit(`eth_method_${i}`, 100_000).recordRefusal(100_000);
    expect(profile.toText()!.length).toBeLessThanOrEqual(MAX_PROFILE_CHARACTERS);
  });

  test.each([
    ['no JSON', 'everything works'],
    ['a list', '[1,2]'],
    ['null', 'null'],
    ['huge', `{"logs":{"passed":1,"refused":2,"logs":10},"x":"${'x'.repeat(MAX_PROFILE_CHARACTERS)}"}`],
    ['of unknown members', '{"trust":"always","answers":{"ownerOf":"0x"},"__proto__":{"passed":1,"refused":2}}'],
    [
      'negative',
      '{"limits":{"eth_call":{"passed":-5,"refused":-1}},"logs":{"passed":-1,"logs":-5},"callsPerSecond":-1}',
    ],
    ['fractional', '{"limits":{"eth_call":{"passed":0.5,"refused":2.5}},"logs":{"passed":0.5}}'],
    ['contradictory', '{"limits":{"eth_call":{"passed":50,"refused":2}},"logs":{"passed":50,"refused":2}}'],
    ['of the future', `{"lacks":{"eth_getBlockReceipts":${NOW + 1}}}`],
    ['of text', '{"limits":"all","logs":"all","lacks":"all","callsPerSecond":"all"}'],
    ['of numbers beyond 64 bits', '{"logs":{"passed":1e400,"refused":1e400,"logs":1e400},"callsPerSecond":1e400}'],
  ])('counts as nothing learned when it is %s', (_, text) => {
    expect(describeProfile(open(text))).toEqual(NOTHING_LEARNED);
  });

  test('never begins with a rate at which callers would be refused', () => {
    expect(open('{"callsPerSecond":0.01}').rate.callsPerSecond).toBe(5);
  });

  test('leads to sizes in range whatever it contains', () => {
    const size = fc.oneof(fc.nat(), fc.double(), fc.constant(undefined), fc.string());
    const bounds = fc.record({ passed: size, refused: size, logs: size }, { requiredKeys: [] });
    const features = fc.dictionary(fc.constantFrom('eth_getBlockReceipts', 'finalized', 'x'), size);
    const stored = fc.record(
      {
        limits: fc.dictionary(fc.constantFrom('eth_call', 'mixed'), bounds),
        logs: bounds,
        lacks: features,
        callsPerSecond: size,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(stored, fc.jsonValue()), (value) => {
        const profile = open(JSON.stringify(value));
        for (const [found, max] of [
          [profile.batchLimit('eth_call', 100).size, 100],
          [profile.logLimits.blocks, 100_000],
          [profile.logLimits.logs, 25_000],
        ] as const) {
          expect(Number.isSafeInteger(found) && found >= 1 && found <= max).toBe(true);
        }
        expect(profile.rate.maxCalls).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('a limit of weight', () => {
  test('is not learned from a refused batch', () => {
    const profile = open();
    profile.batchLimit('eth_getBlockByNumber', 1_000).recordRefusal(2);
    expect(profile.weightLimit('eth_call of one', 1_000).size).toBe(1_000);
  });

  test('does not mark a node as one without batches when a weight of two is refused', () => {
    const profile = open();
    profile.weightLimit('eth_call of many', 1_000).recordRefusal(2);
    expect(profile.batchLimit('eth_getBlockByNumber', 1_000).size).toBe(1_000);
  });

  test('is remembered by the next process', () => {
    const profile = open();
    profile.weightLimit('eth_call of many', 1_000).recordRefusal(1_000);
    expect(reopen(reopen(profile)).weightLimit('eth_call of many', 1_000).size).toBe(500);
  });
});

describe('a method', () => {
  const refuse = (profile: NodeProfile, times: number) => {
    for (let i = 0; i < times; i++) profile.recordMethod('eth_call', 'refused');
  };

  test('is missing after five refusals without a success between them, and not in the next process', () => {
    const profile = open();
    refuse(profile, 4);
    profile.recordMethod('eth_call', 'served');
    refuse(profile, 4);
    expect(profile.lacksMethod('eth_call')).toBe(false);
    refuse(profile, 1);
    expect([profile.lacksMethod('eth_call'), profile.lacksMethod('eth_getLogs')]).toEqual([true, false]);
    expect(reopen(profile).lacksMethod('eth_call')).toBe(false);
    profile.recordMethod('eth_call', 'served');
    expect(profile.lacksMethod('eth_call')).toBe(false);
  });

  test('is unknown once the last five refusals said so, until it is served or ten minutes have passed', () => {
    let now = NOW;
    const profile = new NodeProfile({ stopwatch: REAL_STOPWATCH, nowSeconds: () => now });
    const find = (times: number) => {
      for (let i = 0; i < times; i++) profile.recordMethod('eth_call', 'not-found');
      return [profile.lacksMethod('eth_call'), profile.isMethodUnknown('eth_call')];
    };
    expect([find(4), find(1)]).toEqual([
      [false, false],
      [true, true],
    ]);
    refuse(profile, 1);
    expect([find(4), find(1)]).toEqual([
      [true, false],
      [true, true],
    ]);
    now += 600;
    expect(find(0)).toEqual([false, false]);
    expect(find(1)).toEqual([true, true]);
    profile.recordMethod('eth_call', 'served');
    expect(find(4)).toEqual([false, false]);
  });

  test('is tried again after ten minutes, also after the clock was set back, and is missing after one more refusal', () => {
    let now = NOW;
    const profile = new NodeProfile({ stopwatch: REAL_STOPWATCH, nowSeconds: () => now });
    refuse(profile, 5);
    now += 599;
    expect(profile.lacksMethod('eth_call')).toBe(true);
    now += 1;
    expect(profile.lacksMethod('eth_call')).toBe(false);
    refuse(profile, 1);
    expect(profile.lacksMethod('eth_call')).toBe(true);
    now -= 600;
    expect(profile.lacksMethod('eth_call')).toBe(false);
  });
});
