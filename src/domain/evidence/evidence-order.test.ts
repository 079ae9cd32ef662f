/** A document that fails two steps is rejected by the earlier one (evidence 8). */
import { concatBytes } from '@noble/hashes/utils.js';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forgeCertificate, SIBLING_KEY } from '../../../testing/fixtures/forged-certificate.ts';
import {
  CHALLENGE,
  forgeBody,
  judge,
  CURRENT_MACHINE,
  type EvidenceChanges,
  type EvidenceHarness,
} from '../../../testing/fixtures/evidence-documents.ts';
import { ABSENT } from '../read-result.ts';

/** Changes that fail exactly one step. */
interface Bend {
  readonly step: string;
  readonly kind: string;
  /** Before signing; `edit` comes after it. */
  readonly document?: EvidenceChanges;
  readonly tail?: string;
  readonly scene?: Partial<EvidenceHarness>;
}

const { privateKey: OTHER_CHIP } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const BENDS: readonly Bend[] = [
  {
    step: '6 form',
    kind: 'RequestMalformed',
    document: { edit: (document) => Object.assign({ note: 'x' }, document) },
  },
  { step: '7 canonical', kind: 'EvidenceNotCanonical', tail: '\n' },
  {
    step: '8 fixed values',
    kind: 'EvidenceUnsupported',
    document: { edit: (document) => ({ ...document, revocationStatus: 'good' }) },
  },
  { step: '9 clock', kind: 'ClockInvalid', scene: { now: undefined } },
  {
    step: '9 challenge',
    kind: 'ChallengeUnknown',
    scene: { lookup: () => ({ state: 'gone', isDocumentAccepted: false }) },
  },
  { step: '10 transcript', kind: 'EvidenceMismatch', document: { transcript: { chainId: '1' } } },
  {
    step: '11 certificate',
    kind: 'CertificateUntrusted',
    document: { leaf: forgeCertificate({ signer: SIBLING_KEY }) },
  },
  {
    step: '11 chip key',
    kind: 'EvidenceMismatch',
    document: { edit: (document) => ({ ...document, chipRef: `0x${'00'.repeat(32)}` }) },
  },
  { step: '12 chip proof', kind: 'ChipProofInvalid', document: { chip: OTHER_CHIP } },
  { step: '12 controller proof', kind: 'ControllerProofInvalid', document: { controller: 'stranger' } },
  {
    step: '13 machine',
    kind: 'MachineAbsent',
    scene: { machine: { ...CURRENT_MACHINE, snapshot: { ...CURRENT_MACHINE.snapshot, owner: ABSENT } } },
  },
  {
    step: '14 store',
    kind: 'ChallengeConsumed',
    scene: { outcome: { state: 'stored', challenge: { ...CHALLENGE, consumedBy: `0x${'11'.repeat(32)}` } } },
  },
];

function judgeBent(...bends: Bend[]): string {
  const edits = bends.flatMap(({ document }) => document?.edit ?? []);
  const document: EvidenceChanges = {
    ...(Object.assign({}, ...bends.map((bend) => bend.document)) as EvidenceChanges),
    edit: (made) => edits.reduce((each, edit) => edit(each), made),
  };
  const tails = bends.map((bend) => Buffer.from(bend.tail ?? ''));
  const scene = Object.assign({}, ...bends.map((bend) => bend.scene)) as Partial<EvidenceHarness>;
  return judge({ ...scene, body: concatBytes(forgeBody(document), ...tails) });
}

it('accepts the unchanged document', () => {
  expect(judgeBent()).toBe('accepted');
});

it.each(BENDS)('rejects a document that fails only $step: $kind', (bend) => {
  expect(judgeBent(bend)).toBe(bend.kind);
});

describe('a document that fails two steps', () => {
  const pairs = BENDS.flatMap((earlier, at) => BENDS.slice(at + 1).map((later) => ({ earlier, later })));

  it.each(pairs)('is rejected by $earlier.step before $later.step', ({ earlier, later }) => {
    expect(judgeBent(earlier, later)).toBe(earlier.kind);
  });
});
