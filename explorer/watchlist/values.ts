/** Values of the watchlist as texts: those that the page compares with the last visit, and those of the feed of changes. */
import { judgeFlag, type FlagState } from '../../src/domain/rating/negative-flag.ts';
import {
  FLAG_STATES,
  isRated,
  MONETIZATION_STATES,
  plural,
  SUBSCRIPTION_STATES,
  VERIFICATION_STATES,
} from '../parts/texts.ts';
import type { Change, Explanation, Fleet } from '../parts/wire.ts';
import { VALUE_NAMES } from './texts.ts';
import type { SeenValues } from './watchlist.ts';

const FLAG_TEXTS: Readonly<Record<FlagState, string>> = {
  none: 'no flag',
  in_force: `flag ${FLAG_STATES.in_force}`,
  ended: `flag ${FLAG_STATES.ended}`,
};

/** Every state of bond and flag has its own text, so that each of their changes is one of the text. */
export function toMachineValues({
  mcr,
  mcr_score,
  inputs: { subscription, negative_flag_at: flaggedAt, now },
}: Pick<Explanation, 'mcr' | 'mcr_score' | 'inputs'>): SeenValues {
  return {
    rating: isRated(mcr) ? `${mcr} ${mcr_score}` : describeUnrated(mcr),
    bond: SUBSCRIPTION_STATES[subscription].text,
    flag: FLAG_TEXTS[judgeFlag(BigInt(flaggedAt), now)],
  };
}

export function toFleetValues(fleet: Fleet | undefined): SeenValues | undefined {
  return fleet && { machines: plural(fleet.pagination.total, 'machine') };
}

/** An imported list may hold values of any name. */
export function nameValue(name: string): string {
  return Object.hasOwn(VALUE_NAMES, name) ? VALUE_NAMES[name as keyof typeof VALUE_NAMES] : name;
}

/** Describes a value of the feed; a value without a text of its own, such as an address, stays what it is. */
export function describeValue(kind: Change['kind'], value: string | null): string {
  if (value === null) return 'none';
  switch (kind) {
    case 'bond':
      return find(SUBSCRIPTION_STATES, value)?.text ?? value;
    case 'flag':
      return find(FLAG_STATES, value) ?? value;
    case 'kyb':
    case 'chip':
      return find(VERIFICATION_STATES, value)?.text ?? value;
    case 'opt-in':
      return find(MONETIZATION_STATES, value)?.toLowerCase() ?? value;
    case 'rating':
      return describeUnrated(value);
    default:
      return value;
  }
}

function find<T>(texts: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

function describeUnrated(letter: string): string {
  if (letter === 'NR') return 'not rated';
  return letter === 'Provisioned' ? 'provisioned' : letter;
}
