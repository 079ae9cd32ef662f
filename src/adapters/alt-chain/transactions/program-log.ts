/**
 * Extraction of the data that one program logged in a transaction (chain-svm 6, step 4).
 * A program can log any text, line breaks included, but only after `Program log: `. Entries are therefore matched whole, and data
 * belongs to the program of the innermost open frame.
 */
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { mapInTicks } from '../../rpc/map-in-ticks.ts';
import { parseBase64 } from '../rpc/base64.ts';
import { Undecodable } from '../accounts/byte-reader.ts';

const INVOKE = /^Program (\w{32,44}) invoke \[(\d{1,3})\]$/;
const SUCCESS = /^Program (\w{32,44}) success$/;
const FAILURE = /^Program (\w{32,44}) failed.*$/s;
const DATA = /^Program data: (\S+)$/;
const TRUNCATION = 'Log truncated';
/** Entries read per tick; validators store at most 10,000 bytes of a log. */
const ENTRIES_PER_TICK = 500;

interface Frame {
  readonly program: AltKey;
  /** Number of payloads when the frame opened; the payloads of a failed frame are dropped. */
  readonly payloadsBefore: number;
}

/** Returns whether the node truncated the log; any entry may then be missing. */
export function isTruncatedLog(entries: readonly string[]): boolean {
  return entries.includes(TRUNCATION);
}

/** Lists the payloads that `program` logged in successful frames, in order. Rejects with `Undecodable` when frames are unbalanced. */
export async function listProgramData(entries: readonly string[], program: AltKey): Promise<Uint8Array[]> {
  const frames: Frame[] = [];
  const payloads: Uint8Array[] = [];
  await mapInTicks(entries, ENTRIES_PER_TICK, (entry) => {
    const [, invoked, depth] = INVOKE.exec(entry) ?? [];
    const [, succeeded] = SUCCESS.exec(entry) ?? [];
    const [, failed] = FAILURE.exec(entry) ?? [];
    const [, text] = DATA.exec(entry) ?? [];
    if (invoked !== undefined) {
      if (Number(depth) !== frames.length + 1) throw new Undecodable();
      frames.push({ program: parseProgram(invoked), payloadsBefore: payloads.length });
    } else if (succeeded !== undefined) {
      popFrame(frames, succeeded);
    } else if (failed !== undefined) {
      payloads.length = popFrame(frames, failed).payloadsBefore;
    } else if (text !== undefined && frames.at(-1)?.program === program) {
      const payload = parseBase64(text);
      if (payload !== undefined) payloads.push(payload);
    }
  });
  if (frames.length > 0) throw new Undecodable();
  return payloads;
}

function parseProgram(text: string): AltKey {
  const key = parseAltKey(text);
  if (key === undefined) throw new Undecodable();
  return key;
}

function popFrame(frames: Frame[], program: string): Frame {
  const frame = frames.pop();
  if (frame?.program !== program) throw new Undecodable();
  return frame;
}
