/**
 * Machines that differ by their history and by what an administrator says of them.
 */
import {
  ALMOST_GRADUATED,
  DAILY_ACTIVITY,
  ENDED_LONG_AGO,
  MANY_CURRENCIES,
  MANY_EVENTS,
  NO_HISTORY,
  SELF_REPORTED_SMALL,
  STEADY_YEAR,
} from './histories.ts';
import type { History } from './histories.ts';
import { adminCall, renewSubscription } from '../main-chain/calls.ts';
import { served } from './persona.ts';
import type { Act, Persona } from './persona.ts';

/** The period is 365 days: older machines have to renew to be bonded today. */
const RENEWED: Act = {
  daysAgo: 100,
  calls: (deployment, { activator, id }) => [renewSubscription(deployment, activator.address, id)],
};

function rated(name: string, about: string, history: History): Persona {
  const { events, rating } = history;
  const common = { name, about, home: 'main', events, expected: served(rating) } as const;
  const isOld = events.some((event) => event.daysAgo > 150);
  return isOld ? { ...common, activatedDaysAgo: 420, acts: [RENEWED] } : { ...common, activatedDaysAgo: 150 };
}

export const RATED_PERSONAS: readonly Persona[] = [
  rated('rated-aaa', 'A steady, hardware-signed earner of more than a year: full points.', STEADY_YEAR),
  rated('rated-b', 'Earns a little every day and only says so itself.', SELF_REPORTED_SMALL),
  rated('provisioned', 'Bonded, with a history that is still too short to be rated.', ALMOST_GRADUATED),
  rated('fresh', 'Bonded, without an event and without a monetization decision.', NO_HISTORY),
  rated('multi-currency', 'Earns in USD, EUR and JPY, and in a currency that nobody can convert.', MANY_CURRENCIES),
  rated('activity-only', 'Reports activity every day and never any revenue.', DAILY_ACTIVITY),
  rated('dormant', 'Earned for most of a year and then fell silent.', ENDED_LONG_AGO),
  rated('many-events', 'Has twelve pages of events.', MANY_EVENTS),
  {
    name: 'flagged',
    about: 'Like rated-aaa, with a negative flag of ten days ago: no points for trust, 10000 - 2000.',
    home: 'main',
    activatedDaysAgo: 420,
    events: STEADY_YEAR.events,
    acts: [
      RENEWED,
      { daysAgo: 10, calls: (deployment, { id }) => [adminCall(deployment, 'adminFlags', 'flagMachine', [id])] },
    ],
    expected: served({
      ...STEADY_YEAR.rating,
      mcr_score: 80,
      mcr: 'A',
      negative_flag: true,
      summary: 'Rated A with 80 of 100 points; most is lost to a negative flag.',
    }),
  },
  {
    name: 'trust-override',
    about: 'Like rated-aaa, with the trust set to 50 percent by an administrator: 10000 - 1000.',
    home: 'main',
    activatedDaysAgo: 420,
    events: STEADY_YEAR.events,
    acts: [
      RENEWED,
      {
        daysAgo: 10,
        calls: (deployment, { id }) => [adminCall(deployment, 'adminFlags', 'setTrustOverride', [id, 50])],
      },
    ],
    expected: served({
      ...STEADY_YEAR.rating,
      mcr_score: 90,
      mcr: 'AA',
      summary: 'Rated AA with 90 of 100 points; most is lost to an administrative trust level.',
    }),
  },
];
