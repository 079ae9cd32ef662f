/** Home chain of a machine, as its explanation shows it. */
import type { Explanation } from './wire.ts';

/** Returns whether the machine is homed on the alt chain, where no chip is on record and no pause stops an opt-in. */
export function isOnAltChain({ inputs }: Pick<Explanation, 'inputs'>): boolean {
  return inputs.slot !== undefined;
}
