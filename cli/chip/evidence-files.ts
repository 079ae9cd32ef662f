/** Which challenge, leaf and document does a provider hand over? Files, or standard input as `-`. */
import { readFile } from 'node:fs/promises';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import type { ChipLeaf } from '../../src/domain/evidence/evidence-building.ts';
import { CommandFailed } from '../exit-codes.ts';

const STANDARD_INPUT = '-';
const P256_POINT_BYTES = 65;

/** Throws `CommandFailed`. */
export async function readInput(path: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return path === STANDARD_INPUT ? Buffer.concat(await process.stdin.toArray()) : await readFile(path);
  } catch {
    throw new CommandFailed('usage', `${path}: cannot be read`);
  }
}

/** Undefined: no JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = (await readInput(path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** PEM or DER, told by the content. */
export async function readLeaf(path: string): Promise<ChipLeaf> {
  const der = parseCertificateFile(await readInput(path));
  const publicKey = der && parseCertificate(der)?.publicKey.key.bytes;
  if (der !== undefined && publicKey?.length === P256_POINT_BYTES) return { der, publicKey };
  throw new CommandFailed('usage', '--leaf: is no certificate of a key on P-256');
}
