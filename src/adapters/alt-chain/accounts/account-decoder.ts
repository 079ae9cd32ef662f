/** Account decoding with the checks of chain-svm 5, in their order; the first failed check decides. */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import { ByteReader, decodable } from './byte-reader.ts';
import type { RawAccount } from '../rpc/rpc-account.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

/** Layout of one account type. `Subject` is the owner that the account names: a machine id or a wallet. */
export interface AccountLayout<T, Subject extends bigint | AltKey | undefined> {
  /** 16 hex digits. */
  readonly discriminator: string;
  /** Checked before any value is read. */
  readonly allowsLength: (bytes: number) => boolean;
  /** True if the account is longer than its content; the bytes after it are ignored. */
  readonly hasTail?: true;
  /** Reads the bytes after the discriminator. Throws `Undecodable`. */
  readonly read: (reader: ByteReader) => { readonly subject: Subject; readonly value: T };
}

/** Expected owner program and subject of an account. */
export interface ExpectedAccount<Subject> {
  readonly program: AltKey;
  readonly subject: Subject;
}

const DISCRIMINATOR_BYTES = 8;

/** Decodes an account and checks its owner, discriminator, length and subject. An unallocated account is absent. */
export function decodeAccount<T, Subject extends bigint | AltKey | undefined>(
  reading: ReadResult<RawAccount>,
  layout: AccountLayout<T, Subject>,
  expected: ExpectedAccount<Subject>,
): ReadResult<T> {
  if (reading.state !== 'present') return reading;
  const { owner, executable, data } = reading.value;
  if (owner === SYSTEM_PROGRAM && data.length === 0) return ABSENT; // any wallet can send lamports to an address
  const isOfType =
    !executable &&
    owner === expected.program &&
    data.length >= DISCRIMINATOR_BYTES &&
    bytesToHex(data.subarray(0, DISCRIMINATOR_BYTES)) === layout.discriminator &&
    layout.allowsLength(data.length);
  const content = isOfType ? decodable(() => readContent(data, layout)) : undefined;
  if (content === undefined) return unreadable('undecodable');
  if (content.subject !== expected.subject) return unreadable('contradiction');
  return present(content.value);
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
