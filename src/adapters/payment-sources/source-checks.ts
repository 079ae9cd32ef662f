/** Checks of the URLs of a source, for `svc doctor`: identity, finalized head and depth of history. */
import { PAYMENT } from '../../domain/rating/constants.ts';
import type { FinalizedHead } from '../../ports/payment-sources.ts';
import type { Clock } from '../../ports/runtime.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import type { AgingRead } from './aging-read.ts';

/** What was found of one URL. `unknown`: it did not answer in a usable form. */
export interface SourceFinding {
  /** Position in the configuration; the URL may hold a key. */
  readonly position: number;
  readonly identity: 'expected' | 'other' | 'unknown';
  /** Undefined: the URL does not report a finalized block. */
  readonly finalized: FinalizedHead | undefined;
  /** Whether its history reaches back as far as a verdict may depend on; undefined: not known. */
  readonly isDeep: boolean | undefined;
  /** Whether it serves what proves the absence of a cited transaction; undefined: not known. */
  readonly provesAbsence: boolean | undefined;
}

/** A citation may be this much older than the event's block: 7 days for the event and 7 for the payment. */
const CITED_SECONDS = 14 * 86_400;

/** Returns how old the history is on which a verdict may depend: with transfers, that of what the payer received before the payment. */
export function neededSeconds(kind: 'evm' | 'solana'): number {
  return kind === 'evm' ? CITED_SECONDS + PAYMENT.flowSeconds : CITED_SECONDS;
}

interface CheckedSource<Url> {
  readonly kind: 'evm' | 'solana';
  readonly urls: readonly Url[];
  reachesBackTo(url: Url, time: number): Promise<boolean>;
  /** Absent: the check of the depth sends the calls of a proof. */
  provesAbsence?(url: Url, time: number): Promise<boolean>;
}

/** Checks each URL. Never throws. */
export function checkSource<Url extends { readonly head: AgingRead<FinalizedHead> }, Name>(
  { kind, urls, reachesBackTo, provesAbsence }: CheckedSource<Url>,
  identities: readonly (Name | undefined)[],
  expected: Name,
  { clock }: { readonly clock: Clock },
): Promise<readonly SourceFinding[]> {
  const since = Math.floor(clock.nowMilliseconds() / 1000) - neededSeconds(kind);
  return Promise.all(
    urls.map(async (url, position): Promise<SourceFinding> => {
      const actual = identities[position];
      const identity = actual === undefined ? 'unknown' : actual === expected ? 'expected' : 'other';
      const unknown = { finalized: undefined, isDeep: undefined, provesAbsence: undefined };
      if (identity !== 'expected') return { position, identity, ...unknown };
      const finalized = await orUndefined(url.head.renew());
      const isDeep = finalized && (await orUndefined(reachesBackTo(url, since)));
      const proof = isDeep === true ? provesAbsence?.(url, since) : undefined;
      return { position, identity, finalized, isDeep, provesAbsence: proof ? await orUndefined(proof) : isDeep };
    }),
  );
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof RpcFailure) return undefined;
    throw error;
  }
}
