/** The service follows the payments of every paid machine of the devnet, and rates it as the fixtures expect. */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { waitUntilSettled } from '../settled.ts';

const baseUrl = inject('baseUrl');
const { machines, seededAt, sources } = inject('fixtures');
const paid = machines.filter(({ settled }) => settled !== null);
const DAY_SECONDS = 86_400;

/** Members of an explanation that the tests read. */
interface Explanation {
  readonly mcr: string;
  readonly factors: readonly { readonly name: string; readonly measure: Readonly<Record<string, number | string>> }[];
  readonly anchor: { readonly operator_verified: boolean };
  readonly dormancy: { readonly idle_days: number; readonly lost_hundredths: number };
  readonly evidence: { readonly changed_hands_at: number | null };
  readonly inputs: { readonly now: number };
}

async function explain(name: string): Promise<Explanation> {
  const machine = findMachine(machines, name);
  await waitUntilSettled(baseUrl, machine);
  return (await fetchChecked(`${baseUrl}/mcr/${machine.did}/explanation`)).json<Explanation>();
}

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

describe('the service explains', () => {
  it('the AAA of rated-aaa by evidence alone: every cent is attested and the operator is verified', async () => {
    const { mcr, factors, anchor } = await explain('rated-aaa');
    expect([mcr, anchor.operator_verified]).toEqual(['AAA', true]);
    const measure = (name: string) => factors.find((factor) => factor.name === name)!.measure;
    expect(measure('trust')).toMatchObject({ source: 'events', declared_usd_cents: 0, paid_usd_cents: 0 });
    expect(measure('trust')['attested_usd_cents']).toBeGreaterThan(0);
    const { usd_cents, verified_usd_cents } = measure('revenue');
    expect(verified_usd_cents).toBe(usd_cents);
  });

  it.each([
    ['level-two-claims', 'declared'],
    ['declared-best', 'declared'],
    ['verified', 'attested'],
    ['paid-aa', 'paid'],
    ['chip-revoked', 'attested'],
    ['chip-revoked', 'declared'],
    ['chip-expired', 'attested'],
    ['chip-expired', 'declared'],
    ['alt-rated', 'paid'],
    ['alt-declared', 'declared'],
    ['alt-sold', 'declared'],
  ])('that %s has %s revenue', async (name, evidence) => {
    const trust = (await explain(name)).factors.find((factor) => factor.name === 'trust')!;
    expect(trust.measure[`${evidence}_usd_cents`]).toBeGreaterThan(0);
  });

  it.each([
    ['sold', 10],
    ['sold-and-proven', 100],
    ['borrowed-kyb', 100],
    ['bought-and-accepted', 100],
    ['alt-resold', 99],
    ['paid-aa', null],
  ])('that %s changed hands %s days ago', async (name, daysAgo) => {
    const { changed_hands_at } = (await explain(name)).evidence;
    expect(changed_hands_at).toBe(daysAgo === null ? null : seededAt - daysAgo * DAY_SECONDS);
  });

  it('that alt-sold changes hands now', async () => {
    const { evidence, inputs } = await explain('alt-sold');
    expect(evidence.changed_hands_at).toBe(inputs.now);
  });

  it.each([
    ['weekly', 25],
    ['monthly', 40],
  ])('that %s, silent for %i days, loses nothing to dormancy', async (name, idleDays) => {
    const { idle_days, lost_hundredths } = (await explain(name)).dormancy;
    expect(idle_days).toBeGreaterThanOrEqual(idleDays);
    expect(lost_hundredths).toBe(0);
  });

  it('that dormant loses points to dormancy', async () => {
    expect((await explain('dormant')).dormancy.lost_hundredths).toBeGreaterThan(0);
  });

  it('that a customer, and not the router, pays router-paid', async () => {
    const machine = findMachine(machines, 'router-paid');
    await waitUntilSettled(baseUrl, machine);
    const { events } = (await fetchChecked(`${baseUrl}/machines/${machine.id}/events?limit=100`)).json<{
      events: { verdict: string | null; payer: string | null }[];
    }>();
    const payers = events.filter(({ verdict }) => verdict === 'paid').map(({ payer }) => payer);
    const shopper = sources.main.wallets.find(({ name }) => name === 'shopper')!;
    expect(new Set(payers)).toEqual(new Set([shopper.address.toLowerCase()]));
  });
});
