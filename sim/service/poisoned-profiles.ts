/** Stored profiles of nodes that are wrong: they claim that everything works, that nothing does, or are no profiles. */
import { createHash } from 'node:crypto';
import { NODE_FEATURES } from '../../src/adapters/rpc/node-profile.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import type { Random } from '../random.ts';

const METHODS = [
  'mixed',
  'eth_call',
  'eth_call of many',
  'eth_getLogs',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
];
const SIZES = [0, 1, 2, 3, 50, 1e5, 1e15];

/** Draws a profile for each of the nodes, or none. */
export function drawPoisonedProfiles(random: Random, rpcUrls: readonly string[], nowSeconds: number): NodeProfiles {
  const bounds = () => ({
    passed: random.pick(SIZES),
    ...(random.chance(0.7) && { refused: random.pick(SIZES) }),
    logs: random.pick(SIZES),
  });
  const draw = (): unknown => ({
    limits: Object.fromEntries(METHODS.filter(() => random.chance(0.5)).map((name) => [name, bounds()])),
    logs: bounds(),
    lacks: Object.fromEntries(NODE_FEATURES.filter(() => random.chance(0.5)).map((name) => [name, nowSeconds])),
    ...(random.chance(0.3) && { callsPerSecond: random.pick([5, 1_000, 1e9]) }),
  });
  const entries = rpcUrls.flatMap((url) => {
    if (random.chance(0.1)) return [];
    const text = random.chance(0.1) ? random.hex(200) : JSON.stringify(draw());
    return [[createHash('sha256').update(url).digest('hex'), text] as const];
  });
  return new Map(entries);
}
