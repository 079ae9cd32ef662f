/** Sample content of a database: rows in every table of this release. */
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import type { Hex } from '../../src/domain/evidence/signed-bytes.ts';
import {
  checkpointAt,
  decisionOf,
  readDecisionLog,
  ratingStateOf,
  id,
  imported,
  NO_OWNERSHIP,
  submitted,
  transferred,
} from '../../testing/contracts/store/samples.ts';
import { ABSENT_VALUES, listMachineChanges } from '../../src/domain/changes/machine-change.ts';
import type { MachineListing } from '../../src/domain/machine/machine-directory.ts';
import type { AltMachineState } from '../../src/ports/alt-store.ts';
import type { Store } from '../../src/ports/store.ts';

const OWNER = `0x${'a1'.repeat(20)}` as Address;
const CONTROLLER = `0x${'c0'.repeat(20)}` as Address;
const NOW = 1_788_900_000;
const RATES = 'rates';

export const MAIN_IDENTITY = 'chain=1';
export const ALT_IDENTITY = 'genesis=a';

/** Fills an empty database of this release. */
export async function fillStore(store: Store): Promise<void> {
  await store.claimMainChainIdentity(MAIN_IDENTITY, 'none');
  await fillMainIndex(store);
  await store.writeHeadObservation({ blockNumber: 5, observedAtMilliseconds: NOW * 1000 });
  await store.appendRates([{ currency: 'EUR', day: 1, rate: 2n }], 3);
  for (const timestamp of [5, 6]) await store.applyDecision(decisionOf(timestamp));
  await fillDecisionChain(store);
  await fillChips(store);
  await fillReview(store);
  await fillAlt(store);
  await fillNodeProfiles(store);
  await fillPayments(store);
  await fillChanges(store);
  await store.recordStatementKeys({ signing: OWNER, announced: [CONTROLLER] }, { nowSeconds: NOW, lastSecond: NOW });
  await store.checkWritable();
}

/** Fills the chain of a machine's decisions, the oldest of which is pruned. */
export async function fillDecisionChain(store: Store): Promise<void> {
  const machineId = id(8);
  const sign = (pruned: { readonly hash: string; readonly count: number }) => ({
    head: { ...pruned, machineId: String(machineId), signedAt: NOW },
    signature: '0x5a',
    signer: OWNER,
  });
  await store.applyDecision(decisionOf(5, { machineId }));
  await store.applyDecision(decisionOf(6, { machineId }), { from: 6, newest: 1, sign });
}

/** Fills what the index of the main chain writes. */
export async function fillMainIndex(store: Store): Promise<void> {
  const ownership = {
    readAtBlock: 1,
    changes: [7, 8].map((machine) => ({
      kind: 'held' as const,
      id: id(machine),
      owner: OWNER,
      controller: CONTROLLER,
    })),
  };
  const logs = [
    transferred(id(7), OWNER),
    submitted(id(7)),
    imported(id(8)),
    submitted(id(8)),
    submitted(id(8), { generation: 'legacy' }),
  ];
  await store.advanceMainChain(undefined, checkpointAt(1), logs, ownership);
  const block = { blockNumber: 2, blockHash: `0x${'b'.repeat(64)}`, blockTimestamp: 0, digest: `0x${'d'.repeat(64)}` };
  const unproven = { blocks: [block], ownershipOf: [id(9)] };
  await store.advanceMainChain(checkpointAt(1), checkpointAt(2), [], NO_OWNERSHIP, unproven);
  const days = { afterSeq: 0, days: [{ day: 20_000, nextSeq: 1, state: 'a day' }] };
  await store.writeRatingStates(RATES, [{ ...ratingStateOf(id(7), 1), days }, ratingStateOf(id(8), 1, { epoch: 1 })]);
}

