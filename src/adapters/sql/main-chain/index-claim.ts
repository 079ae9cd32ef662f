/**
 * Claim of a process on the stored rows of an index. While none are stored, the first claim of a process replaces that of another one
 * (docs/decisions/main-chain.md). Written in exclusive programs only.
 */
import type { SqlProgram } from '../engine/sql-program.ts';
import type { BlockStream } from './block-stream.ts';

export interface IndexClaim {
  /** Claims each stream for the identity at its place. Returns false where another one remains recorded. */
  claim(identities: readonly string[]): SqlProgram<boolean>;
  /** Returns false when another process replaced the claim of this one. */
  holds(): SqlProgram<boolean>;
}

export function createIndexClaim(streams: readonly BlockStream[], isEmpty: () => SqlProgram<boolean>): IndexClaim {
  /** First claim of this process. */
  let claimed: readonly string[] | undefined;

  function* record(identities: readonly string[], mayReplace: boolean): SqlProgram<boolean> {
    for (const [i, stream] of streams.entries()) {
      if (!(yield* stream.claimIdentity(identities[i]!, mayReplace))) return false;
    }
    return true;
  }

  return {
    *claim(identities) {
      const mayReplace = claimed === undefined && (yield* isEmpty());
      claimed ??= identities;
      return yield* record(identities, mayReplace);
    },
    *holds() {
      return claimed === undefined || (yield* record(claimed, false));
    },
  };
}
