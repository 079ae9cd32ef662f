/**
 * Which data did one program log in a transaction? (chain-svm 6, step 4.)
 * A program can write any text into the log, line breaks included, but only behind `Program log: `. So an entry counts only as
 * a whole, and data belongs to the program whose frame is the innermost open one.
 */
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { parseBase64 } from '../rpc/base64.ts';
import { Undecodable } from '../accounts/byte-reader.ts';

const INVOKE = /^Program (\w{32,44}) invoke \[(\d{1,3})\]$/;
const SUCCESS = /^Program (\w{32,44}) success$/;
const FAILURE = /^Program (\w{32,44}) failed.*$/s;
const DATA = /^Program data: (\S+)$/;
const TRUNCATION = 'Log truncated';

interface Frame {
  readonly program: AltKey;
  /** How many payloads there were when it opened: those of a frame that fails fall. */
  readonly payloadsBefore: number;
}

/** Tells whether the node cut the log: whatever it lacks, it may lack anything. */
export function isTruncatedLog(entries: readonly string[]): boolean {
  return entries.includes(TRUNCATION);
}

/** Payloads that `program` logged itself in frames that did not fail, in order. Throws `Undecodable` when the frames do not close. */
export function listProgramData(entries: readonly string[], program: AltKey): Uint8Array[] {
  const frames: Frame[] = [];
  const payloads: Uint8Array[] = [];
  for (const entry of entries) {
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
  }
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
