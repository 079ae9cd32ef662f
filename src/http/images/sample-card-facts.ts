/** A machine that tests of all pictures draw. */
import type { MachineId } from '../../domain/identifiers.ts';
import type { CardFacts } from './rating-facts.ts';

export const SAMPLE_FACTS: CardFacts = {
  id: 42n as MachineId,
  name: 'Machine #42',
  letter: 'AA',
  score: 87,
  summary: 'Rated AA with 87 of 100 points; most is lost to short tenure.',
  isBonded: true,
  eventCount: 120,
  scores: [0, 50, 87],
  today: 20_704,
};
