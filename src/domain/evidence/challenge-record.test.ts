import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { requireOpen, type ChallengeLookup } from './challenge-record.ts';
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import { CHALLENGE, NOW } from '../../../testing/fixtures/evidence-documents.ts';
import type { EvidenceRefusalKind } from './refusal.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const OTHER = `0x${'cd'.repeat(32)}` as const;
const kept = (consumedBy: typeof HASH | undefined, expiresAt = NOW + 1): ChallengeLookup => ({
  state: 'stored',
  challenge: { ...CHALLENGE, consumedBy, expiresAt },
});

it('accepts an open challenge until its last second has passed', () => {
  const lookup = kept(undefined);
  expect(requireOpen(lookup, HASH, NOW as TrustedSeconds)).toStrictEqual({ ...CHALLENGE, expiresAt: NOW + 1 });
});

it.each<[name: string, lookup: ChallengeLookup, kind: EvidenceRefusalKind]>([
  ['not issued, or deleted unconsumed', { state: 'gone', isDocumentAccepted: false }, 'ChallengeUnknown'],
  ['deleted after this document was accepted', { state: 'gone', isDocumentAccepted: true }, 'EvidenceAlreadyAccepted'],
  ['consumed by this document', kept(HASH), 'EvidenceAlreadyAccepted'],
  ['consumed by this document and expired', kept(HASH, NOW - 4_000), 'EvidenceAlreadyAccepted'],
  ['consumed by another document', kept(OTHER), 'ChallengeConsumed'],
  ['consumed by another document and expired', kept(OTHER, NOW - 4_000), 'ChallengeConsumed'],
  ['expired in this second', kept(undefined, NOW), 'ChallengeExpired'],
  ['long expired', kept(undefined, NOW - 4_000), 'ChallengeExpired'],
])('rejects a challenge that is %s: %s', (_name, lookup, kind) => {
  expect(() => requireOpen(lookup, HASH, NOW as TrustedSeconds)).toThrow(new Fault(kind, {}));
});
