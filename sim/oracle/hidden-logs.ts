/**
 * What a node may hide because no counter of the contracts shows it, until the blocks are proven and for good in mode `off`
 * (design/real-chains 1): transfers that lead back to an owner, or from a mint to a burn, with the ends of payout claims that they are; a
 * controller that was taken back; and in mode `off` pauses of all machines.
 */
import { ZERO, type ChangeOfHands, type ClaimEnd, type Machine, type Transfer } from '../chain/machine-state.ts';

const known = new WeakMap<Machine, readonly Machine[]>();

/** Returns the machine as it is, and as it appears without such transfers and controllers. */
export function listWithoutProof(machine: Machine): readonly Machine[] {
  let found = known.get(machine);
  if (found === undefined) known.set(machine, (found = [machine, ...listAltered(machine)]));
  return found;
}

function listAltered(machine: Machine): Machine[] {
  const { transfers, hands, claimEnds, controllers, isAccepted } = machine;
  const altered = new Map<string, Traces>();
  for (const left of withoutWaysBack(transfers, ZERO)) {
    const traces = traceTransfers(left);
    const isAltered = traces.hands.length < hands.length || traces.claimEnds.length < claimEnds.length;
    if (isAltered) altered.set(JSON.stringify(traces), traces);
  }
  const wasTakenBack = controllers.length > new Set(controllers).size;
  return [
    ...(isAccepted && wasTakenBack ? [{ ...machine, isAccepted: false }] : []),
    // Whether the owner before a hidden way back had accepted the operator is not retained.
    ...[...altered.values()].flatMap((traces) =>
      (traces.hands.length < hands.length ? [true, false] : [isAccepted]).map((each) => ({
        ...machine,
        ...traces,
        isAccepted: each,
      })),
    ),
  ];
}

/** Returns the transfers without any of those that lead from an owner, or from none, back to it. */
function withoutWaysBack(transfers: readonly Transfer[], owner: string): (readonly Transfer[])[] {
  const [first, ...rest] = transfers;
  if (first === undefined) return [[]];
  // A longer way back consists of several that begin and end at the owner.
  const back = transfers.findIndex(({ to }) => to === owner);
  const hidden = back < 0 ? [] : withoutWaysBack(transfers.slice(back + 1), owner);
  return [...withoutWaysBack(rest, first.to).map((left) => [first, ...left]), ...hidden];
}

type Traces = Pick<Machine, 'hands' | 'claimEnds'>;

/** Returns the changes of hands and the ends of payout claims among transfers. */
function traceTransfers(transfers: readonly Transfer[]): Traces {
  const hands: ChangeOfHands[] = [];
  const claimEnds: ClaimEnd[] = [];
  let lastOwner: string | undefined;
  transfers.forEach(({ to, seq, at }, i) => {
    const isChange = to !== ZERO && lastOwner !== undefined && to !== lastOwner;
    if (to === ZERO || isChange) claimEnds.push({ seq, at });
    if (isChange) hands.push({ seq, at, from: lastOwner!, to, isMint: transfers[i - 1]?.to === ZERO });
    if (to !== ZERO) lastOwner = to;
  });
  return { hands, claimEnds };
}
