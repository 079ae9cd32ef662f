/** Machines of the operator `fleet`: equal parts earn every week, have a short history, or have no events. */
import { NO_HISTORY, SHORT_HISTORY, WEEKLY_PAYER } from './histories.ts';
import { served } from './persona.ts';
import type { Persona } from './persona.ts';

/** Default number of main-chain machines. */
export const DEFAULT_FLEET_SIZE = 45;

export const FLEET_OPERATOR = 'fleet';
export const EMPTY_OPERATOR = 'empty';

const HISTORIES = [WEEKLY_PAYER, SHORT_HISTORY, NO_HISTORY];

/** Returns `size` machines named `fleet-01` and so on. */
export function listFleet(size: number): readonly Persona[] {
  const digits = Math.max(2, String(size).length);
  return Array.from({ length: size }, (_, index) => {
    const { events, rating } = HISTORIES[index % HISTORIES.length]!;
    return {
      name: `fleet-${String(index + 1).padStart(digits, '0')}`,
      about: 'One of the many machines of one operator.',
      home: 'main',
      activatedDaysAgo: 150,
      activator: FLEET_OPERATOR,
      events,
      expected: served(rating),
    };
  });
}
