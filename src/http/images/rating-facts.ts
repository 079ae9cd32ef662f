/** Facts shown in the images of a rating, and their texts. */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { judgeBond } from '../../domain/machine/bond.ts';
import type { SubscriptionStatus } from '../../domain/machine/machine-facts.ts';
import type { RatingLetter } from '../../domain/rating/scale.ts';
import { shorten } from './svg-text.ts';

export interface CardFacts {
  readonly id: MachineId;
  /** The name with the whole id. */
  readonly name: string;
  readonly letter: RatingLetter;
  readonly score: number;
  readonly summary: string;
  readonly subscription: SubscriptionStatus;
  readonly eventCount: number;
  /** One score a day, the last one of today; undefined without a rating. Empty when the history is unavailable. */
  readonly scores: readonly (number | undefined)[];
  /** UTC day number. */
  readonly today: number;
}

const ID_ENDS = 6;

export function isRated(letter: RatingLetter): boolean {
  return letter !== 'NR' && letter !== 'Provisioned';
}

export function titleOf({ name, letter, score }: Pick<CardFacts, 'name' | 'letter' | 'score'>): string {
  return `${name}: ${isRated(letter) ? `${letter}, ${score} of 100` : letter}`;
}

export function shortName({ name, id }: CardFacts): string {
  return name.replace(String(id), shorten(String(id), ID_ENDS));
}

export function statusLineOf({ subscription, eventCount }: Pick<CardFacts, 'subscription' | 'eventCount'>): string {
  return `${describeBond(subscription)} · ${eventCount} ${eventCount === 1 ? 'event' : 'events'}`;
}

/** In Grace the bond counts and ends soon, so it is not shown as plainly bonded. */
function describeBond(subscription: SubscriptionStatus): string {
  if (subscription === 'Grace') return 'bonded, in grace';
  return judgeBond(subscription) === 'bonded' ? 'bonded' : 'not bonded';
}
