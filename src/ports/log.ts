/** Where do operators read what happened? One structured line per fact; fields are numbers and fixed words, never secrets or an SDK's text. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
