/** What bytes does a node's base64 spell? Only the canonical spelling is taken; the decoder of the platform takes far more. */

export function parseBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}