/** Fills what the workers of changes and webhooks write. */
export async function fillChanges(store: Store): Promise<void> {
  // The only machine that is due in every version.
  const findDue = async () => (await store.listDueMachines(NOW, 10)).find((due) => due.id === id(9))!;
  const observed = { isAbsent: false, dueAt: NOW };
  const first = await findDue();
  await store.writeObservations([{ ...observed, machine: first, values: ABSENT_VALUES, changes: [] }]);
  await store.openChanges(1_000);
  await store.openReceiver('desk');
  const values = { ...ABSENT_VALUES, owner: OWNER, operator: OWNER };
  const place = { blockNumber: 2, observedAt: NOW };
  const changes = listMachineChanges(first.id, ABSENT_VALUES, values, place);
  await store.writeObservations([{ ...observed, machine: await findDue(), values, changes, listing: LISTING }]);
  await store.addDeliveries('desk', 0, 2, [1, 2], NOW);
}

const LISTING: MachineListing = {
  ...{ home: 'alt', score: 71, revenueCents: 5_000, eventCount: 3, lastEventAt: NOW },
  ...{ blockNumber: 2, observedAt: NOW },
};

/** Lists the machine of `fillChanges` in the directory. */
export async function fillDirectory(store: Store): Promise<void> {
  const machine = (await store.listDueMachines(NOW, 10)).find((due) => due.id === id(9))!;
  const { values } = machine;
  await store.writeObservations([{ machine, values, isAbsent: false, changes: [], dueAt: NOW, listing: LISTING }]);
}

/** Fills what the pool of nodes writes. */
export async function fillNodeProfiles(store: Store): Promise<void> {
  await store.writeNodeProfiles(new Map([['ab'.repeat(32), '{}']]), NOW);
}

/** Fills what the worker of payments writes. */
export async function fillPayments(store: Store): Promise<void> {
  const [source, sender] = ['eip155:8453', `0x${'0b'.repeat(20)}`];
  const own = { address: sender, since: NOW };
  const citation = (seq: number) => ({
    ...{ seq, source, reference: `0x${'c1'.repeat(32)}`, cents: 5_000, day: 20_000, timestamp: NOW },
    ...{ blockTimestamp: NOW, isAttested: false },
  });
  const place = { block: 1, index: 0 };
  await store.usePaymentConfiguration('sources rates');
  await store.writePaymentScan({
    ...{ home: 'main', id: id(7), hands: [], citations: [citation(1), citation(2)], followed: [{ ...own, source }] },
    ...{ previous: undefined, scan: { version: 0, claimsSeq: 1, citedSeq: 1, throughBlock: 2 } },
    claims: [{ account: sender, owner: OWNER, since: NOW, seq: 0, end: undefined, place }],
  });
  const flow = { from: sender, to: CONTROLLER, token: 'USDC', units: 5n, block: 9, time: NOW };
  const window = { addresses: [own], throughBlock: undefined };
  await store.writeFlows(source, window, 9, [{ ...flow, logIndex: 0, isWhole: false }], 1_000);
  const due = { nowMilliseconds: 0, throughTimes: { main: NOW, alt: NOW } };
  const [open] = await store.listOpenCitations(source, due, 1);
  const found = { paidCents: 5_000, token: 'USDC', payer: CONTROLLER, worthCents: 5_000, returnedCents: 0 };
  await store.decideCitation(open!, { verdict: { code: 'paid', ...found }, time: NOW, flows: [flow] });
  await store.writeScannedThrough('main', NOW);
}

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

async function fillChips(store: Store): Promise<void> {
  const caps = { perMachine: 5, total: 100 };
  for (const n of [1, 2]) {
    const times = { issuedAt: NOW, expiresAt: NOW + 270 };
    const challenge = { nonceHash: hash(n), machineId: id(7), didController: CONTROLLER, chainId: 31337, ...times };
    await store.insertChallenge(challenge, caps);
  }
  await store.consumeChallenge(hash(1), {
    ...{
      receiptId: hash(11),
      evidenceHash: hash(12),
      chipRef: hash(13),
      leafFingerprint: hash(14),
      leafSerial: '0x00ff',
    },
    ...{ machineId: id(7), controller: CONTROLLER, receivedAt: NOW + 10, evidence: Uint8Array.of(0, 255, 1) },
  });
}

