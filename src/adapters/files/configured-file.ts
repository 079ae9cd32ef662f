/** Files that the configuration names. */
import { readFile } from 'node:fs/promises';
import { explainUnreadableFile } from '../../domain/unreadable-file.ts';

export type FileReading =
  | { readonly bytes: Buffer; readonly problem?: never }
  /** The end of a problem, such as `cannot be read: it does not exist`. */
  | { readonly problem: string; readonly bytes?: never };

/** Reads the file, or returns why it cannot be read. */
export async function readConfiguredFile(path: string): Promise<FileReading> {
  try {
    return { bytes: await readFile(path) };
  } catch (error) {
    return { problem: explainUnreadableFile(error) };
  }
}
