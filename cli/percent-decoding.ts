/** Percent-decoding of parts of a URL that a person or a configuration wrote. */

/** Returns the decoded text, or the text itself when it is not valid percent-encoding. */
export function decodeSafely(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
