/**
 * Judges every record of the attestation registry again (design/provable 4): certificate dates, sale, change of controller or
 * operator, relocation, a chip that is used twice, and logs against the stored records. Changes nothing; proposes what to do.
 */
import {
  isInForce,
  type ChipRecord,
  type LoggedRecords,
  type RecordTimes,
} from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import { findDidController } from '../../src/domain/machine/did-controller.ts';
import { findOperator } from '../../src/domain/machine/operator-kyb.ts';
import { Fault } from '../../src/domain/faults.ts';
import { formatAddress, formatMachineDid, type Address } from '../../src/domain/identifiers/identifiers.ts';
import { judgeHome } from '../../src/domain/machine/machine-home.ts';
import { unwrap, unwrapOptional } from '../../src/domain/read-result.ts';
import type { StoredEvidenceRecord } from '../../src/ports/store.ts';
import { formatTime } from '../output.ts';
import { findEarliestEnd } from './certificate-dates.ts';
import type { AttestContext } from './context.ts';
import { isBasedOn } from './receipt-state.ts';

export const RECORD_PROBLEMS = [
  'log-mismatch',
  'no-evidence',
  'certificate-expired',
  'expiry-beyond-certificate',
  'sold',
  'gone',
  'relocated',
  'deactivated',
  'controller-changed',
  'operator-changed',
  'chip-used-twice',
  'unreadable',
] as const;
export type RecordProblem = (typeof RECORD_PROBLEMS)[number];

export interface Proposal {
  /** DID of a machine or address of an operator. */
  readonly subject: string;
  readonly problem: RecordProblem;
  readonly text: string;
  /** What to run or check. */
  readonly proposal: string;
}

const ALL = 2 ** 31 - 1;

/** Returns the proposals, in the order of the records. Throws `AttestationFailed`. */
export async function judgeRecords(
  context: Pick<AttestContext, 'main' | 'registry' | 'rules' | 'store'>,
  nowSeconds = Math.floor(Date.now() / 1000),
): Promise<Proposal[]> {
  const logged = await context.registry.readLogged();
  const evidence = await context.store.listEvidenceRecords(undefined, ALL);
  const proposals: Proposal[] = [];
  for (const chip of logged.chips.values()) {
    for await (const problem of judgeChip({ context, logged, evidence, nowSeconds }, chip)) proposals.push(problem);
  }
  for (const record of logged.operators.values()) {
    const stored = await context.registry.readKyb(record.operator, logged.blockNumber);
    if (!areEqual(stored, record)) proposals.push(toMismatch(formatAddress(record.operator)));
  }
  return proposals;
}

interface Judging {
  readonly context: Parameters<typeof judgeRecords>[0];
  readonly logged: LoggedRecords;
  readonly evidence: readonly StoredEvidenceRecord[];
  readonly nowSeconds: number;
}

async function* judgeChip(judging: Judging, chip: ChipRecord): AsyncGenerator<Proposal> {
  const { context, logged, evidence, nowSeconds } = judging;
  const { registry, rules } = context;
  const subject = formatMachineDid(chip.machineId, rules.namespace);
  if (!areEqual(await registry.readChip(chip.machineId, logged.blockNumber), chip)) yield toMismatch(subject);
  if (!isInForce(chip, nowSeconds)) return;
  const revoke = `svc attest revoke ${subject}`;
  const record = evidence.find((each) => isBasedOn(chip, each));
  if (record === undefined) {
    yield {
      subject,
      problem: 'no-evidence',
      text: 'this database holds no accepted evidence for it',
      proposal: revoke,
    };
  } else yield* judgeDates(judging, chip, record, subject);
  if (await registry.isTransferredAfter(chip.machineId, chip)) {
    const text = 'the machine was transferred since the record was issued';
    yield { subject, problem: 'sold', text, proposal: revoke };
  }
  yield* judgeMachine(context, chip, record, subject);
  const other = findOtherUse(judging, chip, record);
  if (other !== undefined) {
    const text = `its chip also backs ${formatMachineDid(other, rules.namespace)}`;
    yield { subject, problem: 'chip-used-twice', text, proposal: revoke };
  }
}

