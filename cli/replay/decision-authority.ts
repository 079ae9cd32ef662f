/**
 * Recomputes the authority of logged decisions from the main chain, with the independent reader of `svc replay`: who was owner and controller
 * at the block of each row, and whether that block was the newest when the decision was signed.
 */
import type { BundledDecision } from '../../src/domain/monetization/decision-bundle.ts';
import type { Rpc } from './json-rpc.ts';
import { readRawAuthority, readRawBlockTimes, type ChainLocation, type RawBlockTimes } from './raw-chain.ts';

/** Largest distance between a decision and the time of its block: the window of a signature, and a node that lags. */
const MAX_DISTANCE_SECONDS = 600n;

export interface AuthorityReplay {
  /** Rows whose authority was recomputed. */
  readonly compared: number;
  /** What differs, one text per row. */
  readonly differences: readonly string[];
  /** Rows of the alt chain: its nodes serve no past accounts. Their blocks are checked. */
  readonly unchecked: number;
}

/** Compares the authority of every row. Throws `ReplayFailure`. */
export async function replayAuthority(
  rpc: Rpc,
  location: Pick<ChainLocation, 'chainId' | 'machineRegistry'>,
  decisions: readonly BundledDecision[],
): Promise<AuthorityReplay> {
  const differences: string[] = [];
  let unchecked = 0;
  for (const { machine_id: id, timestamp, authority } of decisions) {
    const block = { number: BigInt(authority.block.number), hash: authority.block.hash };
    const times = await readRawBlockTimes(rpc, location, block);
    if (!isOfTime(times, BigInt(timestamp))) {
      differences.push(`${timestamp}: block ${block.number} was not the newest`);
    }
    if (authority.slot !== null) {
      unchecked += 1;
      continue;
    }
    const { owner, controller } = await readRawAuthority(rpc, location, BigInt(id), block);
    if (owner !== authority.owner.toLowerCase()) differences.push(`${timestamp}: the owner was ${owner}`);
    if (controller !== authority.controller.toLowerCase()) {
      differences.push(`${timestamp}: the controller was ${controller}`);
    }
  }
  return { compared: decisions.length - unchecked, differences, unchecked };
}

/** Returns whether the block was the newest at about that second. Blocks of a quiet chain are far apart, so the next one is decisive. */
function isOfTime({ timestamp, nextTimestamp }: RawBlockTimes, second: bigint): boolean {
  return (
    timestamp <= second + MAX_DISTANCE_SECONDS &&
    (nextTimestamp === undefined || nextTimestamp >= second - MAX_DISTANCE_SECONDS)
  );
}
