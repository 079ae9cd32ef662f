/** Logs that were verified against their block. */
import type { ChainLog } from '../../ports/main-chain.ts';

/** With the timestamp of the block's header. */
export type VerifiedLog = ChainLog & { readonly blockTimestamp: number };
