/**
 * Machines that differ by their bond. Periods are 365 days, then 30 of grace, then 30 of runoff; nobody here renews.
 */
import { endedWithBond, WEEKLY_PAYER } from './histories.ts';
import { served } from './persona.ts';
import type { Persona } from './persona.ts';

/** The last day with an event lies beyond both 30-day windows of the trend, and before the bond ended. */
const ENDED_BEFORE_RUNOFF = endedWithBond(70);
const ENDED_LAST_YEAR = endedWithBond(358);

export const BOND_PERSONAS: readonly Persona[] = [
  {
    name: 'grace',
    about: 'Its period ended ten days ago: in grace, so bonded and still submitting, but not available on chain.',
    home: 'main',
    activatedDaysAgo: 375,
    events: WEEKLY_PAYER.events,
    expected: served(WEEKLY_PAYER.rating),
  },
  {
    name: 'runoff',
    about: 'Its grace ended ten days ago: unbonded, and could still renew.',
    home: 'main',
    activatedDaysAgo: 405,
    events: ENDED_BEFORE_RUNOFF.events,
    expected: served(ENDED_BEFORE_RUNOFF.rating),
  },
  {
    name: 'unbonded',
    about: 'Its runoff ended three days ago: terminated by time alone, without a settlement.',
    home: 'main',
    activatedDaysAgo: 428,
    events: ENDED_LAST_YEAR.events,
    expected: served(ENDED_LAST_YEAR.rating),
  },
];
