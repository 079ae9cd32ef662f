/** Personas with different histories, flags and administrative overrides. */
import {
  ALMOST_GRADUATED,
  DECLARED_YEAR,
  DAILY_ACTIVITY,
  ENDED_LONG_AGO,
  MANY_CURRENCIES,
  MANY_EVENTS,
  NO_HISTORY,
  SELF_REPORTED_SMALL,
  STEADY_YEAR,
  WEEKLY_PAYER,
} from './histories.ts';
import type { History } from './histories.ts';
import { adminCall, renewSubscription } from '../main-chain/calls.ts';
import { attestChip, attestKyb } from './attestation-acts.ts';
import { served } from './persona.ts';
import type { Act, Persona } from './persona.ts';

/** A period is 365 days, so older machines must have renewed to be bonded today. */
const RENEWED: Act = {
  daysAgo: 100,
  calls: (deployment, { activator, id }) => [renewSubscription(deployment, activator.address, id)],
};

/** Statuses of a machine whose chip and operator are attested on the day of its activation. */
const VERIFIED = { kyb: 'verified', chip: 'verified' } as const;

function rated(name: string, about: string, history: History): Persona {
  const { events, rating, isVerified } = history;
  const expected = served(rating, isVerified && VERIFIED);
  const isOld = events.some((event) => event.daysAgo > 150);
  const activatedDaysAgo = isOld ? 420 : 150;
  const attestations = isVerified === undefined ? [] : [attestKyb(activatedDaysAgo), attestChip(activatedDaysAgo)];
  const acts = [...attestations, ...(isOld ? [RENEWED] : [])];
  return { name, about, home: 'main', activatedDaysAgo, events, acts, expected };
}

const ATTESTED = [attestKyb(420), attestChip(420)];

export const RATED_PERSONAS: readonly Persona[] = [
  rated(
    'rated-aaa',
    'Steady, attested revenue for more than a year and a verified operator: full points.',
    STEADY_YEAR,
  ),
  rated('rated-b', 'Small declared revenue every day.', SELF_REPORTED_SMALL),
  rated('provisioned', 'Bonded, with a history that is too short for a rating.', ALMOST_GRADUATED),
  rated('fresh', 'Bonded, without events and without a monetization decision.', NO_HISTORY),
  rated('multi-currency', 'Revenue in USD, EUR and JPY, and in a currency without a rate.', MANY_CURRENCIES),
  rated('activity-only', 'Daily activity and no revenue.', DAILY_ACTIVITY),
  rated('dormant', 'Revenue for most of a year, then no events.', ENDED_LONG_AGO),
  rated(
    'declared-best',
    'The history of rated-aaa without evidence: the best that claims alone can reach.',
    DECLARED_YEAR,
  ),
  rated('level-two-claims', 'Writes trust level 2 on every event, with no chip on record.', WEEKLY_PAYER),
  rated('many-events', 'Twelve pages of events.', MANY_EVENTS),
  {
    name: 'flagged',
    about: 'Like rated-aaa, flagged ten days ago: no points for trust, and of the other 8000 remain 5000 + 3000 / 6.',
    home: 'main',
    activatedDaysAgo: 420,
    events: STEADY_YEAR.events,
    acts: [
      ...ATTESTED,
      RENEWED,
      { daysAgo: 10, calls: (deployment, { id }) => [adminCall(deployment, 'adminFlags', 'flagMachine', [id])] },
    ],
    expected: served(
      {
        ...STEADY_YEAR.rating,
        mcr_score: 55,
        mcr: 'BB',
        negative_flag: true,
        summary: 'Rated BB with 55 of 100 points; largest deduction: a negative flag.',
      },
      VERIFIED,
    ),
  },
  {
    name: 'trust-override',
    about: 'Like rated-aaa, with trust set to 50 percent by an administrator: 10000 - 1000.',
    home: 'main',
    activatedDaysAgo: 420,
    events: STEADY_YEAR.events,
    acts: [
      ...ATTESTED,
      RENEWED,
      {
        daysAgo: 10,
        calls: (deployment, { id }) => [adminCall(deployment, 'adminFlags', 'setTrustOverride', [id, 50])],
      },
    ],
    expected: served(
      {
        ...STEADY_YEAR.rating,
        mcr_score: 90,
        mcr: 'AA',
        summary: 'Rated AA with 90 of 100 points; largest deduction: an administrative trust level.',
      },
      VERIFIED,
    ),
  },
];
