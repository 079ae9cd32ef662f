import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { requireOpen, type ChallengeLookup } from './challenge-record.ts';
import type { TrustedSeconds } from './trusted-clock.ts';
import { CHALLENGE, NOW } from '../../../testing/fixtures/evidence-documents.ts';
import type { EvidenceRefusalKind } from './refusal.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const OTHER = `0x${'cd'.repeat(32)}` as const;
const kept = (consumedBy: typeof HASH | undefined, expiresAt = NOW + 1): ChallengeLookup => ({
  state: 'kept',
  challenge: { ...CHALLENGE, consumedBy, expiresAt },
});

it('is open until its last second is over', () => {
  const lookup = kept(undefined);
  expect(requireOpen(lookup, HASH, NOW as TrustedSeconds)).toStrictEqual({ ...CHALLENGE, expiresAt: NOW + 1 });
});

it.each<[name: string, lookup: ChallengeLookup, kind: EvidenceRefusalKind]>([
  ['never issued, or deleted unconsumed', { state: 'gone', isDocumentAccepted: false }, 'ChallengeUnknown'],
  ['deleted after this document was accepted', { state: 'gone', isDocumentAccepted: true }, 'EvidenceAlreadyAccepted'],
  ['consumed by this document', kept(HASH), 'EvidenceAlreadyAccepted'],
  ['consumed by this document, and over', kept(HASH, NOW - 4_000), 'EvidenceAlreadyAccepted'],
  ['consumed by another document', kept(OTHER), 'ChallengeConsumed'],
  ['consumed by another document, and over', kept(OTHER, NOW - 4_000), 'ChallengeConsumed'],
  ['over this very second', kept(undefined, NOW), 'ChallengeExpired'],
  ['over long since', kept(undefined, NOW - 4_000), 'ChallengeExpired'],
])('%s: %s', (_name, lookup, kind) => {
  expect(() => requireOpen(lookup, HASH, NOW as TrustedSeconds)).toThrow(new Fault(kind, {}));
});
