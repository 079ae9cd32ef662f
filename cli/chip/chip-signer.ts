/**
 * Signer of the chip: a key file (software chip), or any command that reads the 32 bytes of the prehash and writes a signature, for a chip
 * behind PKCS #11, a serial line or a remote signer (evidence 6.2).
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { findChipSignature } from '../../src/domain/evidence/chip-signature.ts';
import { signAsChip } from '../../src/domain/evidence/software-chip.ts';
import { CommandFailed } from '../exit-codes.ts';

/** Signs the prehash; returns r and s with low s. `publicKey` is the leaf's, 65 bytes. Throws `CommandFailed`. */
export type ChipSigner = (prehash: Uint8Array, publicKey: Uint8Array) => Promise<Uint8Array>;

const COMMAND_MILLISECONDS = 60_000;
/** The longest encoding is a SEQUENCE of 72 bytes. */
const MAX_OUTPUT_BYTES = 256;

/** Opens the signer. Throws `CommandFailed` unless exactly one of the two is given. */
export async function openChipSigner(keyFile: string | undefined, command: string | undefined): Promise<ChipSigner> {
  if ((keyFile === undefined) === (command === undefined)) {
    throw new CommandFailed('usage', 'pass either --chip-key PATH or --chip-command COMMAND');
  }
  if (command !== undefined)
    return async (prehash, publicKey) => requireSignature(await runSigner(command, prehash), publicKey, prehash);
  const secret = await readSecret(keyFile!);
  return (prehash) => Promise.resolve(signAsChip(secret, prehash));
}

function requireSignature(output: Uint8Array, publicKey: Uint8Array, prehash: Uint8Array): Uint8Array {
  const rs = findChipSignature(output, publicKey, prehash);
  if (rs !== undefined) return rs;
  throw new CommandFailed(
    'verificationFailed',
    '--chip-command: the output is not a signature of the prehash by the key of the leaf',
  );
}

async function readSecret(file: string): Promise<Uint8Array> {
  const key = await readKey(file);
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
    return Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
  }
  throw new CommandFailed('usage', '--chip-key: not a P-256 key');
}

async function readKey(file: string): Promise<KeyObject> {
  try {
    return createPrivateKey(await readFile(file));
  } catch {
    throw new CommandFailed('usage', '--chip-key: not a readable private key in PEM');
  }
}

/** Runs the command in the shell and passes its standard error through. */
async function runSigner(command: string, prehash: Uint8Array): Promise<Uint8Array> {
  const signer = spawn(command, {
    shell: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: COMMAND_MILLISECONDS,
  });
  signer.stdin.on('error', () => undefined); // it may exit without reading
  signer.stdin.end(prehash);
  const closed = once(signer, 'close') as Promise<[number | null]>;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of signer.stdout as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_OUTPUT_BYTES) signer.kill();
    else chunks.push(chunk);
  }
  const [code] = await closed;
  if (code === 0) return Buffer.concat(chunks);
  throw new CommandFailed('refused', `--chip-command: exited with ${code ?? 'a signal'}, without a signature`);
}
