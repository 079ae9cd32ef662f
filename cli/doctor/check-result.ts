/** Findings of `svc doctor`: one line per check with its state and, unless it passes, the remedy. */
import { styleText } from 'node:util';

export interface Finding {
  /** `unreachable`: no response, so the state is unknown; shown like a failure. */
  readonly state: 'ok' | 'warn' | 'fail' | 'unreachable';
  /** What was checked: the name of a variable or a few words. */
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

/** Parses a line `NAME: problem`, as configuration and adapters write them. */
export function toFinding(state: Finding['state'], problem: string, remedy: string): Finding {
  const [, subject = '', text = problem] = /^([^:]+): (.*)$/s.exec(problem) ?? [];
  return { state, subject, text, remedy };
}

const LABELS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', unreachable: 'FAIL' } as const;
const COLORS = { ok: 'green', warn: 'yellow', fail: 'red', unreachable: 'red' } as const;

/** Formats a finding as `STATE  SUBJECT: text; remedy`. */
export function formatFinding({ state, subject, text, remedy }: Finding): string {
  const label = styleText(COLORS[state], LABELS[state], { stream: process.stdout });
  return `${label}  ${subject}: ${text}${remedy === undefined ? '' : `; ${remedy}`}`;
}
