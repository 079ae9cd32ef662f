/** Ownership reads for many machines against a real node, by multicall and by programs. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import {
  BUYER,
  CONTROLLER,
  lower,
  OWNER,
  startMachineHarness,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import {
  startRpcProxy,
  type ProxyCall,
  type ProxyResponse,
  type RpcProxy,
} from '../../../../testing/harness/rpc-proxy.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Header, MainChainLog } from '../../../ports/main-chain.ts';
import type { OwnershipChange } from '../../../ports/store.ts';

let harness: MachineHarness;
let log: MainChainLog;
let block: Header;
let expected: OwnershipChange[];

/** Enough ids to be read by a program. */
const ABSENT = Array.from({ length: 700 }, (_, i) => BigInt(i + 1) as MachineId);

beforeAll(async () => {
  harness = await startMachineHarness();
  const { deployment } = harness.chain;
  const plain = await harness.activate();
  const controlled = await harness.activate();
  const own = await harness.activate();
  const sold = await harness.activate();
  const retired = await harness.activate();
  const moved = await harness.activate();
  await harness.administer('crossChainMirror', 'devSetHomeChain', moved, 3);
  await harness.mine(
    calls.setController(deployment, OWNER, plain, '0x0000000000000000000000000000000000000000'),
    calls.setController(deployment, OWNER, controlled, CONTROLLER),
    calls.setController(deployment, OWNER, own, OWNER),
    calls.setController(deployment, OWNER, sold, CONTROLLER),
    calls.transferMachine(deployment, OWNER, BUYER, sold),
    calls.retireMachine(deployment, OWNER, retired),
  );
  const held = (id: bigint, owner: string, controller: string | undefined) =>
    ({ kind: 'held', id, owner: lower(owner), controller: controller && lower(controller) }) as OwnershipChange;
  expected = [
    held(plain, OWNER, undefined),
    held(controlled, OWNER, CONTROLLER),
    held(own, OWNER, OWNER),
    held(sold, BUYER, CONTROLLER),
    { kind: 'gone', id: retired as MachineId },
    { kind: 'away', id: moved as MachineId, owner: lower(OWNER) as Address },
  ];
  block = await harness.readHead();
});
afterAll(() => harness.close());
beforeEach(async () => {
  harness.proxy.heal();
  log = harness.open().log;
  await log.readHeader('latest');
  harness.proxy.resetCounts();
});

const idsOf = (changes: readonly OwnershipChange[]) => changes.map(({ id }) => id);
const isProgram = ({ method, params: [call] }: ProxyCall) => method === 'eth_call' && !('to' in (call as object));
const countPrograms = () => harness.proxy.calls.filter(isProgram).length;

async function readAmongMany(): Promise<void> {
  const gone = ABSENT.map((id) => ({ kind: 'gone', id }));
  const ids = [...ABSENT.slice(0, 300), ...idsOf(expected), ...ABSENT.slice(300)];
  const changes = await log.readOwnership(block, ids);
  expect(changes).toEqual([...gone.slice(0, 300), ...expected, ...gone.slice(300)]);
}

describe('ownership', () => {
  test('is read call by call for a few machines', async () => {
    expect(await log.readOwnership(block, idsOf(expected))).toEqual(expected);
    expect(countPrograms()).toBe(0);
  });

  test('is read by programs for many machines, in their order', async () => {
    await readAmongMany();
    expect(countPrograms()).toBe(2);
  });

  test('is read by programs alone when all machines have owners', async () => {
    const held = expected.slice(0, 4);
    const many = Array.from({ length: 100 }, () => held).flat();
    harness.proxy.resetCounts();
    expect(await log.readOwnership(block, idsOf(many))).toEqual(many);
    expect(harness.proxy.calls.filter(({ method }) => method === 'eth_call')).toHaveLength(countPrograms());
  });

  describe('with a quorum of two of three nodes', () => {
    let nodes: readonly RpcProxy[];
    beforeEach(async () => {
      nodes = await Promise.all([0, 1, 2].map(() => startRpcProxy(harness.chain.rpcUrl)));
      log = harness.open({ rpcUrls: nodes.map(({ url }) => url), rpcHosts: ['a', 'b', 'c'], quorum: 2 }).log;
    });
    afterEach(() => Promise.all(nodes.map((node) => node.close())));
    const answerPrograms = (node: RpcProxy, change: (answer: ProxyResponse) => ProxyResponse) =>
      node.inject({ kind: 'answer', change: (answer, call) => (isProgram(call) ? change(answer) : answer) }, 99);

    test.each([0, 1, 2])('is not changed by node %i', async (liar) => {
      const others = BUYER.slice(2).toLowerCase();
      answerPrograms(nodes[liar]!, (answer) => {
        const { result } = answer as { readonly result: string };
        return { result: result.replaceAll(OWNER.slice(2).toLowerCase(), others) };
      });
      await readAmongMany();
    });

    test('is read call by call where no two nodes run programs', async () => {
      for (const node of nodes.slice(0, 2))
        answerPrograms(node, () => ({ error: { code: -32602, message: 'missing to' } }));
      await readAmongMany();
    });
  });

  test.each([
    ['refuses them', { error: { code: -32602, message: 'missing to' } }],
    ['returns nothing', { result: '0x' }],
    ['returns a number', { result: 7 }],
    ['returns too much', { result: `0x${'01'.repeat(30_000)}` }],
    ['responds for another block', { result: `0x${'00'.repeat(96 + 41 * 599)}` }],
  ])('is read call by call from then on when a node %s', async (_, answer) => {
    harness.proxy.inject({ kind: 'answer', change: (true_, call) => (isProgram(call) ? answer : true_) }, 99);
    await readAmongMany();
    expect(countPrograms()).toBe(1);
    await readAmongMany();
    expect(countPrograms()).toBe(1);
  });
});
