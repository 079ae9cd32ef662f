/** Fuzzes RPC results: any JSON is unreadable, never a fact about the chain and never an unexpected error. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AltNodeBusy } from '../../../ports/alt-chain.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import { startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { programOf, toId } from '../../../../testing/fixtures/alt-chain-vectors.ts';

let node: CannedNode;
let harness: AltChainHarness;
beforeAll(async () => {
  node = await startCannedNode();
  harness = createAltChainHarness([node.proxy.url], node.genesisHash);
});
afterAll(async () => {
  await harness.close();
  await node.close();
});

/** Any JSON, bare and wrapped like a response with a context. */
const results = fc.oneof(
  fc.jsonValue(),
  fc.record({ context: fc.oneof(fc.jsonValue(), fc.constant({ slot: 1 })), value: fc.jsonValue() }),
  fc.record({ context: fc.constant({ slot: 1 }), value: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 7 }) }),
);

const NO_RETRIES = { maxWaits: 0 };

it.each<[method: string, read: (adapter: ReturnType<AltChainHarness['open']>) => Promise<unknown>]>([
  ['getMultipleAccounts', ({ machines }) => machines!.chain.readMachineUncached(toId('1'))],
  ['getAccountInfo', ({ bindings }) => bindings!.readBinding(programOf('router'))],
  ['getProgramAccounts', ({ machines }) => machines!.history.readFleet()],
  ['getProgramAccounts', ({ machines }) => machines!.history.readEventLogCounts()],
  ['getBlock', ({ machines }) => machines!.history.readBlockSignatures(1)],
  ['getSignaturesForAddress', ({ machines }) => machines!.history.listSignatures('event-registry', undefined)],
])('throws ChainUnreadable or AltNodeBusy for any result of %s', async (method, read) => {
  let unreadable = 0;
  await fc.assert(
    fc.asyncProperty(results, async (result) => {
      fc.pre(JSON.stringify(result) !== '[]'); // an empty list is a valid result
      fc.pre(!isEmptyAnswer(result));
      node.responses.set(method, () => ({ result }));
      const adapter = harness.open({ limits: NO_RETRIES });
      const outcome = await read(adapter).then(
        (value) => ({ value }),
        (error: unknown) => error,
      );
      node.responses.clear();
      await adapter.close();
      if (outcome instanceof AltNodeBusy) return;
      expect(outcome).toMatchObject({ kind: 'ChainUnreadable', context: { chain: 'alt' } });
      unreadable += 1;
    }),
    { numRuns: 60 },
  );
  // AltNodeBusy must stay the exception.
  expect(unreadable).toBeGreaterThan(10);
});

/** Returns whether a result is a valid empty response. */
function isEmptyAnswer(result: unknown): boolean {
  const value = (result as { readonly value?: unknown } | null)?.value;
  return value === null || JSON.stringify(value) === '[]';
}
