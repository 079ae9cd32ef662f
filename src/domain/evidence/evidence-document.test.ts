import { describe, expect, it } from 'vitest';
import { canonicalBytes, type TextTree } from '../json/canonical-json.ts';
import { MAX_EVIDENCE_BYTES, MAX_TRANSCRIPT_BYTES, parseEvidenceDocument } from './evidence-document.ts';
import { forgeDocument } from '../../../testing/fixtures/evidence-documents.ts';
import { attempts } from '../../../testing/fixtures/evidence-vectors.ts';
import { transcriptBytes } from './signed-bytes.ts';

const DOCUMENT = forgeDocument();
const parse = (tree: unknown) => parseEvidenceDocument(Buffer.from(JSON.stringify(tree)));

/** Replaces the text at a path of names. */
function withText(path: string, text: unknown): unknown {
  const [outer = '', inner] = path.split('.');
  const members = DOCUMENT as unknown as Record<string, Record<string, unknown>>;
  return { ...members, [outer]: inner === undefined ? text : { ...members[outer], [inner]: text } };
}

describe('a document', () => {
  it.each(Object.entries(attempts))('of the vectors parses to itself: %s', (_name, { bodyText, evidence }) => {
    expect(parseEvidenceDocument(Buffer.from(bodyText))).toStrictEqual(evidence);
  });

  it('parses in any JSON notation', () => {
    const text = JSON.stringify(DOCUMENT, null, 2).replace('not_evaluated', '\\u006eot_evaluated');
    expect(parseEvidenceDocument(Buffer.from(text))).toStrictEqual(DOCUMENT);
  });

  it.each([
    ['nothing', ''],
    ['no object', '"x"'],
    ['an array', JSON.stringify([DOCUMENT])],
    ['a document in an object', JSON.stringify({ evidence: DOCUMENT })],
    ['two documents', `${JSON.stringify(DOCUMENT)}${JSON.stringify(DOCUMENT)}`],
    ['a member twice', JSON.stringify(DOCUMENT).replace('{', '{"chipRef":"x",')],
  ])('is rejected when it is %s', (_name, text) => {
    expect(parseEvidenceDocument(Buffer.from(text))).toBeUndefined();
  });

  it.each(['', 'certificate', 'controllerProof', 'proof', 'transcript'])(
    'is rejected with another member in "%s"',
    (path) => {
      const inner = path === '' ? DOCUMENT : (DOCUMENT as unknown as Record<string, object>)[path]!;
      const wider = { ...inner, note: 'x' };
      expect(parse(path === '' ? wider : withText(path, wider))).toBeUndefined();
      for (const name of Object.keys(inner)) {
        const narrower = Object.fromEntries(Object.entries(inner).filter(([each]) => each !== name));
        expect(parse(path === '' ? narrower : withText(path, narrower)), name).toBeUndefined();
        const renamed = { ...narrower, toString: 'x' };
        expect(parse(path === '' ? renamed : withText(path, renamed)), name).toBeUndefined();
      }
    },
  );

  it.each([null, true, 1, ['x'], {}, { x: 'x' }])('is rejected with a member of another type: %j', (value) => {
    const { transcript, certificate, proof, controllerProof, ...texts } = DOCUMENT;
    const objects = { transcript, certificate, proof, controllerProof };
    const inner = Object.entries(objects).flatMap(([outer, members]) => Object.keys(members).map((name) => `${outer}.${name}`)); // prettier-ignore
    for (const path of [...Object.keys(texts), ...Object.keys(objects), ...inner]) {
      expect(parse(withText(path, value)), path).toBeUndefined();
    }
    expect(parse(withText('transcript', 'x'))).toBeUndefined();
  });
});

