/**
 * Block production on demand: a transaction is mined within two seconds, finality follows at the same rate, and an idle chain gets one
 * block every 40 seconds: the pages warn where the newest block is more than a minute old. The node never removes a block, so each one
 * costs memory for as long as the chain runs.
 */
import type { Rpc } from './rpc.ts';

export interface BlockProducer {
  /** Checks the chain and mines at most one block. Call it every `TICK_MILLISECONDS`. */
  tick(): Promise<void>;
}

export const TICK_MILLISECONDS = 2_000;

/** Ticks between two blocks of an idle chain: 40 seconds. */
export const IDLE_TICKS = 20;

/** Further blocks until the block of a transaction is final. */
const FINALIZING_BLOCKS = 2;

/** Creates a producer without a timer. */
export function createBlockProducer(rpc: Rpc): BlockProducer {
  let newest: string | undefined;
  let finalizing = 0;
  let idleTicks = 0;

  return {
    async tick() {
      const [pool, number] = await rpc.batch<unknown>([{ method: 'txpool_status' }, { method: 'eth_blockNumber' }]);
      const hasPending = Number((pool as { readonly pending: string }).pending) > 0;
      const isForeign = newest !== undefined && number !== newest;
      newest = number as string;
      idleTicks += 1;
      if (hasPending) finalizing = FINALIZING_BLOCKS;
      else if (isForeign) finalizing = FINALIZING_BLOCKS - 1;
      else if (finalizing > 0) finalizing -= 1;
      else if (idleTicks < IDLE_TICKS) return;
      idleTicks = 0;
      await rpc.request('evm_mine');
      newest = `0x${(Number(number) + 1).toString(16)}`;
    },
  };
}

/**
 * Produces blocks until `stop`, with `isSteady` one every tick. A failed tick is ignored, so the node may stop first. The node's own interval mining
 * never frees a state, which is 4 MB a block.
 */
export function startBlockProducer(rpc: Rpc, { isSteady = false } = {}): { stop(): void } {
  const tick = isSteady ? () => rpc.request('evm_mine') : createBlockProducer(rpc).tick;
  let isTicking = false;
  const timer = setInterval(() => {
    if (isTicking) return;
    isTicking = true;
    void tick()
      .catch(() => undefined)
      .finally(() => (isTicking = false));
  }, TICK_MILLISECONDS);
  return { stop: () => clearInterval(timer) };
}
