/** Blocks before the first start of the service: a few over some months, so that machines have established ratings. */
import type { Random } from '../random.ts';
import { attest } from './attestation-operations.ts';
import { BlockDraft } from './block-draft.ts';
import { submitEvents } from './event-operations.ts';
import { mint, operate, type Actors } from './operations.ts';
import type { VirtualChain } from './virtual-chain.ts';

/** Adds `blocks` blocks that end at about `untilSeconds`. */
export function writeHistory(
  chain: VirtualChain,
  random: Random,
  actors: Actors,
  blocks: number,
  untilSeconds: number,
): void {
  const step = Math.floor((untilSeconds - chain.tip.timestamp) / blocks) - 1;
  for (let i = 0; i < blocks; i++) {
    const draft = new BlockDraft(chain.tip.world, chain.tip.timestamp + random.integer(1, Math.max(1, step)));
    if (i === 0) {
      for (const id of actors.machines.slice(1))
        if (draft.machine(id).subscription.periodStart === 0) {
          mint(draft, id, random, actors);
          draft.endTransaction();
        }
    }
    for (const id of actors.machines) {
      const machine = draft.machine(id);
      if (machine.owner !== undefined && random.chance(0.4)) {
        submitEvents(draft, machine, random, actors.citations);
        draft.endTransaction();
      }
    }
    if (actors.attester !== undefined) attest(draft, actors.attester, actors.machines);
    if (random.chance(0.3)) operate(draft, random, actors);
    chain.moveTip(chain.build(chain.tip, draft.timestamp, draft.finish()));
  }
}
