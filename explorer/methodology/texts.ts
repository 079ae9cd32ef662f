/** Texts of the methodology page. */
import { formatCount } from '../parts/formats.ts';
import { plural } from '../parts/texts.ts';
import type { Factor } from '../parts/wire.ts';

export const LEAD =
  'A machine is rated from 0 to 100 points, from the events it reported to public chains and from facts of its registry. The model is open, and the same events always give the same rating.';
export const EXAMPLES_NOTE =
  'With a bond and a verified operator, five days a week, computed by the model in this browser.';

/** Scenarios that the page rates. */
export const EXAMPLES = [
  { text: '$500 a week for half a year, declared only', weeklyCents: 50_000, evidence: 'declared', weeks: 26 },
  { text: '$500 a week for half a year, payments followed', weeklyCents: 50_000, evidence: 'paid', weeks: 26 },
  {
    text: '$2,500 a week for a year, signed by an attested chip',
    weeklyCents: 250_000,
    evidence: 'attested',
    weeks: 53,
  },
] as const;

export const FACTOR_TEXTS: Readonly<Record<Factor['name'], { readonly most: number; readonly text: string }>> = {
  revenue: {
    most: 30,
    text: 'What the machine earns per week, over the best 13 of the last 14 weeks. Declared revenue earns half of the points; revenue whose payment was followed on a chain, or that an attested chip signed, earns all. A week of activity alone earns at most a third.',
  },
  cadence: {
    most: 25,
    text: 'How many of the last 14 weeks and their days had a qualifying event. Five days in each of 13 weeks earn all points when their events are paid or attested, and half of them when they are declared only.',
  },
  trend: { most: 15, text: 'Revenue of the last 30 days against the 30 days before, with single bursts cut.' },
  trust: {
    most: 20,
    text: 'The weight of declared, paid and attested events of the last 180 days. A negative flag removes these points for 180 days.',
  },
  tenure: { most: 10, text: 'How many weeks had a qualifying event. 52 weeks earn all points.' },
};

export const RULES = [
  'A rating needs an active bond, and 10 qualifying events on 5 days over 30 days. Until then a machine is provisioned.',
  'Revenue below 10 US dollars does not qualify. An event that is reported more than 7 days late does not qualify.',
  'A machine that stops working loses points after a pause that is long for its own rhythm.',
  'Without a verified operator, or with a negative flag, points above 50 count a sixth.',
  'When a machine is sold, its older events count as declared only.',
];

/** Steps of an operator; docs/payouts.md has the details. */
export const REVENUE_STEPS = [
  'Prove the account that receives the payments of the machine: it signs a text, which `svc payout proof` prints, and an event of the machine carries the signature.',
  'Receive the payment from someone else, in a token and on a chain that this service follows. The system page lists these chains.',
  'Cite the transaction in the event, with trust level 1 or 2, within 7 days of the payment. The verdict follows about 15 minutes later.',
];

export const LIMITS = [
  'It is not a forecast and not a price. It says how much evidence of steady earnings is on public chains.',
  'Payments through wallets that never signed for the machine, through exchanges or pools, are not followed further.',
  'An attested chip signs what its owner lets it sign. Verification of an operator is as good as the verifier.',
];

export function describeDistribution(machines: number, unrated: number): string {
  return `${plural(machines, 'machine')}, of which ${formatCount(machines - unrated)} have a rating from AAA to B.`;
}
