/** Strict base64 decoding of node responses. */

/** Decodes canonical base64; undefined for any other spelling, which the platform's decoder would accept. */
export function parseBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}
