/** Input files of a provider: challenge, leaf certificate and evidence document; `-` is standard input. */
import { readFile } from 'node:fs/promises';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import type { ChipLeaf } from '../../src/domain/evidence/evidence-building.ts';
import { CommandFailed } from '../exit-codes.ts';

const STANDARD_INPUT = '-';
const P256_POINT_BYTES = 65;

/** Reads a file or standard input. Throws `CommandFailed`. */
export async function readInput(path: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return path === STANDARD_INPUT ? Buffer.concat(await process.stdin.toArray()) : await readFile(path);
  } catch {
    throw new CommandFailed('usage', `${path}: cannot be read`);
  }
}

/** Parses a file as JSON; returns undefined when it is not JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = (await readInput(path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a certificate in PEM or DER, recognized by its content. Throws `CommandFailed`. */
export async function readLeaf(path: string): Promise<ChipLeaf> {
  const der = parseCertificateFile(await readInput(path));
  const publicKey = der && parseCertificate(der)?.publicKey.key.bytes;
  if (der !== undefined && publicKey?.length === P256_POINT_BYTES) return { der, publicKey };
  throw new CommandFailed('usage', '--leaf: not a certificate of a P-256 key');
}
