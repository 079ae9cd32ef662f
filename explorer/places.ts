/** Which path is which view, and which view does a search lead to? */
import { DID_PREFIX } from './namespace.ts';

export type Place =
  | { readonly kind: 'home' }
  | { readonly kind: 'machine'; readonly id: string }
  | { readonly kind: 'operator'; readonly address: string }
  | { readonly kind: 'wallet'; readonly address: string }
  | { readonly kind: 'system' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'nowhere' };

const MACHINE_ID = /^[1-9][0-9]{0,77}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export function toPlace(path: string): Place {
  const [root, word, ...rest] = path.split('/').slice(1).map(decode);
  const value = rest[0];
  if (root === '' && word === undefined) return { kind: 'home' };
  if (root === 'docs' && word === undefined) return { kind: 'reference' };
  if (root !== 'explorer' || rest.length > 1) return { kind: 'nowhere' };
  if (word === 'system' && value === undefined) return { kind: 'system' };
  if (value === undefined) return { kind: 'nowhere' };
  if (word === 'machine') return { kind: 'machine', id: value };
  if (word === 'operator') return { kind: 'operator', address: value };
  if (word === 'wallet') return { kind: 'wallet', address: value };
  return { kind: 'nowhere' };
}

/** The path of what was searched for; undefined: no spelling of anything that can be looked up. */
export function findPath(search: string): string | undefined {
  const text = search.trim();
  const bare = text.startsWith(DID_PREFIX) ? text.slice(DID_PREFIX.length) : text.replace(/^#/, '');
  if (MACHINE_ID.test(bare)) return machinePath(bare);
  if (ADDRESS.test(bare)) return operatorPath(bare);
  if (WALLET.test(text)) return `/explorer/wallet/${text}`;
  return undefined;
}

export function machinePath(id: string): string {
  return `/explorer/machine/${encodeURIComponent(id)}`;
}

export function operatorPath(address: string): string {
  return `/explorer/operator/${encodeURIComponent(address)}`;
}

export function isMachineId(text: string): boolean {
  return MACHINE_ID.test(text);
}

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
