/** The service follows the payments of every paid machine of the devnet, and rates it as the fixtures expect. */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { waitUntilSettled } from '../settled.ts';

const baseUrl = inject('baseUrl');
const paid = inject('fixtures').machines.filter(({ settled }) => settled !== null);

describe('the service follows the payments', () => {
  rule('service.score-follows-events');

  it.each(paid)('of $name', async (machine) => {
    await waitUntilSettled(baseUrl, machine);
  });

  it('with each verdict', () => {
    const codes = paid.flatMap(({ settled }) =>
      Object.entries(settled!.verdicts).flatMap(([code, count]) => (count > 0 ? [code] : [])),
    );
    expect([...new Set(codes)].sort()).toEqual([
      ...['already_counted', 'circular', 'declared', 'failed', 'not_found', 'paid', 'self_paid'],
      ...['unknown_payer', 'wrong_payee', 'wrong_time'],
    ]);
  });
});
