/**
 * Periodic check that this process can read accounts of the alt chain within the time of its callers (`isReadable` of the adapter). It runs
 * in every process: one without indexes sees no other failure of its nodes.
 */
import type { AltChainAdapter } from '../adapters/alt-chain/create-alt-chain.ts';
import { ALT_CHAIN_LIMITS } from '../adapters/alt-chain/limits.ts';
import { findAltCause } from '../indexing/alt/alt-causes.ts';
import type { LastingCauses } from '../indexing/loops/lasting-causes.ts';
import { createPollLoop, type PollLoop, type PollLoopOptions } from '../indexing/loops/poll-loop.ts';

export interface ReadCheckOptions extends Pick<PollLoopOptions, 'clock' | 'timers' | 'log'> {
  readonly machines: Pick<NonNullable<AltChainAdapter['machines']>, 'checkReadable'>;
  readonly causes: LastingCauses;
}

export function createReadCheckLoop({ machines, causes, ...common }: ReadCheckOptions): PollLoop {
  return createPollLoop({
    ...common,
    name: 'alt-chain-reads',
    intervalMilliseconds: ALT_CHAIN_LIMITS.readCheckMilliseconds,
    firstBackoffMilliseconds: 1_000,
    maxBackoffMilliseconds: 5_000,
    step: async () => {
      await causes.observe('reads', machines.checkReadable, (error) => ({
        kind: findAltCause(error, 'reads') ?? 'alt-node-unreachable',
      }));
      return 'idle';
    },
  });
}
