/** A log that keeps its lines, for tests. */
import type { Log } from '../../src/ports/runtime.ts';

export interface KeptLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export function createKeptLog(): Log & { readonly lines: KeptLine[] } {
  const lines: KeptLine[] = [];
  const keep = (level: KeptLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') };
}
