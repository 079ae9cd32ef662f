/** EIP-55 checksum of an address, implemented a second time. */
import { keccakOf } from '../chain/keccak.ts';

const known = new Map<string, string>();

export function checksum(account: string): string {
  let spelled = known.get(account);
  if (spelled === undefined) known.set(account, (spelled = spell(account.slice(2))));
  return spelled;
}

function spell(digits: string): string {
  const hash = keccakOf(digits);
  return `0x${Array.from(digits, (digit, i) => (Number(`0x${hash[i]}`) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
