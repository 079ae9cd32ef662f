/** What does the doctor say? One line for each thing looked at: how it is, and what to do when it is not well. */
import { styleText } from 'node:util';

export interface Finding {
  /** `unreachable`: it did not answer, so nothing is known of it; shown like a failure. */
  readonly state: 'ok' | 'warn' | 'fail' | 'unreachable';
  /** What was looked at: a variable's name or a few words. */
  readonly subject: string;
  readonly text: string;
  readonly remedy?: string;
}

export function ok(subject: string, text: string): Finding {
  return { state: 'ok', subject, text };
}

export function warn(subject: string, text: string, remedy: string): Finding {
  return { state: 'warn', subject, text, remedy };
}

export function fail(subject: string, text: string, remedy: string): Finding {
  return { state: 'fail', subject, text, remedy };
}

export function unreachable(subject: string, text: string, remedy: string): Finding {
  return { state: 'unreachable', subject, text, remedy };
}

/** Takes a line `NAME: what is wrong`, as configuration and adapters write them, apart. */
export function toFinding(state: Finding['state'], problem: string, remedy: string): Finding {
  const [, subject = '', text = problem] = /^([^:]+): (.*)$/s.exec(problem) ?? [];
  return { state, subject, text, remedy };
}

const WORDS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', unreachable: 'FAIL' } as const;
const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', unreachable: 'red' } as const;

export function formatFinding({ state, subject, text, remedy }: Finding): string {
  const word = styleText(COLOURS[state], WORDS[state], { stream: process.stdout });
  return `${word}  ${subject}: ${text}${remedy === undefined ? '' : `; ${remedy}`}`;
}
