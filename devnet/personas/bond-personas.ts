/** Personas with different bond states. A period is 365 days, followed by 30 days of grace and 30 of runoff; none of them renews. */
import { endedWithBond, WEEKLY_PAYER } from './histories.ts';
import { served } from './persona.ts';
import type { Persona } from './persona.ts';

/** The newest event is older than both 30-day trend windows and older than the end of the bond. */
const ENDED_BEFORE_RUNOFF = endedWithBond(70);
const ENDED_LAST_YEAR = endedWithBond(358);

export const BOND_PERSONAS: readonly Persona[] = [
  {
    name: 'grace',
    about: 'Period ended ten days ago: in grace, bonded and still submitting, but not available on chain.',
    home: 'main',
    activatedDaysAgo: 375,
    events: WEEKLY_PAYER.events,
    expected: served(WEEKLY_PAYER.rating),
  },
  {
    name: 'runoff',
    about: 'Grace ended ten days ago: unbonded, renewal still possible.',
    home: 'main',
    activatedDaysAgo: 405,
    events: ENDED_BEFORE_RUNOFF.events,
    expected: served(ENDED_BEFORE_RUNOFF.rating),
  },
  {
    name: 'unbonded',
    about: 'Runoff ended three days ago: terminated by time, without a settlement.',
    home: 'main',
    activatedDaysAgo: 428,
    events: ENDED_LAST_YEAR.events,
    expected: served(ENDED_LAST_YEAR.rating),
  },
];
