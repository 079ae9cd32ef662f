/** Evidence records that were changed, or never accepted, do not pass re-validation. */
import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import type { ChallengeLookup } from './challenge-record.ts';
import {
  CHALLENGE,
  createEvidenceHarness,
  forgeBody,
  NOW,
  passSteps,
} from '../../../testing/fixtures/evidence-documents.ts';
import { vectorNamespace, vectorRules } from '../../../testing/fixtures/evidence-vectors.ts';
import { toEvidenceRecord, type AcceptedEvidenceRecord } from './evidence-record.ts';
import { judgeStoredEvidence } from './stored-evidence.ts';

const accepted = passSteps(createEvidenceHarness());
const RECORD = toEvidenceRecord(accepted, accepted.receivedAt, vectorNamespace);
const CONSUMED: ChallengeLookup = {
  state: 'stored',
  challenge: { ...CHALLENGE, consumedBy: RECORD.evidenceHash },
};
const DELETED: ChallengeLookup = { state: 'gone', isDocumentAccepted: true };
const OTHER_HASH = `0x${'1'.repeat(64)}` as const;

async function judge(
  changes: Partial<AcceptedEvidenceRecord> = {},
  lookup: ChallengeLookup = CONSUMED,
): Promise<string> {
  try {
    const proven = await judgeStoredEvidence({ ...RECORD, ...changes }, async () => lookup, vectorRules);
    return proven.evidenceHash;
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

it.each<[name: string, lookup: ChallengeLookup]>([
  ['that its document consumed', CONSUMED],
  ['whose row was deleted', DELETED],
])('accepts a record with the challenge %s', async (_name, lookup) => {
  expect(await judge({}, lookup)).toBe(RECORD.evidenceHash);
});

it.each<[kind: string, name: string, lookup: ChallengeLookup]>([
  ['ChallengeConsumed', 'that nothing consumed', { state: 'stored', challenge: CHALLENGE }],
  ['ChallengeConsumed', 'of another', { state: 'stored', challenge: { ...CHALLENGE, consumedBy: OTHER_HASH } }],
  ['ChallengeUnknown', 'that was never issued', { state: 'gone', isDocumentAccepted: false }],
])('throws %s for a challenge %s', async (kind, _name, lookup) => {
  expect(await judge({}, lookup)).toBe(kind);
});

it.each<[name: string, changes: Partial<AcceptedEvidenceRecord>]>([
  ['receiptId', { receiptId: OTHER_HASH }],
  ['chipRef', { chipRef: OTHER_HASH }],
  ['leafFingerprint', { leafFingerprint: OTHER_HASH }],
  ['leafSerial', { leafSerial: '0x01' }],
])('rejects a changed column %s', async (_name, changes) => {
  expect(await judge(changes)).toBe('EvidenceMismatch');
});

it.each<[name: string, changes: Partial<AcceptedEvidenceRecord>]>([
  ['evidenceHash', { evidenceHash: OTHER_HASH }],
  ['machineId', { machineId: 5n as AcceptedEvidenceRecord['machineId'] }],
  ['controller', { controller: OTHER_HASH.slice(0, 42) as AcceptedEvidenceRecord['controller'] }],
])('rejects a changed column %s with and without the challenge row', async (name, changes) => {
  const ofChallenge = name === 'evidenceHash' ? 'ChallengeConsumed' : 'EvidenceMismatch';
  expect([await judge(changes), await judge(changes, DELETED)]).toEqual([ofChallenge, 'EvidenceMismatch']);
});

it('rejects another document, and the same one after its expiry', async () => {
  const other = forgeBody({ controller: 'stranger' });
  expect(await judge({ evidence: other })).toBe('ControllerProofInvalid');
  expect(await judge({ receivedAt: NOW + 300 })).toBe('ChallengeExpired');
});
