/**
 * Mutated certificates with one to three changes. Changes of bytes mostly break the encoding. Changes of elements repair the lengths, so that
 * later rows of the profile decide. Most leaves are signed again by the intermediate, with nonces from a list: its key is public, and a signature
 * costs only a hash.
 */
import { p384 } from '@noble/curves/nist.js';
import { createHash } from 'node:crypto';
import type { Random } from '../../sim/random.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import { parseDer, TAG, type DerElement } from '../../src/domain/evidence/certificate/der.ts';
import { bits, integer, sequence } from '../../devnet/chips/der-writer.ts';
import { ECDSA_SHA384, INTERMEDIATE_KEY } from '../../testing/fixtures/forged-certificate.ts';
import { fromBase64, leafCases } from '../../testing/fixtures/evidence-vectors.ts';
import { toNumber } from '../../src/domain/evidence/low-s.ts';

export interface MutatedLeaf {
  readonly der: Uint8Array;
  readonly kind: 'bytes' | 'bytes, signed again' | 'elements, signed again';
}

/** Mutable DER element; an octet string that contains DER has its elements as children. */
interface Node {
  tag: number;
  content: Uint8Array;
  children: Node[];
  /** Writes the length with an octet that DER omits. */
  isLengthLong: boolean;
}

const MAX_CHANGES = 3;
const NONCES = 64;
const ODD_CONTENTS = ['', '00', 'ff', '80', '7f', '0000', '00ff', '0780', '2a', '550000'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const LEAVES = leafCases.cases
  .map(({ derBase64, expect }) => ({ der: fromBase64(derBase64), isGood: expect === 'accept' }))
  .filter(({ der }) => der.length > 0);
const SIGNED_PARTS = LEAVES.flatMap(({ der }) => parseCertificate(der)?.signedPart ?? []);
/** Signed parts of valid leaves, so that the change decides. */
const GOOD_PARTS = LEAVES.filter(({ isGood }) => isGood).map(({ der }) => parseCertificate(der)!.signedPart);
/** Elements of all leaves, for insertion into another. */
const PARTS = SIGNED_PARTS.flatMap((part) => listNodes(readNode(parseDer(part))));
const TAGS = [...new Set([...Object.values(TAG), ...PARTS.map(({ tag }) => tag)])];

export function createLeafMutations(random: Random): () => MutatedLeaf {
  const sign = createFastSigner(random);
  return () => {
    const chance = random.integer(0, 9);
    if (chance === 0) return { kind: 'bytes', der: mutateBytes(random, random.pick(LEAVES).der) };
    const part = random.pick(random.chance(0.8) ? GOOD_PARTS : SIGNED_PARTS);
    return chance <= 2
      ? { kind: 'bytes, signed again', der: sign(mutateBytes(random, part)) }
      : { kind: 'elements, signed again', der: sign(mutateElements(random, part)) };
  };
}

/** Replaces, removes or inserts bytes, up to `MAX_CHANGES` times or not at all. */
function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  let mutated = Buffer.from(bytes);
  for (let changes = random.integer(0, MAX_CHANGES); changes > 0; changes--) {
    const at = random.integer(0, mutated.length - 1);
    const removed = random.pick([0, 1, 1, 1, 2]);
    const added = Buffer.from(random.hex(random.pick([0, 1, 1, 1, 2])), 'hex');
    mutated = Buffer.concat([mutated.subarray(0, at), added, mutated.subarray(at + removed)]);
  }
  return mutated;
}

function mutateElements(random: Random, part: Uint8Array): Uint8Array {
  const root = readNode(parseDer(part));
  for (let changes = random.skewed(MAX_CHANGES - 1) + 1; changes > 0; changes--) changeElement(random, root);
  return writeNode(root);
}

