/**
 * Who signs as the chip? A key in a file (a software chip), or any command that reads the 32 bytes of the prehash and writes a signature: how a
 * chip behind PKCS #11, a serial line or a remote signer is reached (evidence 6.2).
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { findChipSignature } from '../../src/domain/evidence/chip-signature.ts';
import { signAsChip } from '../../src/domain/evidence/software-chip.ts';
import { CommandFailed } from '../exit-codes.ts';

/** r and s with low s, of the prehash. Throws `CommandFailed`. `publicKey`: the leaf's, 65 bytes. */
export type ChipSigner = (prehash: Uint8Array, publicKey: Uint8Array) => Promise<Uint8Array>;

const COMMAND_MILLISECONDS = 60_000;
/** The longest form is a SEQUENCE of 72 bytes. */
const MAX_ANSWER_BYTES = 256;

/** Throws `CommandFailed` unless exactly one is given. */
export async function openChipSigner(keyFile: string | undefined, command: string | undefined): Promise<ChipSigner> {
  if ((keyFile === undefined) === (command === undefined)) {
    throw new CommandFailed('usage', 'give --chip-key PATH or --chip-command COMMAND');
  }
  if (command !== undefined)
    return async (prehash, publicKey) => judge(await runSigner(command, prehash), publicKey, prehash);
  const secret = await readSecret(keyFile!);
  return async (prehash) => signAsChip(secret, prehash);
}

function judge(answer: Uint8Array, publicKey: Uint8Array, prehash: Uint8Array): Uint8Array {
  const rs = findChipSignature(answer, publicKey, prehash);
  if (rs !== undefined) return rs;
  throw new CommandFailed(
    'verificationFailed',
    '--chip-command: its answer is no signature of the prehash by the key of the leaf',
  );
}

async function readSecret(file: string): Promise<Uint8Array> {
  const key = await readKey(file);
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
    return Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
  }
  throw new CommandFailed('usage', '--chip-key: is no key on P-256');
}

async function readKey(file: string): Promise<KeyObject> {
  try {
    return createPrivateKey(await readFile(file));
  } catch {
    throw new CommandFailed('usage', '--chip-key: is no readable private key in PEM');
  }
}

/** The command is run by the shell, as the person typed it; what it says on standard error is shown. */
async function runSigner(command: string, prehash: Uint8Array): Promise<Uint8Array> {
  const signer = spawn(command, {
    shell: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: COMMAND_MILLISECONDS,
  });
  signer.stdin.on('error', () => undefined); // it may end without reading
  signer.stdin.end(prehash);
  const ended = once(signer, 'close') as Promise<[number | null]>;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of signer.stdout as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) signer.kill();
    else chunks.push(chunk);
  }
  const [code] = await ended;
  if (code === 0) return Buffer.concat(chunks);
  throw new CommandFailed('refused', `--chip-command: ended with ${code ?? 'a signal'}, and without a signature`);
}
