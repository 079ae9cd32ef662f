/** Any body gets one of the documented outcomes, and only the signed document is accepted. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, type TextTree } from '../json/canonical-json.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { forgeBody, forgeDocument, judge } from '../../../testing/fixtures/evidence-documents.ts';

/** Refusals of the steps that follow the checks of form. */
const LATER_ANSWERS = [
  'EvidenceUnsupported',
  'ChallengeUnknown',
  'EvidenceMismatch',
  'CertificateInvalid',
  'CertificateUnsupported',
  'CertificateUntrusted',
  'ChipProofInvalid',
  'ControllerProofInvalid',
];
const ANSWERS = ['RequestMalformed', 'EvidenceNotCanonical', ...LATER_ANSWERS];

const BODY = forgeBody();
/** Returns positions of digits that may take any other value: those of hex texts except the `04` of the public key and the checksummed address. */
const HEX_DIGITS = [
  ...Buffer.from(BODY)
    .toString('latin1')
    .matchAll(/"0x(?:04(?=[0-9a-f]{128}"))?([0-9a-f]{64,130})"/g),
].flatMap(({ index, 0: text, 1: digits }) => Array.from(digits!, (_, k) => index + text.indexOf(digits!) + k));

function expectRefused(body: Uint8Array): void {
  if (Buffer.compare(body, BODY) !== 0) expect(ANSWERS).toContain(judge({ body }));
}

describe(`bodies (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  const hold = <T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>) =>
    fc.assert(property, { ...PROPERTY_RUNS, numRuns: 5 * PROPERTY_RUNS.numRuns });

  it('of random bytes are rejected', () => {
    hold(fc.property(fc.uint8Array({ maxLength: 100 }), expectRefused));
  });

  it('of random JSON are rejected', () => {
    hold(fc.property(fc.json(), (text) => expectRefused(Buffer.from(text))));
  });

  it('with changed bytes are rejected', () => {
    const change = fc.tuple(fc.nat(BODY.length), fc.nat(2), fc.uint8Array({ maxLength: 2 }));
    hold(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = changes.reduce<Uint8Array>(
          (bytes, [at, cut, added]) => Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + cut)]),
          BODY,
        );
        expectRefused(changed);
      }),
    );
  });

  it('with one changed digit of a hex text are well-formed and rejected', () => {
    hold(
      fc.property(fc.constantFrom(...HEX_DIGITS), fc.constantFrom(...Buffer.from('0123456789abcdef')), (at, other) => {
        const changed = Uint8Array.from(BODY);
        changed[at] = other;
        fc.pre(BODY[at] !== other);
        expect(LATER_ANSWERS).toContain(judge({ body: changed }));
      }),
    );
  });

  it('with parts of another document are rejected', () => {
    const one = forgeDocument() as unknown as Record<string, TextTree>;
    const other = forgeDocument({ controller: 'owner', transcript: { chainId: '2' } }) as unknown as typeof one;
    hold(
      fc.property(fc.subarray(Object.keys(one), { minLength: 1 }), (names) => {
        const taken = Object.fromEntries(names.map((name) => [name, other[name]!]));
        expectRefused(canonicalBytes({ ...one, ...taken }));
      }),
    );
  });
});
