/**
 * Validation of signature lists from `getSignaturesForAddress` and `getBlock` (chain-svm 6).
 * A page alone proves order, uniqueness, types and finality, but not completeness.
 */
import { parseBase58Exactly } from '../../../domain/identifiers/base58.ts';
import type { SignatureRow } from '../../../ports/alt-chain.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectCount, expectObject, expectOptional, expectText } from '../rpc/json-shape.ts';
import { mapInTicks } from '../../rpc/map-in-ticks.ts';

/** Page size of the node; a full page is never the last one. */
export const MAX_SIGNATURES = 1_000;

const SIGNATURE_BYTES = 64;
/** Signatures decoded per tick: about 4 ms. */
const SIGNATURES_PER_TICK = 1_000;

/** Reads one page. Throws `Undecodable`. */
export function readSignatureRows(result: unknown, before: string | undefined): readonly SignatureRow[] {
  const list = expectArray(result);
  if (list.length > MAX_SIGNATURES) throw new Undecodable();
  const rows = list.map(readRow);
  rejectDuplicates(rows.map(({ signature }) => signature));
  const isOrdered = rows.every((row, k) => k === 0 || row.slot <= rows[k - 1]!.slot);
  if (!isOrdered || rows.some(({ signature }) => signature === before)) throw new Undecodable();
  return rows;
}

/** Reads the signatures of a block, in the order of its transactions. Rejects with `Undecodable`. */
export async function readBlockSignatures(result: unknown): Promise<readonly string[]> {
  const list = expectArray(expectObject(result)['signatures']);
  const signatures = await mapInTicks(list, SIGNATURES_PER_TICK, expectSignature);
  rejectDuplicates(signatures);
  return signatures;
}

function readRow(value: unknown): SignatureRow {
  const { signature, slot, blockTime, err, confirmationStatus } = expectObject(value);
  if (err === undefined) throw new Undecodable();
  // Old nodes omit the status; if present, it must be the requested one.
  if ((expectOptional(confirmationStatus, expectText) ?? 'finalized') !== 'finalized') throw new Undecodable();
  return {
    signature: expectSignature(signature),
    slot: expectCount(slot),
    blockTime: expectOptional(blockTime, expectCount),
    hasFailed: err !== null,
  };
}

function expectSignature(value: unknown): string {
  const text = expectText(value);
  if (parseBase58Exactly(text, SIGNATURE_BYTES) === undefined) throw new Undecodable();
  return text;
}

function rejectDuplicates(signatures: readonly string[]): void {
  if (new Set(signatures).size !== signatures.length) throw new Undecodable();
}
