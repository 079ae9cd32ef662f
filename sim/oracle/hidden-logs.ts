/**
 * What a node may hide because no counter of the contracts shows it, until the blocks are proven and for good in mode `off`
 * (design/real-chains 1): transfers that lead back to an owner, or from a mint to a burn; a controller that was taken back; and in mode
 * `off` pauses of all machines.
 */
import type { ChangeOfHands, Machine } from '../chain/machine-state.ts';

const known = new WeakMap<Machine, readonly Machine[]>();

/** Returns the machine as it is, and as it appears without such transfers and controllers. */
export function listWithoutProof(machine: Machine): readonly Machine[] {
  let found = known.get(machine);
  if (found === undefined) known.set(machine, (found = [machine, ...listAltered(machine)]));
  return found;
}

function listAltered(machine: Machine): Machine[] {
  const { hands, burns, controllers, isAccepted } = machine;
  // Up to a burn everything leads back to no owner, so that the mint after it is no change of hands.
  const sinceBurn = burns.map((at) => hands.slice(hands[at]?.isMint === true ? at + 1 : at));
  const altered = [hands, ...sinceBurn].flatMap(withoutWaysBack).filter((left) => left.length < hands.length);
  const wasTakenBack = controllers.length > new Set(controllers).size;
  return [
    ...(isAccepted && wasTakenBack ? [{ ...machine, isAccepted: false }] : []),
    // Whether the owner before a hidden way back had accepted the operator is not retained.
    ...altered.flatMap((left) => [true, false].map((each) => ({ ...machine, hands: left, isAccepted: each }))),
  ];
}

/** Returns the changes of hands without any of those that lead from an owner back to it. */
function withoutWaysBack(hands: readonly ChangeOfHands[]): (readonly ChangeOfHands[])[] {
  const [first, ...rest] = hands;
  if (first === undefined) return [[]];
  const hidden = hands.flatMap(({ to }, i) => (to === first.from ? withoutWaysBack(hands.slice(i + 1)) : []));
  return [...withoutWaysBack(rest).map((left) => [first, ...left]), ...hidden];
}
