/** Local alt chain: identity, clock, and shutdown with open requests. */
import { describe, expect, it } from 'vitest';
import { callRpc, send } from './alt-chain-client.ts';
import { startAltNode } from './alt-node.ts';
import { submitEvent } from './event-transactions.ts';
import { GENESIS, OWNER_SEED, placeEventRegistry, placeMachine, REVENUE } from './registered-machine.ts';

const DAY = 86_400;

describe('the identity of the chain', () => {
  it('is derived from the genesis timestamp', async () => {
    const nodes = await Promise.all(
      [GENESIS, GENESIS, GENESIS + 1].map(async (genesisTimestamp) => startAltNode({ genesisTimestamp })),
    );
    const [one, same, other] = nodes.map(({ genesisHash }) => genesisHash);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(one).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect(nodes[1]!.programs).toStrictEqual(nodes[0]!.programs);
    expect(new Set(Object.values(nodes[0]!.programs)).size).toBe(7);
    await Promise.all(nodes.map(async (node) => node.stop()));
  });

  it('has the requested port, and a port in use is an error', async () => {
    const first = await startAltNode();
    const port = Number(new URL(first.rpcUrl).port);
    await expect(startAltNode({ port })).rejects.toThrow('EADDRINUSE');
    await first.stop();
    const second = await startAltNode({ port });
    expect(second.rpcUrl).toBe(first.rpcUrl);
    await second.stop();
    await second.stop();
  });
});

describe('the clock of the chain', () => {
  it('stops between moves and never goes back', async () => {
    const node = await startAltNode({ genesisTimestamp: GENESIS });
    expect([node.slot, node.unixTime]).toStrictEqual([1, GENESIS]);
    node.advanceTo(GENESIS + DAY);
    expect([node.slot, node.unixTime]).toStrictEqual([1 + DAY / 0.4, GENESIS + DAY]);
    node.advanceTo(GENESIS + DAY);
    expect([node.slot, node.unixTime]).toStrictEqual([2 + DAY / 0.4, GENESIS + DAY]);
    expect(() => node.advanceTo(GENESIS)).toThrow(RangeError);
    expect(() => node.advanceTo(NaN)).toThrow(RangeError);
    expect(() => node.advanceSlots(0)).toThrow(RangeError);
    await node.stop();
  });

  it('follows the wall clock on request and finalizes existing blocks', async () => {
    let now = (GENESIS + DAY) * 1000;
    const node = await startAltNode({ genesisTimestamp: GENESIS, now: () => now });
    await placeEventRegistry(node);
    await placeMachine(node, 1n);
    node.advanceTo(GENESIS + DAY);
    const { signature, slot } = await submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: REVENUE });
    node.followClock();
    expect([node.slot, node.unixTime]).toStrictEqual([slot + 32, GENESIS + DAY]);
    const options = { encoding: 'json', maxSupportedTransactionVersion: 0 };
    expect(await callRpc(node, 'getTransaction', signature, options)).toMatchObject({ slot, blockTime: GENESIS + DAY });
    now += 1_000;
    expect([node.slot, node.unixTime]).toStrictEqual([slot + 34, GENESIS + DAY]);
    now += 200;
    expect([node.slot, node.unixTime]).toStrictEqual([slot + 35, GENESIS + DAY + 1]);
    now -= 5_000; // the wall clock may go back, the chain clock does not
    expect(node.slot).toBe(slot + 35);
    now += 5_000;
    const late = await submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: REVENUE });
    expect(late.slot).toBe(slot + 35);
    expect(() => node.advanceTo(GENESIS + 2 * DAY)).toThrow('the chain follows the wall clock');
    expect(() => node.advanceSlots(1)).toThrow('the chain follows the wall clock');
    expect(() => node.followClock()).toThrow('the chain follows the wall clock');
    await node.stop();
  });

  it('is the clock that programs read', async () => {
    const node = await startAltNode({ genesisTimestamp: GENESIS });
    await placeEventRegistry(node);
    await placeMachine(node, 1n);
    const tomorrow = { ...REVENUE, timestamp: BigInt(GENESIS + DAY) };
    const submit = async () => submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: tomorrow });
    await expect(submit()).rejects.toThrow('custom program error');
    node.advanceTo(GENESIS + DAY);
    expect((await submit()).err).toBeNull();
    await node.stop();
  });
});

it('stops while a request is in flight', async () => {
  const node = await startAltNode();
  const received = Promise.withResolvers<undefined>();
  node.faults.request = () => {
    received.resolve(undefined);
    return { kind: 'hang' };
  };
  const response = send(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' }));
  const refused = expect(response).rejects.toThrow('fetch failed');
  await received.promise;
  await node.stop();
  await refused;
});
