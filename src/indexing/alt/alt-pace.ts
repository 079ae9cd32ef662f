/** Measures how long the first index of the alt chain takes at the pace at which its transactions are applied. */
import { MAX_FIRST_INDEX_SECONDS, type IndexCause } from '../../domain/index-rules/index-cause.ts';
import type { AltWalkProgress } from '../../ports/indexes.ts';
import type { Clock } from '../../ports/runtime.ts';

/** Time after which the pace is known. */
const PACE_MILLISECONDS = 60_000;

export interface AltPace {
  /** Returns a cause while the index takes too long at the pace since it began to apply transactions. */
  judge(progress: AltWalkProgress | undefined): IndexCause | undefined;
}

export function createAltPace(clock: Clock): AltPace {
  let start: { readonly atMilliseconds: number; readonly slot: number } | undefined;

  return {
    judge(progress) {
      const slot = progress?.phase === 'applying' ? progress.appliedSlot : undefined;
      if (progress === undefined || slot === undefined) {
        start = undefined;
        return undefined;
      }
      start ??= { atMilliseconds: clock.nowMilliseconds(), slot };
      const elapsedMilliseconds = clock.nowMilliseconds() - start.atMilliseconds;
      const slots = slot - start.slot;
      if (slots <= 0 || elapsedMilliseconds < PACE_MILLISECONDS) return undefined;
      const seconds = ((progress.targetSlot - slot) / slots) * (elapsedMilliseconds / 1000);
      return seconds > MAX_FIRST_INDEX_SECONDS ? { kind: 'alt-first-index-slow', seconds } : undefined;
    },
  };
}
