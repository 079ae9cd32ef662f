/**
 * Is there an account, and is it what it should be? The checks of chain-svm 5, in their order; the first that fails decides.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import { ByteReader, decodable } from './byte-reader.ts';
import type { RawAccount } from '../rpc/rpc-account.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

/** Form of one type of account. `Subject`: what the account says it belongs to, a machine's word or a wallet. */
export interface AccountLayout<T, Subject extends bigint | AltKey | undefined> {
  /** 16 hex digits. */
  readonly discriminator: string;
  /** Judged before any value is read. */
  readonly allowsLength: (bytes: number) => boolean;
  /** Some accounts are longer than their content; what follows it is then nothing. */
  readonly hasTail?: true;
  /** Reads what follows the discriminator. Throws `Undecodable`. */
  readonly read: (reader: ByteReader) => { readonly subject: Subject; readonly value: T };
}

/** Who should own the account, and whose it should be. */
export interface ExpectedAccount<Subject> {
  readonly program: AltKey;
  readonly subject: Subject;
}

const DISCRIMINATOR_BYTES = 8;

export function judgeAccount<T, Subject extends bigint | AltKey | undefined>(
  reading: ReadResult<RawAccount>,
  layout: AccountLayout<T, Subject>,
  expected: ExpectedAccount<Subject>,
): ReadResult<T> {
  if (reading.state !== 'present') return reading;
  const { owner, executable, data } = reading.value;
  if (owner === SYSTEM_PROGRAM && data.length === 0) return { state: 'absent' }; // anyone can send lamports to an address
  const isOfType =
    !executable &&
    owner === expected.program &&
    data.length >= DISCRIMINATOR_BYTES &&
    bytesToHex(data.subarray(0, DISCRIMINATOR_BYTES)) === layout.discriminator &&
    layout.allowsLength(data.length);
  const content = isOfType ? decodable(() => readContent(data, layout)) : undefined;
  if (content === undefined) return { state: 'unreadable', cause: 'undecodable' };
  if (content.subject !== expected.subject) return { state: 'unreadable', cause: 'contradiction' };
  return { state: 'present', value: content.value };
}

function readContent<T, Subject extends bigint | AltKey | undefined>(
  data: Uint8Array,
  layout: AccountLayout<T, Subject>,
): { readonly subject: Subject; readonly value: T } {
  const reader = new ByteReader(data.subarray(DISCRIMINATOR_BYTES));
  const content = layout.read(reader);
  if (!layout.hasTail) reader.finish();
  return content;
}
