/** The service follows the payments of every paid machine of the devnet, and rates it as the fixtures expect. */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked } from '../fetch-checked.ts';

/** A year of payments is followed at the start. */
const SETTLED_WITHIN_MILLISECONDS = 60_000;

const baseUrl = inject('baseUrl');
const paid = inject('fixtures').machines.flatMap(({ name, did, settled }) =>
  settled === null ? [] : [{ name, did, settled }],
);

describe('the service follows the payments', () => {
  rule('service.score-follows-events');

  it.each(paid)('of $name', { timeout: 2 * SETTLED_WITHIN_MILLISECONDS }, async ({ did, settled }) => {
    const { verdicts, ...rating } = settled;
    const read = async () => (await fetchChecked(`${baseUrl}/mcr/${did}/explanation`)).json();
    await expect
      .poll(read, { timeout: SETTLED_WITHIN_MILLISECONDS, interval: 500 })
      .toMatchObject({ ...rating, evidence: { verdicts } });
  });
});