/** Changes one element or its children. */
function changeElement(random: Random, root: Node): void {
  const nodes = listNodes(root);
  const node = random.pick(random.chance(0.7) ? nodes.filter(({ children }) => children.length === 0) : nodes);
  const { children } = node;
  const at = random.integer(0, Math.max(0, children.length - 1));
  if (children.length === 0) changeContent(random, node);
  else {
    const changes: (() => void)[] = [
      () => children.splice(at, 1),
      () => children.splice(at, 0, structuredClone(children[at]!)),
      () => children.splice(at, 0, structuredClone(random.pick(PARTS))),
      () => children.splice(at, 1, structuredClone(random.pick(PARTS))),
      () => children.push(children.splice(at, 1)[0]!),
      () => void (node.tag = random.pick(TAGS)),
    ];
    random.pick(changes)();
  }
}

function changeContent(random: Random, node: Node): void {
  const { content } = node;
  const at = random.integer(0, Math.max(0, content.length - 1));
  const changed = Buffer.from(content);
  const changes: (() => void)[] = [
    () => void (node.content = random.pick(ODD_CONTENTS)),
    () => void (node.content = Buffer.from(random.hex(content.length), 'hex')),
    () => void (node.content = content.subarray(0, at)),
    () => void (node.content = Buffer.concat([content, Buffer.from(random.hex(random.integer(1, 30)), 'hex')])),
    () => void (node.tag = random.pick(TAGS)),
    () => void (node.isLengthLong = true),
  ];
  // Usually flips one bit.
  if (content.length === 0 || random.chance(0.25)) return random.pick(changes)();
  changed[at]! ^= 1 << random.integer(0, 7);
  node.content = changed;
}

function readNode({ tag, content, children }: DerElement): Node {
  const inner = tag === TAG.octetString ? tryParse(content) : undefined;
  const elements = inner === undefined ? children : [inner];
  return {
    tag,
    content: elements.length > 0 ? new Uint8Array() : content,
    children: elements.map(readNode),
    isLengthLong: false,
  };
}

function tryParse(content: Uint8Array): DerElement | undefined {
  try {
    return parseDer(content);
  } catch {
    return undefined;
  }
}

function listNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(listNodes)];
}

function writeNode({ tag, content, children, isLengthLong }: Node): Buffer {
  const inside = children.length > 0 ? Buffer.concat(children.map(writeNode)) : content;
  return Buffer.concat([Uint8Array.of(tag), writeLength(inside.length, isLengthLong), inside]);
}

function writeLength(length: number, isLong: boolean): Uint8Array {
  if (length < 0x80) return isLong ? Uint8Array.of(0x81, length) : Uint8Array.of(length);
  if (length < 0x100) return isLong ? Uint8Array.of(0x82, 0, length) : Uint8Array.of(0x81, length);
  const octets = [length >> 8, length & 0xff];
  return isLong ? Uint8Array.of(0x83, 0, ...octets) : Uint8Array.of(0x82, ...octets);
}

function createFastSigner(random: Random): (signedPart: Uint8Array) => Uint8Array {
  const order = p384.Point.CURVE().n;
  const secret = toNumber(Buffer.from(INTERMEDIATE_KEY.export({ format: 'jwk' }).d!, 'base64url'));
  const nonces = Array.from({ length: NONCES }, () => {
    const k = (BigInt(`0x${random.hex(48)}`) % (order - 1n)) + 1n;
    return { r: p384.Point.BASE.multiply(k).toAffine().x % order, inverse: p384.Point.Fn.inv(k) };
  });
  return (signedPart) => {
    const digest = toNumber(createHash('sha384').update(signedPart).digest());
    const { r, inverse } = random.pick(nonces);
    const s = (inverse * ((digest + r * secret) % order)) % order;
    return sequence(signedPart, ECDSA_SHA384, bits(sequence(encodeInteger(r), encodeInteger(s))));
  };
}

/** Encodes a minimal positive integer. */
function encodeInteger(scalar: bigint): Uint8Array {
  const hex = scalar.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return integer(bytes[0]! < 0x80 ? bytes : Buffer.concat([Uint8Array.of(0), bytes]));
}
