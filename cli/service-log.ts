/** Log of a running service, on standard error: JSON lines, or readable text with color on a terminal. */
import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { Config } from '../src/config.ts';
import type { Log } from '../src/ports/runtime.ts';

const STANDARD_ERROR = 2;

export function createServiceLog({ level, format }: Config['log']): Log {
  const stream = format === 'json' ? pino.destination(STANDARD_ERROR) : createPrettyStream();
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    stream,
  );
}

function createPrettyStream() {
  const colorize = process.stderr.isTTY;
  return PinoPretty({
    destination: STANDARD_ERROR,
    sync: true,
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
}
