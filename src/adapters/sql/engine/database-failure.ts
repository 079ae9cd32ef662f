/** What is told when the database fails? `StoreUnavailable` to the caller, one short word to whoever watches; never the driver's text. */
import { Fault } from '../../../domain/faults.ts';

/** Is told the SQLSTATE, the SQLite result code or the system's error code; `UNKNOWN` for anything else. */
export type ReportFailure = (code: string) => void;

const CODE = /^[0-9A-Z_]{3,40}$/;

export function toStoreUnavailable(error: unknown, report: ReportFailure): Fault<'StoreUnavailable'> {
  report(nameFailure(error));
  return new Fault('StoreUnavailable', {});
}

/** The driver's code, if it has the form of one. */
export function nameFailure(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && CODE.test(code) ? code : 'UNKNOWN';
}
