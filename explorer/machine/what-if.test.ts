/** The what-if form: the model of the service, run with steady weekly revenue. */
import { describe, expect, it } from 'vitest';
import { rateScenario, type Scenario } from './what-if.ts';

const NOW = 1_772_452_800;
const CLASSES = ['declared', 'paid', 'attested'] as const;
const rate = (parts: Partial<Scenario>) =>
  rateScenario({ weeklyCents: 50_000, evidence: 'paid', weeks: 26, operatorVerified: true, now: NOW, ...parts });

describe('rateScenario', () => {
  it.each(CLASSES)('gives no factor more than its maximum with %s events', (evidence) => {
    for (const weeks of [1, 26, 60]) {
      for (const weeklyCents of [0, 5_000, 10_000_000]) {
        const { factors } = rate({ evidence, weeks, weeklyCents });
        for (const { pointsHundredths, maxHundredths } of factors) {
          expect(pointsHundredths).toBeLessThanOrEqual(maxHundredths);
        }
      }
    }
  });

  it('rates better evidence higher, and declared events at most 58.50', () => {
    const totals = CLASSES.map((evidence) => rate({ evidence, weeks: 60, weeklyCents: 250_000 }).totalHundredths!);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect(new Set(totals).size).toBe(3);
    expect(totals[0]).toBeLessThanOrEqual(5_850);
    expect(totals[2]).toBe(10_000);
  });

  it('is provisioned without enough history, and counts little above 50 points for an unverified operator', () => {
    expect(rate({ weeks: 2 }).letter).toBe('Provisioned');
    expect(rate({ operatorVerified: false }).totalHundredths).toBeLessThan(rate({}).totalHundredths!);
  });
});
