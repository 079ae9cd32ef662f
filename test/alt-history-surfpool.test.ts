/** Alt-chain history read from surfpool, a complete node that is not part of this repository and that executes the devnet's programs. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AltNode } from '../devnet/alt-node/alt-node.ts';
import { closeLog, submitEvent } from '../devnet/alt-node/event-transactions.ts';
import { ALT_PROGRAMS } from '../devnet/alt-node/installed-programs.ts';
import { programFile, type ProgramName } from '../devnet/alt-node/program/programs.ts';
import {
  ACTIVITY,
  LIFECYCLE_SEED,
  OWNER_SEED,
  placeEventRegistry,
  placeMachine,
  REVENUE,
} from '../devnet/alt-node/registered-machine.ts';
import { keyOfSeed, signPlan } from '../devnet/alt-node/signed-transaction.ts';
import { createAltChainHarness, type AltChainHarness } from '../testing/fixtures/alt-chain-harness.ts';
import { formatBase58 } from '../src/domain/identifiers/base58.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { AltHistory } from '../src/ports/alt-chain.ts';
import { startSurfpoolNode, type SurfpoolNode } from '../testing/harness/surfpool-node.ts';

const MACHINE = 7n as MachineId;
const SYSTEM_PROGRAM = '1'.repeat(32);
const LAMPORTS = 1_000_000_000;
/** Slot at which every submitted transaction is final. */
const LATER_SLOT = 10_000;

let surfpool: SurfpoolNode;
let harness: AltChainHarness;
let history: AltHistory;
let submitted: string[];

beforeAll(async () => {
  surfpool = await startSurfpoolNode();
  const programs: [ProgramName, string][] = [
    ['event-registry', ALT_PROGRAMS.eventRegistry],
    ['caller', ALT_PROGRAMS.caller],
  ];
  for (const [name, key] of programs) surfpool.deploy(key, fileURLToPath(programFile(`${name}.so`)));
  for (const seed of [OWNER_SEED, LIFECYCLE_SEED]) {
    surfpool.placeAccount(await keyOfSeed(seed), SYSTEM_PROGRAM, new Uint8Array(), 100 * LAMPORTS);
  }
  const node = createNodeFace(surfpool);
  await placeEventRegistry(node);
  await placeMachine(node, MACHINE);
  const event = { machineId: MACHINE, signer: OWNER_SEED };
  submitted = [
    await submitEvent(node, { ...event, record: REVENUE }),
    await submitEvent(node, { ...event, record: ACTIVITY, via: 'cpi' }),
    await submitEvent(node, { ...event, record: REVENUE, noisyLogs: true }),
    await closeLog(node, { machineId: MACHINE, authority: LIFECYCLE_SEED }),
  ].map(({ signature }) => signature);
  surfpool.travelTo(LATER_SLOT);
  harness = createAltChainHarness([surfpool.rpcUrl], surfpool.genesisHash);
  history = harness.open({ programs: ALT_PROGRAMS, binding: undefined }).machines!.history;
});
afterAll(async () => {
  await harness.close();
  surfpool.stop();
});

it('lists the transactions that mention the program, newest first', async () => {
  const rows = await history.listSignatures('event-registry', undefined);
  const ours = rows.filter(({ signature }) => submitted.includes(signature));
  expect(ours.map(({ signature }) => signature)).toStrictEqual(submitted.toReversed());
  expect(await history.listSignatures(MACHINE, undefined)).toStrictEqual(ours);
  expect(await history.listSignatures(MACHINE, submitted[1])).toStrictEqual(ours.slice(3));
  for (const { slot, blockTime, hasFailed, signature } of ours) {
    expect(hasFailed).toBe(false);
    // surfpool computes the time of the row and the time of the block separately; they may differ by a second.
    expect(Math.abs((await history.readBlockTime(slot))! - blockTime!)).toBeLessThanOrEqual(1);
    expect(await history.readBlockSignatures(slot)).toContain(signature);
  }
});

it('decodes the operation of each transaction', async () => {
  const rows = await history.listSignatures(MACHINE, undefined);
  const readings = await Promise.all(rows.toReversed().map((row) => history.readTransaction(row)));
  const event = { kind: 'submitted', machineId: MACHINE };
  expect(readings).toStrictEqual(
    [
      { ...event, eventIndex: 0n, record: REVENUE },
      { ...event, eventIndex: 1n, record: ACTIVITY },
      { ...event, eventIndex: undefined, record: REVENUE },
      { kind: 'closed', machineId: MACHINE, count: 3n },
    ].map((operation) => ({ state: 'read', operations: [operation] })),
  );
});

/** Implements the part of `AltNode` that its transactions need on surfpool. */
function createNodeFace(target: SurfpoolNode): AltNode {
  const face: Pick<AltNode, 'programs' | 'setAccount' | 'submit'> = {
    programs: ALT_PROGRAMS,
    setAccount: (address, { owner, data, lamports }) =>
      target.placeAccount(address, owner, data, Number(lamports ?? LAMPORTS)),
    async submit(plan) {
      const { value } = (await target.request('getLatestBlockhash')) as {
        readonly value: { readonly blockhash: string };
      };
      const bytes = await signPlan(plan, value.blockhash);
      const signature = formatBase58(bytes.subarray(1, 65));
      const wire = Buffer.from(bytes).toString('base64');
      await target.request('sendTransaction', [wire, { encoding: 'base64' }]);
      return { signature, logs: [], ...(await readStatus(target, signature)) };
    },
  };
  return face as AltNode;
}

/** Reads the status of a transaction once the node shows it, which may be after it has accepted the transaction. */
async function readStatus(
  target: SurfpoolNode,
  signature: string,
): Promise<{ readonly slot: number; readonly err: unknown }> {
  for (;;) {
    const statuses = (await target.request('getSignatureStatuses', [[signature]])) as {
      readonly value: readonly [{ readonly slot: number; readonly err: unknown } | null];
    };
    if (statuses.value[0] !== null) return statuses.value[0];
  }
}
