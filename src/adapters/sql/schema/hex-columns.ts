/** Column encoding of hex strings such as addresses: the bytes without the prefix `0x`. */

export function hexToColumn(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

export function columnToHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
