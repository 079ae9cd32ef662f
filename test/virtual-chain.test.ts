/** Finality of the simulated chain. */
import { expect, it } from 'vitest';
import { emptyContent, VirtualChain, type Block } from '../sim/chain/virtual-chain.ts';
import { Random } from '../sim/random.ts';

const DEPTH = 8;

function createChain() {
  const chain = new VirtualChain(new Random(1), () => 0, DEPTH, 0);
  const extend = (parent: Block, count: number): Block => {
    let tip = parent;
    for (let i = 0; i < count; i++)
      tip = chain.build(tip, chain.freeTime(tip, tip.timestamp + 1), emptyContent(tip.world));
    return tip;
  };
  return { chain, extend };
}

it('keeps a block final when a shorter branch replaces the blocks after it', () => {
  const { chain, extend } = createChain();
  const fork = extend(chain.tip, 25);
  chain.moveTip(extend(fork, DEPTH));
  expect(chain.finalized).toBe(fork);
  chain.moveTip(extend(fork, 5));
  expect(chain.finalized).toBe(fork);
  chain.moveTip(extend(chain.tip, DEPTH));
  expect(chain.finalized.number).toBe(30);
});

it('finalizes the branch that replaced a final block', () => {
  const { chain, extend } = createChain();
  const fork = extend(chain.tip, 20);
  chain.moveTip(extend(fork, 13));
  chain.moveTip(extend(fork, 10));
  expect(chain.finalized.number).toBe(22);
});
