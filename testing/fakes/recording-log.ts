/** Log that records its lines. */
import type { Log } from '../../src/ports/runtime.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export function createRecordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') };
}
