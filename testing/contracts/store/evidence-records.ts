/** Contract of `ChipStore`: evidence challenges and accepted evidence records (evidence 4, 8 and 11). */
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../src/domain/evidence/signed-bytes.ts';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import type { AttestationReview, StoredEvidenceRecord, NewChallenge } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { id, ORDERED_IDS } from './samples.ts';

const NOW = 1_800_000_000;
const HOUR = 3_600;
const DAY = 86_400;
const CAPS = { perMachine: 5, total: 100 };
const RACERS = 64;

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const CONTROLLER = '0x00a555a5a14535fc5bc6158db663f7433e74bfed' as Address;

function challengeOf(n: number, changes: Partial<NewChallenge> = {}): NewChallenge {
  const [machineId, chainId] = [id(7), 31337];
  return {
    ...{ nonceHash: hash(n), machineId, didController: CONTROLLER, chainId, issuedAt: NOW, expiresAt: NOW + 270 },
    ...changes,
  };
}

function recordOf(n: number, changes: Partial<StoredEvidenceRecord> = {}): StoredEvidenceRecord {
  return {
    receiptId: hash(1_000 + n),
    evidenceHash: hash(2_000 + n),
    machineId: id(7),
    chipRef: hash(3_000),
    leafFingerprint: hash(4_000),
    leafSerial: '0x00ff',
    controller: CONTROLLER,
    receivedAt: NOW + 10,
    evidence: Uint8Array.of(0, 255, 1),
    ...changes,
  };
}