function* judgeDates(
  { context, nowSeconds }: Judging,
  { expiresAt }: ChipRecord,
  { evidence }: StoredEvidenceRecord,
  subject: string,
): Generator<Proposal> {
  if (evidence === undefined) return;
  const end = findEarliestEnd(evidence, context.rules.trust);
  const date = formatTime(end);
  if (end < nowSeconds) {
    const text = `a certificate ended at ${date}`;
    yield { subject, problem: 'certificate-expired', text, proposal: `svc attest revoke ${subject}` };
  } else if (expiresAt === 0 || expiresAt > end) {
    const text = `the record outlives its certificate, which ends at ${date}`;
    yield { subject, problem: 'expiry-beyond-certificate', text, proposal: 'approve the receipt again' };
  }
}

async function* judgeMachine(
  { main, store }: Judging['context'],
  { machineId }: ChipRecord,
  record: StoredEvidenceRecord | undefined,
  subject: string,
): AsyncGenerator<Proposal> {
  const proposal = `svc attest revoke ${subject}`;
  try {
    const { snapshot, deployment } = await main.chain.readMachineUncached(machineId);
    const owner = unwrapOptional(snapshot.owner);
    if (owner === undefined) {
      yield { subject, problem: 'gone', text: 'the machine has no token here', proposal };
      return;
    }
    if (unwrap(snapshot.generalPaused)) {
      yield { subject, problem: 'deactivated', text: 'the machine is deactivated', proposal };
    }
    if (record !== undefined && findDidController(snapshot, owner) !== record.controller) {
      const text = `the controller is no longer ${formatAddress(record.controller)}, who signed the evidence`;
      yield { subject, problem: 'controller-changed', text, proposal };
    }
    const reviewed = record && (await findReviewedOperator(store, subject, record));
    if (reviewed !== undefined && findOperator(snapshot) !== reviewed) {
      const text = `the operator is no longer ${formatAddress(reviewed)}`;
      yield { subject, problem: 'operator-changed', text, proposal };
    }
    judgeHome(snapshot, { local: deployment.localOrdinal, alt: undefined });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.kind === 'MachineRelocating' || error.kind === 'MachineHomedElsewhere') {
      yield { subject, problem: 'relocated', text: 'the machine is moving, or is homed on another chain', proposal };
    } else {
      const text = 'the machine cannot be read now';
      yield { subject, problem: 'unreadable', text, proposal: 'run svc doctor, then watch again' };
    }
  }
}

/** Returns the operator at the approval of the evidence; undefined when no review of it is stored. */
async function findReviewedOperator(
  store: AttestContext['store'],
  subject: string,
  { receiptId }: StoredEvidenceRecord,
): Promise<Address | undefined> {
  const reviews = await store.listAttestationReviews(subject);
  return reviews.find((each) => each.receiptId === receiptId)?.operator;
}

function findOtherUse(
  { logged, evidence, nowSeconds }: Judging,
  chip: ChipRecord,
  record: StoredEvidenceRecord | undefined,
): ChipRecord['machineId'] | undefined {
  const chipRefOf = (each: ChipRecord) =>
    each.evidence?.chipRef ?? evidence.find((candidate) => isBasedOn(each, candidate))?.chipRef;
  const chipRef = chip.evidence?.chipRef ?? record?.chipRef;
  const isSame = (other: ChipRecord) =>
    other.leafFingerprint === chip.leafFingerprint || (chipRef !== undefined && chipRefOf(other) === chipRef);
  return [...logged.chips.values()].find(
    (other) => other.machineId !== chip.machineId && isInForce(other, nowSeconds) && isSame(other),
  )?.machineId;
}

function areEqual(stored: RecordTimes, logged: RecordTimes): boolean {
  const { issuedAt, expiresAt, revokedAt } = logged;
  return stored.issuedAt === issuedAt && stored.expiresAt === expiresAt && stored.revokedAt === revokedAt;
}

function toMismatch(subject: string): Proposal {
  return {
    subject,
    problem: 'log-mismatch',
    text: 'the stored record is not the one that the logs describe',
    proposal: 'compare the nodes: run svc doctor with each of them alone',
  };
}