/** Fills a table of version 12. */
async function fillReview(store: Store): Promise<void> {
  await store.insertAttestationReview({
    ...{
      transaction: hash(21),
      change: 'attest-chip',
      receiptId: hash(11),
      subject: 'did:svc:7',
      reviewer: 'reviewer',
    },
    ...{ reason: 'a reason', expiresAt: NOW + 99, operator: CONTROLLER, reviewedAt: NOW + 20 },
  });
}

async function fillAlt(store: Store): Promise<void> {
  await store.claimAltIdentity(ALT_IDENTITY);
  const state: AltMachineState = {
    ...{ id: id(9), revision: 0, incarnation: 0, eventCount: 1, nextIndex: 1, priorEventCount: 0n, operationCount: 1 },
    ...{ lastSlot: 100, newestBlockTime: NOW, problem: undefined },
  };
  const record = {
    ...{ eventType: 0, value: 1n, timestamp: BigInt(NOW), dataHash: `0x${'00'.repeat(32)}`, trustLevel: 2 },
    ...{ sourceChainId: 1n, sourceTxHash: `0x${'00'.repeat(32)}`, metadata: '0x' as Hex, currency: 'EUR' },
  };
  const operation = {
    change: { kind: 'submitted' as const, machineId: id(9), eventIndex: 0n, record },
    ...{ signature: 'signature', slot: 100, position: undefined, order: 0, blockTime: NOW },
    ...{ seq: 0, incarnation: 0, eventIndex: 0 },
  };
  const transaction = (signature: string) => ({ signature, slot: 101, blockTime: NOW });
  await store.writeAltIndex(0, {
    walk: {
      done: { signature: 'done', slot: 90 },
      observed: { slot: 95, observedAtMilliseconds: NOW * 1000 },
      open: undefined,
    },
    listed: [transaction('listed')],
    machines: [{ state, isRewritten: false, operations: [operation] }],
    parked: [{ ...transaction('parked'), attempts: 1, retryAtMilliseconds: NOW * 1000 }],
  });
  const days = { afterSeq: 0, days: [{ day: 20_000, nextSeq: 1, state: 'a day' }] };
  await store.writeAltRatingStates(RATES, [{ id: id(9), revision: 0, nextSeq: 1, state: 'a fold', days }]);
  await store.replaceAltFleet(
    ALT_IDENTITY,
    undefined,
    { slot: 300, observedAtMilliseconds: NOW * 1000 },
    {
      machinesByOperator: new Map([[OWNER, [id(9)]]]),
      unreadableByOperator: new Map([[CONTROLLER, 2]]),
    },
  );
}

/** Returns the content written by `fillStore`, read through the store. */
export async function readFilled(store: Store): Promise<object> {
  return {
    isMain: await store.claimMainChainIdentity(MAIN_IDENTITY, 'none'),
    isAlt: await store.claimAltIdentity(ALT_IDENTITY),
    checkpoint: await store.readMainChainCheckpoint(),
    head: await store.readHeadObservation(),
    logs: await store.listEventLogs('current', id(8), 0, 10),
    provenance: await store.readProvenance(id(7)),
    fold: await store.readRatingState('current', id(7), RATES),
    rates: await store.loadRates(),
    decision: await store.readDecision(id(7)),
    // Rows from before the chain have no record.
    audit: (await readDecisionLog(store, id(7))).decisions.map(({ record: _record, ...decision }) => decision),
    chain: await readDecisionLog(store, id(8)),
    unread: await store.listUnreadMachines(undefined, 9),
    unproven: await store.listUnprovenBlocks(9, 9),
    segments: await store.listProofSegments(),
    walk: await store.readAltWalk(),
    operations: await store.listAltOperations(id(9)),
    parked: await store.listParked(Number.MAX_SAFE_INTEGER, 10),
    fleet: await store.listFleet(ALT_IDENTITY, OWNER, 0, 10),
    evidenceRecords: await store.listEvidenceRecords(undefined, 10),
    profiles: [...(await store.readNodeProfiles(NOW))],
    changes: await store.listChanges({ after: 0, limit: 10 }),
    receivers: await store.listReceiverStates(),
    directory: (await store.readDirectorySummary()).counts,
  };
}
