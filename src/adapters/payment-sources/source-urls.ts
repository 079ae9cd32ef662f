/** Reads over the URLs of a source, in order: from the first one that serves, or from all of them (scoring, Absent). */
import type { FinalizedHead } from '../../ports/payment-sources.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import type { AgingRead } from './aging-read.ts';

/** What one URL says of a transaction. */
export type UrlAnswer<T> =
  | { readonly found: T; readonly isWitness?: never }
  /** `isWitness` reads whether the URL knows all blocks in which the transaction may be. */
  | { readonly found: undefined; readonly isWitness: () => Promise<boolean> };

/**
 * Asks the URLs in order until one finds the transaction. Throws `RpcFailure` when none finds it and one does not answer,
 * or none is a witness.
 */
export async function findAtUrls<Url, T>(
  urls: readonly Url[],
  ask: (url: Url) => Promise<UrlAnswer<T>>,
): Promise<T | 'absent'> {
  const witnesses: (() => Promise<boolean>)[] = [];
  let failure: RpcFailure | undefined;
  for (const url of urls) {
    try {
      const answer = await ask(url);
      if (answer.isWitness === undefined) return answer.found;
      witnesses.push(answer.isWitness);
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  const noWitness = new RpcFailure('block-mismatch', 'no-block');
  return firstOf(witnesses, async (isWitness) => {
    if (await isWitness()) return 'absent' as const;
    throw noWitness;
  });
}

/** Returns what the first URL that does not fail returns. Throws the `RpcFailure` of the first one. */
export async function firstOf<Url, T>(urls: readonly Url[], read: (url: Url) => Promise<T>): Promise<T> {
  let failure: RpcFailure | undefined;
  for (const url of urls) {
    try {
      return await read(url);
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? new RpcFailure('transport');
}

/** Returns the latest finalized head of the URLs. Throws `RpcFailure` when none can be read. */
export async function latestHead(urls: readonly { readonly head: AgingRead<FinalizedHead> }[]): Promise<FinalizedHead> {
  const heads = await Promise.allSettled(urls.map(({ head }) => head.get()));
  const found = heads.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (found.length > 0) return found.reduce((one, other) => (other.block > one.block ? other : one));
  throw (heads[0] as PromiseRejectedResult).reason;
}
