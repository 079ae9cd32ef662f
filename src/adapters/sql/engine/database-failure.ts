/** Conversion of driver errors to `StoreUnavailable` for the caller and a short code for the log; never the driver's text. */
import { Fault } from '../../../domain/faults.ts';

/** Receives the SQLSTATE, the SQLite result code or the system's error code; `UNKNOWN` for any other error. */
export type ReportFailure = (code: string) => void;

/** Codes of common failures, which metrics count from 0 so that the first one is visible. */
export const COMMON_FAILURES = {
  sqlite: ['SQLITE_BUSY', 'SQLITE_CANTOPEN', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'UNKNOWN'],
  postgres: [
    ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'UNKNOWN'],
    // Connection lost, administrator's stop, starting up, timeout, disk full, too many connections, read-only, password.
    ...['08006', '57P01', '57P03', '57014', '53100', '53300', '25006', '28P01'],
  ],
} as const;

/** Fixed texts of the driver's errors that have no code. */
const CODES_BY_TEXT = new Map([
  ['The server does not support SSL connections', 'TLS_UNSUPPORTED'],
  ['Query read timeout', 'ETIMEDOUT'],
]);

/** A connection that the server has closed: seen at a write, where a read sees a reset. */
const SYNONYMS = new Map([['EPIPE', 'ECONNRESET']]);

const CODE = /^[0-9A-Z_]{3,40}$/;

/** Reports the code of an error and returns the fault to throw. */
export function toStoreUnavailable(error: unknown, report: ReportFailure): Fault<'StoreUnavailable'> {
  report(nameFailure(error));
  return new Fault('StoreUnavailable', {});
}

/** Returns the driver's code if it is well-formed, else `UNKNOWN`. */
export function nameFailure(error: unknown): string {
  const { code = CODES_BY_TEXT.get(String((error as Partial<Error> | undefined)?.message)) } = (error ?? {}) as {
    readonly code?: unknown;
  };
  return typeof code === 'string' && CODE.test(code) ? (SYNONYMS.get(code) ?? code) : 'UNKNOWN';
}
