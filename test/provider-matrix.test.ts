/**
 * Short part of the provider matrix: some behaviors of RPC providers, alone and in pairs, before and after a change of
 * the chain. `npm run campaigns -- providers` runs all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALT_BEHAVIORS } from '../testing/harness/provider-proxy/alt-behaviors.ts';
import { MAIN_BEHAVIORS } from '../testing/harness/provider-proxy/behaviors.ts';
import type { MatrixCase } from '../testing/harness/provider-matrix/matrix-case.ts';
import { openProviderMatrix, type ProviderMatrix } from '../testing/harness/provider-matrix/provider-matrix.ts';

/** Fits a machine that is ten times slower; an unloaded one needs some seconds. */
const CAP_MILLISECONDS = 120_000;
/** One machine of each kind. */
const MACHINES = ['rated-b', 'activity-only', 'multi-currency', 'flagged', 'alt-declared'];

/** One case per line; names of behaviors are separated by spaces. All of a case act, so that none hides another. */
const SERVED = [
  'batch-limit-geth zero-blooms duplicate-item alt-no-memo logs-address-required',
  'batch-limit-drpc reordered logs-one-address logs-results-reth further-header-members',
  'batches-off-jsonrpsee logs-50-payload parent-block-number',
];
const REFUSED = ['wrong-chain-id'];

function toCase(names: string): MatrixCase {
  const selected = names.split(' ');
  const main = MAIN_BEHAVIORS.filter(({ name }) => selected.includes(name));
  const alt = ALT_BEHAVIORS.filter(({ name }) => selected.includes(name));
  expect(main.length + alt.length).toBe(selected.length);
  return { main, alt };
}

describe('a service behind an imitated provider', { timeout: 3 * CAP_MILLISECONDS }, () => {
  let matrix: ProviderMatrix;
  beforeAll(async () => {
    matrix = await openProviderMatrix({ machines: MACHINES, fleet: 1 });
  });
  afterAll(() => matrix.close());

  it('serves the responses of the bare nodes, and passes doctor', async () => {
    const outcomes = await matrix.runGroup(SERVED.map(toCase), CAP_MILLISECONDS);
    expect(outcomes.filter(({ kind, doctor }) => kind !== 'served' || doctor.length > 0)).toEqual([]);
    expect(outcomes.map(({ acted }) => acted.toSorted())).toEqual(SERVED.map((names) => names.split(' ').toSorted()));
  });

  it('refuses with a cause, and fails doctor', async () => {
    const outcomes = await matrix.runGroup(REFUSED.map(toCase), CAP_MILLISECONDS);
    expect(outcomes.filter(({ kind, doctor }) => kind !== 'refused' || doctor.length === 0)).toEqual([]);
  });
});
