/** Personas with different histories, flags and administrative overrides. */
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

/** A period is 365 days, so older machines must have renewed to be bonded today. */
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
  rated('rated-aaa', 'Steady, hardware-signed revenue for more than a year: full points.', STEADY_YEAR),
  rated('rated-b', 'Small self-reported revenue every day.', SELF_REPORTED_SMALL),
  rated('provisioned', 'Bonded, with a history that is too short for a rating.', ALMOST_GRADUATED),
  rated('fresh', 'Bonded, without events and without a monetization decision.', NO_HISTORY),
  rated('multi-currency', 'Revenue in USD, EUR and JPY, and in a currency without a rate.', MANY_CURRENCIES),
  rated('activity-only', 'Daily activity and no revenue.', DAILY_ACTIVITY),
  rated('dormant', 'Revenue for most of a year, then no events.', ENDED_LONG_AGO),
  rated('many-events', 'Twelve pages of events.', MANY_EVENTS),
  {
    name: 'flagged',
    about: 'Like rated-aaa, flagged ten days ago: no points for trust, 10000 - 2000.',
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
    about: 'Like rated-aaa, with trust set to 50 percent by an administrator: 10000 - 1000.',
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
