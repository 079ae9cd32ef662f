/** Does an intake that was changed since, or was never accepted, pass for one that was? */
import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import type { ChallengeLookup } from './challenge-record.ts';
import { CHALLENGE, createEvidenceHarness, forgeBody, NOW, passSteps } from '../../../testing/fixtures/evidence-documents.ts';
import { vectorNamespace, vectorRules } from '../../../testing/fixtures/evidence-vectors.ts';
import { toEvidenceRecord, type AcceptedEvidenceRecord } from './evidence-record.ts';
import { judgeStoredEvidence } from './stored-evidence.ts';

const accepted = passSteps(createEvidenceHarness());
const INTAKE = toEvidenceRecord(accepted, accepted.receivedAt, vectorNamespace);
const CONSUMED: ChallengeLookup = {
  state: 'kept',
  challenge: { ...CHALLENGE, consumedBy: INTAKE.evidenceHash },
};
const DELETED: ChallengeLookup = { state: 'gone', isDocumentAccepted: true };
const OTHER_HASH = `0x${'1'.repeat(64)}` as const;

async function judge(
  changes: Partial<AcceptedEvidenceRecord> = {},
  lookup: ChallengeLookup = CONSUMED,
): Promise<string> {
  try {
    const proven = await judgeStoredEvidence({ ...INTAKE, ...changes }, async () => lookup, vectorRules);
    return proven.evidenceHash;
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

it.each<[name: string, lookup: ChallengeLookup]>([
  ['that it consumed', CONSUMED],
  ['whose row is deleted since', DELETED],
])('an intake stands by the challenge %s', async (_name, lookup) => {
  expect(await judge({}, lookup)).toBe(INTAKE.evidenceHash);
});

it.each<[kind: string, name: string, lookup: ChallengeLookup]>([
  ['ChallengeConsumed', 'that nothing consumed', { state: 'kept', challenge: CHALLENGE }],
  ['ChallengeConsumed', 'of another', { state: 'kept', challenge: { ...CHALLENGE, consumedBy: OTHER_HASH } }],
  ['ChallengeUnknown', 'that nobody issued', { state: 'gone', isDocumentAccepted: false }],
])('%s: by a challenge %s', async (kind, _name, lookup) => {
  expect(await judge({}, lookup)).toBe(kind);
});

it.each<[name: string, changes: Partial<AcceptedEvidenceRecord>]>([
  ['receiptId', { receiptId: OTHER_HASH }],
  ['chipRef', { chipRef: OTHER_HASH }],
  ['leafFingerprint', { leafFingerprint: OTHER_HASH }],
  ['leafSerial', { leafSerial: '0x01' }],
])('its column %s must follow from the document', async (_name, changes) => {
  expect(await judge(changes)).toBe('EvidenceMismatch');
});

it.each<[name: string, changes: Partial<AcceptedEvidenceRecord>]>([
  ['evidenceHash', { evidenceHash: OTHER_HASH }],
  ['machineId', { machineId: 5n as AcceptedEvidenceRecord['machineId'] }],
  ['controller', { controller: OTHER_HASH.slice(0, 42) as AcceptedEvidenceRecord['controller'] }],
])('its column %s must follow too, whether its challenge is still there or not', async (name, changes) => {
  const ofChallenge = name === 'evidenceHash' ? 'ChallengeConsumed' : 'EvidenceMismatch';
  expect([await judge(changes), await judge(changes, DELETED)]).toEqual([ofChallenge, 'EvidenceMismatch']);
});

it('another document does not pass in its place, nor the same one after its end', async () => {
  const other = forgeBody({ controller: 'stranger' });
  expect(await judge({ evidence: other })).toBe('ControllerProofInvalid');
  expect(await judge({ receivedAt: NOW + 300 })).toBe('ChallengeExpired');
});
