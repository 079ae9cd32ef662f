/** Does any JSON make the adapter say something of the chain, or throw what no port names? */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AltNodeBusy } from '../../../ports/alt-chain.ts';
import { createAltScene, type AltScene } from '../../../../testing/fixtures/alt-chain-adapter.ts';
import { startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { programOf, toId } from '../../../../testing/fixtures/alt-chain-vectors.ts';

let node: CannedNode;
let scene: AltScene;
beforeAll(async () => {
  node = await startCannedNode();
  scene = createAltScene([node.proxy.url], node.genesisHash);
});
afterAll(async () => {
  await scene.close();
  await node.close();
});

/** Anything, and anything in the frame of an answer with a context. */
const results = fc.oneof(
  fc.jsonValue(),
  fc.record({ context: fc.oneof(fc.jsonValue(), fc.constant({ slot: 1 })), value: fc.jsonValue() }),
  fc.record({ context: fc.constant({ slot: 1 }), value: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 7 }) }),
);

const SILENT = { maxWaits: 0 };

it.each<[method: string, ask: (adapter: ReturnType<AltScene['open']>) => Promise<unknown>]>([
  ['getMultipleAccounts', ({ machines }) => machines!.chain.readMachineNow(toId('1'))],
  ['getAccountInfo', ({ bindings }) => bindings!.readBinding(programOf('router'))],
  ['getProgramAccounts', ({ machines }) => machines!.history.readFleet()],
  ['getProgramAccounts', ({ machines }) => machines!.history.readEventLogCounts()],
  ['getBlock', ({ machines }) => machines!.history.readBlockSignatures(1)],
  ['getSignaturesForAddress', ({ machines }) => machines!.history.listSignatures('event-registry', undefined)],
])('%s', async (method, ask) => {
  let unreadable = 0;
  await fc.assert(
    fc.asyncProperty(results, async (result) => {
      fc.pre(JSON.stringify(result) !== '[]'); // a list without a row is an answer
      fc.pre(!isEmptyAnswer(result));
      node.answers.set(method, () => ({ result }));
      const adapter = scene.open({ limits: SILENT });
      const outcome = await ask(adapter).then(
        (value) => ({ value }),
        (error: unknown) => error,
      );
      node.answers.clear();
      await adapter.close();
      if (outcome instanceof AltNodeBusy) return;
      expect(outcome).toMatchObject({ kind: 'ChainUnreadable', context: { chain: 'alt' } });
      unreadable += 1;
    }),
    { numRuns: 60 },
  );
  // A node that is busy is not judged, and may not be the rule.
  expect(unreadable).toBeGreaterThan(10);
});

/** Nothing is bound, no row is there: said in the right form, it is an answer. */
function isEmptyAnswer(result: unknown): boolean {
  const value = (result as { readonly value?: unknown } | null)?.value;
  return value === null || JSON.stringify(value) === '[]';
}