describe('the form of a member', () => {
  const hex = (digits: number, digit = 'a') => `0x${digit.repeat(digits)}`;
  const HASHES = [
    'certificate.fingerprintSha256',
    'chipRef',
    'transcript.certificateFingerprintSha256',
    'transcript.nonce',
  ];
  const WORDS = ['controllerProof.scheme', 'evidenceSchema', 'profile', 'revocationStatus', 'trustBundle', 'transcript.profile', 'transcript.protocol', 'transcript.verifier', 'transcript.machineDid']; // prettier-ignore
  const DECIMALS = ['transcript.machineId', 'transcript.chainId', 'transcript.expiresAt'];
  const largest = String(2n ** 256n - 1n);

  it.each<[path: string, text: string]>([
    ...HASHES.map((path): [string, string] => [path, hex(64, '0')]),
    ...WORDS.flatMap((path): [string, string][] => [[path, ''], [path, 'é😀"\\']]), // prettier-ignore
    ...DECIMALS.flatMap((path): [string, string][] => [[path, '1'], [path, largest]]), // prettier-ignore
    ['transcript.expiresAt', '9'.repeat(100)],
    ['certificate.publicKey', `0x04${'0'.repeat(128)}`],
    ['certificate.leafDerBase64url', ''],
    ['certificate.leafDerBase64url', 'AA'],
    ['certificate.leafDerBase64url', '-_8'],
    ['certificate.leafDerBase64url', 'A'.repeat(4_000)],
    ['proof.chipSignature', hex(128, '0')],
    ['controllerProof.signature', hex(130, 'f')],
    ['transcript.didController', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ])('of %s accepts %s', (path, text) => {
    expect(parse(withText(path, text))).toStrictEqual(withText(path, text));
  });

  const NO_HASH = [
    '',
    'x',
    'a'.repeat(64),
    hex(63),
    hex(65),
    hex(64, 'A'),
    hex(64, 'g'),
    `0X${'a'.repeat(64)}`,
    `${hex(64)}\n`,
  ];
  const NO_DECIMAL = ['', '0', '01', '+1', '-1', '1.0', '1e3', ' 1', '1 ', '1\n', '0x1', '１', '٣'];

  it.each<[path: string, text: string]>([
    ...HASHES.flatMap((path) => NO_HASH.map((text): [string, string] => [path, text])),
    ...DECIMALS.flatMap((path) => NO_DECIMAL.map((text): [string, string] => [path, text])),
    ...[...HASHES, 'certificate.publicKey', 'proof.chipSignature', 'controllerProof.signature'].flatMap((path) => {
      const [outer = '', inner] = path.split('.');
      const members = DOCUMENT as unknown as Record<string, string & Record<string, string>>;
      const text: string = inner === undefined ? members[outer]! : members[outer]![inner]!;
      return [`x${text}`, `0x00${text}`, `${text}x`].map((each): [string, string] => [path, each]);
    }),
    ['transcript.machineId', String(2n ** 256n)],
    ['transcript.chainId', String(2n ** 256n)],
    ['transcript.chainId', '9'.repeat(79)],
    ['certificate.publicKey', hex(130)],
    ['certificate.publicKey', `0x04${'a'.repeat(126)}`],
    ['certificate.publicKey', `0x02${'a'.repeat(64)}`],
    ['certificate.publicKey', `0x04${'A'.repeat(128)}`],
    ['certificate.leafDerBase64url', 'A'],
    ['certificate.leafDerBase64url', 'AA=='],
    ['certificate.leafDerBase64url', 'AB'], // the last four bits stand for nothing
    ['certificate.leafDerBase64url', '+/8'],
    ['certificate.leafDerBase64url', 'AA AA'],
    ['certificate.leafDerBase64url', 'AAA\n'],
    ['proof.chipSignature', hex(126)],
    ['proof.chipSignature', hex(130)],
    ['proof.chipSignature', hex(128, 'A')],
    ['controllerProof.signature', hex(128)],
    ['controllerProof.signature', hex(132)],
    ['controllerProof.signature', hex(130, 'A')],
    ['transcript.didController', '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'],
    ['transcript.didController', '0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359'],
    ['transcript.didController', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35'],
    ['transcript.didController', 'fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
    ['transcript.didController', hex(40, '0')],
  ])('of %s rejects %j', (path, text) => {
    expect(parse(withText(path, text))).toBeUndefined();
  });
});

describe('the size', () => {
  const padded = (bytes: number) => {
    const text = JSON.stringify(DOCUMENT);
    return Buffer.from(text + ' '.repeat(bytes - text.length));
  };
  const withVerifierOf = (length: number) => {
    const empty = { ...DOCUMENT.transcript, verifier: '' };
    return withText('transcript.verifier', 'x'.repeat(length - transcriptBytes(empty).length));
  };

  it('of a body is at most 16384 bytes', () => {
    expect(MAX_EVIDENCE_BYTES).toBe(16_384);
    expect(parseEvidenceDocument(padded(16_384))).toStrictEqual(DOCUMENT);
    expect(parseEvidenceDocument(padded(16_385))).toBeUndefined();
  });

  it('of a transcript is at most 4096 bytes', () => {
    expect(MAX_TRANSCRIPT_BYTES).toBe(4_096);
    expect(canonicalBytes((withVerifierOf(4_096) as { transcript: TextTree }).transcript)).toHaveLength(4_096);
    expect(parse(withVerifierOf(4_096))).toBeDefined();
    expect(parse(withVerifierOf(4_097))).toBeUndefined();
  });
});