export function testEvidenceRecords(under: StoreUnderTest): void {
  describe('evidence challenges', () => {
    const keep = (challenge: NewChallenge, caps = CAPS) => under.store.insertChallenge(challenge, caps);
    const find = (n: number) => under.store.findChallenge(hash(n), hash(0));

    it('are stored whole under the hash of their nonce', async () => {
      const machineId = ORDERED_IDS.at(-1)!;
      expect(await keep(challengeOf(1, { machineId }))).toBe(true);
      const { nonceHash, didController, chainId, expiresAt } = challengeOf(1);
      const challenge = { nonceHash, machineId, didController, chainId, expiresAt, consumedBy: undefined };
      expect(await find(1)).toStrictEqual({ state: 'stored', challenge });
      expect(await find(2)).toStrictEqual({ state: 'gone', isDocumentAccepted: false });
    });

    it('are capped per machine, not counting consumed and expired ones', async () => {
      for (let n = 1; n <= CAPS.perMachine; n++) expect(await keep(challengeOf(n))).toBe(true);
      expect(await keep(challengeOf(6))).toBe(false);
      expect(await find(6)).toStrictEqual({ state: 'gone', isDocumentAccepted: false });
      expect(await keep(challengeOf(7, { machineId: id(8) }))).toBe(true);

      await under.store.consumeChallenge(hash(1), recordOf(1));
      expect(await keep(challengeOf(6))).toBe(true);
      expect(await keep(challengeOf(9))).toBe(false);
      const atEnd = { issuedAt: NOW + 270, expiresAt: NOW + 540 };
      expect(await keep(challengeOf(9, { ...atEnd, issuedAt: NOW + 269 }))).toBe(false);
      expect(await keep(challengeOf(9, atEnd))).toBe(true);
    });

    it('are capped over all machines', async () => {
      const caps = { perMachine: 5, total: 3 };
      for (let n = 1; n <= 3; n++) expect(await keep(challengeOf(n, { machineId: id(n) }), caps)).toBe(true);
      expect(await keep(challengeOf(4, { machineId: id(4) }), caps)).toBe(false);
    });

    it.each([
      ['one machine', () => id(7), { perMachine: 5, total: 100 }],
      ['all machines', (n: number) => id(n), { perMachine: 5, total: 5 }],
    ])('never exceed the cap of %s under concurrent requests', async (_name, machineOf, caps) => {
      const other = await under.openAnother();
      const stored = await Promise.all(
        Array.from({ length: RACERS }, (_, n) =>
          (n % 2 === 0 ? under.store : other).insertChallenge(challengeOf(n, { machineId: machineOf(n) }), caps),
        ),
      );
      expect(stored.filter(Boolean)).toHaveLength(5);
    });

    it('are open until consumed or expired', async () => {
      const count = (now: number) => under.store.countOpenChallenges(now);
      expect(await count(NOW)).toBe(0);
      for (const n of [1, 2, 3]) await keep(challengeOf(n));
      await under.store.consumeChallenge(hash(2), recordOf(2));
      expect([await count(NOW), await count(NOW + 269), await count(NOW + 270)]).toEqual([2, 2, 0]);
    });

    it('are deleted an hour after expiry or 30 days after consumption', async () => {
      await keep(challengeOf(1));
      await keep(challengeOf(2));
      await under.store.consumeChallenge(hash(2), recordOf(2));
      const expired = NOW + 270 + HOUR;
      const consumed = NOW + 10 + 30 * DAY;
      expect(await under.store.deleteOldChallenges(expired - 1)).toBe(0);
      expect(await under.store.deleteOldChallenges(expired)).toBe(1);
      expect(await find(1)).toStrictEqual({ state: 'gone', isDocumentAccepted: false });
      expect(await under.store.deleteOldChallenges(consumed - 1)).toBe(0);
      expect(await under.store.deleteOldChallenges(consumed)).toBe(1);
      expect(await under.store.findChallenge(hash(2), hash(2_002))).toStrictEqual({
        state: 'gone',
        isDocumentAccepted: true,
      });
    });
  });

  describe('accepted evidence', () => {
    const accept = (n: number, record: StoredEvidenceRecord) => under.store.consumeChallenge(hash(n), record);

    it('consumes its challenge and is stored whole', async () => {
      await under.store.insertChallenge(challengeOf(1), CAPS);
      expect(await accept(1, recordOf(1))).toStrictEqual({ state: 'written' });
      expect(await under.store.findChallenge(hash(1), hash(0))).toMatchObject({
        state: 'stored',
        challenge: { consumedBy: hash(2_001) },
      });
      expect(await under.store.readEvidenceRecord(hash(1_001))).toStrictEqual(recordOf(1));
      expect(await under.store.readEvidenceRecord(hash(1_002))).toBeUndefined();
    });

    it('may be stored without the document', async () => {
      await under.store.insertChallenge(challengeOf(1), CAPS);
      await accept(1, recordOf(1, { evidence: undefined }));
      expect(await under.store.readEvidenceRecord(hash(1_001))).toStrictEqual(recordOf(1, { evidence: undefined }));
    });

    it('is not written for a consumed, expired or unknown challenge', async () => {
      await under.store.insertChallenge(challengeOf(1), CAPS);
      const late = recordOf(1, { receivedAt: NOW + 270 });
      expect(await accept(1, late)).toMatchObject({ state: 'stored', challenge: { consumedBy: undefined } });
      expect(await accept(1, { ...late, receivedAt: NOW + 269 })).toStrictEqual({ state: 'written' });
      expect(await accept(1, recordOf(2))).toMatchObject({ state: 'stored', challenge: { consumedBy: hash(2_001) } });
      expect(await accept(2, recordOf(2))).toStrictEqual({ state: 'gone', isDocumentAccepted: false });
      expect(await under.store.listEvidenceRecords(undefined, 10)).toHaveLength(1);
    });

    it('is written once when documents race for a challenge', async () => {
      await under.store.insertChallenge(challengeOf(1), CAPS);
      const other = await under.openAnother();
      const outcomes = await Promise.all(
        Array.from({ length: RACERS }, (_, n) =>
          (n % 2 === 0 ? under.store : other).consumeChallenge(hash(1), recordOf(n)),
        ),
      );
      const winner = outcomes.findIndex(({ state }) => state === 'written');
      expect(outcomes.filter(({ state }) => state === 'written')).toHaveLength(1);
      expect(await under.store.listEvidenceRecords(undefined, 10)).toStrictEqual([recordOf(winner)]);
      expect(await under.store.findChallenge(hash(1), hash(0))).toMatchObject({
        challenge: { consumedBy: recordOf(winner).evidenceHash },
      });
    });

    it('has reviews that are listed by subject, newest first', async () => {
      const first = {
        ...{ transaction: hash(1), change: 'attest-chip', receiptId: hash(1_001), subject: 'did:svc:7' },
        ...{ reviewer: 'first reviewer', reason: 'repaired', expiresAt: NOW + 9 },
        ...{ operator: `0x${'0a'.repeat(20)}` as const, reviewedAt: NOW },
      } as AttestationReview;
      const unset = { receiptId: undefined, reason: undefined, expiresAt: undefined, operator: undefined };
      const second: AttestationReview = { ...first, ...unset, transaction: hash(2), reviewedAt: NOW + 1 };
      const other: AttestationReview = { ...first, transaction: hash(3), subject: 'did:svc:8' };
      for (const review of [first, other, second]) await under.store.insertAttestationReview(review);
      expect(await under.store.listAttestationReviews('did:svc:7')).toStrictEqual([second, first]);
      await expect(under.store.insertAttestationReview(first)).rejects.toThrow();
    });

    it('is listed by machine, newest first', async () => {
      for (const n of [1, 2, 3]) await under.store.insertChallenge(challengeOf(n), CAPS);
      const records = [
        recordOf(1, { receivedAt: NOW + 1 }),
        recordOf(2, { receivedAt: NOW + 3, machineId: id(8) }),
        recordOf(3, { receivedAt: NOW + 2 }),
      ];
      for (const [k, record] of records.entries()) await accept(k + 1, record);
      const [first, second, third] = records;
      expect(await under.store.listEvidenceRecords(undefined, 2)).toStrictEqual([second, third]);
      expect(await under.store.listEvidenceRecords(id(7), 10)).toStrictEqual([third, first]);
      expect(await under.store.listEvidenceRecords(id(9), 10)).toStrictEqual([]);
    });
  });
}
