/**
 * Campaign: no mutated signature is accepted that a second library rejects. `RUNS` (1,000,000) mutations of each kind of signature, from `SEED`;
 * the second library checks every accepted one.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { recoverMessageAddress } from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import { altKeyBytes, parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { EDWARDS_ORDER, SECP256K1_ORDER } from '../../src/domain/signatures/signature-encoding-rules.ts';
import {
  ed25519SignatureBytes,
  parseEd25519Signature,
  parseRecoverableSignature,
} from '../../src/domain/signatures/signature-parsing.ts';
import {
  createAltChainKey,
  createMainChainKey,
  NATIVE_CHECKS,
  formatEd25519,
} from '../../testing/fixtures/signing-keys.ts';
import { rule } from '../conformance/rule.ts';

const RUNS = Number(process.env['RUNS'] ?? 1_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
/** Mutations that share a key and a message, because signing costs more than checking. */
const RUNS_PER_KEY = 1_000;
const HEX = '0123456789abcdefABCDEF xX';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl +';

const counts = new Map<string, number>();
afterAll(() => {
  process.stdout.write(`SEED=${SEED} ${JSON.stringify(Object.fromEntries([...counts].sort()))}\n`);
});

function count(word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('accepts no mutated EIP-191 signature that viem rejects', async () => {
    rule('security.altered-signature');
    const random = new Random(SEED);
    for (let run = 0; run < RUNS;) {
      const wallet = createMainChainKey(hexToBytes(`00${random.hex(31)}`));
      const message = hexToBytes(random.hex(random.integer(1, 200)));
      const signed = wallet.sign(message).slice(2);
      for (let k = 0; k < RUNS_PER_KEY && run < RUNS; k++, run++) {
        const text = `0x${mutateRecoverable(random, signed)}`;
        const signature = text.slice(2) === signed ? undefined : parseRecoverableSignature(text);
        if (signature === undefined || NATIVE_CHECKS.recoverSigner(message, signature) !== wallet.address) {
          count('EIP-191 refused');
          continue;
        }
        count('EIP-191 accepted');
        const second = await recoverMessageAddress({ message: { raw: message }, signature });
        expect(second.toLowerCase(), text).toBe(wallet.address);
        expect(isOtherSpelling(text.slice(2), signed), text).toBe(true);
      }
    }
  });

  it('accepts no mutated Ed25519 signature', () => {
    rule('security.altered-signature');
    const random = new Random(SEED + 1);
    for (let run = 0; run < RUNS;) {
      const owner = createAltChainKey(hexToBytes(random.hex(32)));
      const message = hexToBytes(random.hex(random.integer(1, 200)));
      const signed = owner.sign(message);
      for (let k = 0; k < RUNS_PER_KEY && run < RUNS; k++, run++) {
        const changesKey = random.chance(0.2);
        const key = changesKey ? parseAltKey(mutateText(random, owner.key, BASE58)) : owner.key;
        const text = changesKey ? signed : mutateEd25519(random, signed);
        const signature = parseEd25519Signature(text);
        const isChanged = key !== owner.key || text !== signed;
        if (!isChanged || key === undefined || signature === undefined) {
          count('Ed25519 refused');
        } else if (NATIVE_CHECKS.isSignedBy(key, message, signature)) {
          count('Ed25519 accepted');
          expect(ed25519.verify(ed25519SignatureBytes(signature), message, altKeyBytes(key)), text).toBe(true);
        } else {
          count('Ed25519 refused');
        }
      }
    }
    // Under the strict rule, no other signature of the same message by the same key exists.
    expect(counts.get('Ed25519 accepted')).toBeUndefined();
  });
});

/** Returns whether a text is another spelling of the same signature: the other half of s, or letters in another case. */
function isOtherSpelling(text: string, signed: string): boolean {
  const [lower, original] = [text.toLowerCase(), signed.toLowerCase()];
  const sum = BigInt(`0x${lower.slice(64, 128)}`) + BigInt(`0x${original.slice(64, 128)}`);
  return lower === original || (lower.slice(0, 64) === original.slice(0, 64) && sum === SECP256K1_ORDER);
}

function mutateRecoverable(random: Random, signed: string): string {
  const [r, s, v] = [signed.slice(0, 64), signed.slice(64, 128), signed.slice(128)];
  const other = v === '1b' ? '1c' : '1b';
  const spell = (scalar: bigint) => (scalar & (2n ** 256n - 1n)).toString(16).padStart(64, '0');
  const number = (text: string) => BigInt(`0x${text}`);
  switch (random.integer(0, 9)) {
    case 0:
      return r + spell(SECP256K1_ORDER - number(s)) + other;
    case 1:
      return r + spell(SECP256K1_ORDER - number(s)) + v;
    case 2:
      return r + s + random.hex(1);
    case 3:
      return spell(number(r) + SECP256K1_ORDER) + s + v;
    case 4:
      return r + spell(number(s) + SECP256K1_ORDER) + v;
    case 5:
      return s + r + v;
    case 6:
      return random.pick([spell(0n), spell(1n), spell(SECP256K1_ORDER), spell(-1n)]) + s + v;
    case 7:
      return mutateText(random, signed, HEX);
    case 8:
      return signed.toUpperCase();
    default:
      return flipBit(random, hexToBytes(signed));
  }
}

function flipBit(random: Random, bytes: Uint8Array): string {
  const copy = Buffer.from(bytes);
  copy[random.integer(0, copy.length - 1)]! ^= 1 << random.integer(0, 7);
  return copy.toString('hex');
}

function mutateEd25519(random: Random, signed: string): string {
  if (random.chance(0.5)) return mutateText(random, signed, BASE58);
  const bytes = Buffer.from(ed25519SignatureBytes(parseEd25519Signature(signed)!));
  switch (random.integer(0, 2)) {
    case 0: {
      const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + EDWARDS_ORDER;
      Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32);
      break;
    }
    case 1:
      bytes[31]! ^= 0x80; // the sign of R
      break;
    default:
      bytes[random.integer(0, 63)]! ^= 1 << random.integer(0, 7);
  }
  return formatEd25519(bytes);
}

/** Replaces, removes, inserts, doubles or appends one character. */
function mutateText(random: Random, text: string, alphabet: string): string {
  const at = random.integer(0, text.length - 1);
  const other = random.pick(Array.from(alphabet));
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  switch (random.integer(0, 4)) {
    case 0:
      return before + after;
    case 1:
      return before + other + text[at]! + after;
    case 2:
      return before + text[at]! + text[at]! + after;
    case 3:
      return random.chance(0.5) ? text + other : other + text;
    default:
      return before + other + after;
  }
}
