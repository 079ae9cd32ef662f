/**
 * Which machines does the operator `fleet` have? A third earns every week, a third has barely begun, a third has done nothing.
 */
import { NO_HISTORY, SHORT_HISTORY, WEEKLY_PAYER } from './histories.ts';
import { served } from './persona.ts';
import type { Persona } from './persona.ts';

/** Main-chain machines unless the caller wants another number. */
export const DEFAULT_FLEET_SIZE = 45;

export const FLEET_OPERATOR = 'fleet';
export const EMPTY_OPERATOR = 'empty';

const HISTORIES = [WEEKLY_PAYER, SHORT_HISTORY, NO_HISTORY];

/** `fleet-01` and so on. */
export function listFleet(size: number): readonly Persona[] {
  const digits = Math.max(2, String(size).length);
  return Array.from({ length: size }, (_, index) => {
    const { events, rating } = HISTORIES[index % HISTORIES.length]!;
    return {
      name: `fleet-${String(index + 1).padStart(digits, '0')}`,
      about: 'One of many of an operator.',
      home: 'main',
      activatedDaysAgo: 150,
      activator: FLEET_OPERATOR,
      events,
      expected: served(rating),
    };
  });
}
