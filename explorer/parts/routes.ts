/** Routes of the pages, and the resolution of a search text to a path. */
import { DID_PREFIX } from './namespace.ts';

export type Route =
  | { readonly kind: 'home' }
  | { readonly kind: 'machine'; readonly id: string }
  | { readonly kind: 'operator'; readonly address: string }
  | { readonly kind: 'wallet'; readonly address: string }
  | { readonly kind: 'system' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'unknown' };

const MACHINE_ID = /^[1-9][0-9]{0,77}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export function parseRoute(path: string): Route {
  const [root, view, ...rest] = path.split('/').slice(1).map(decode);
  const value = rest[0];
  if (root === '' && view === undefined) return { kind: 'home' };
  if (root === 'docs' && view === undefined) return { kind: 'reference' };
  if (root !== 'explorer' || rest.length > 1) return { kind: 'unknown' };
  if (view === 'system' && value === undefined) return { kind: 'system' };
  if (value === undefined) return { kind: 'unknown' };
  if (view === 'machine') return { kind: 'machine', id: value };
  if (view === 'operator') return { kind: 'operator', address: value };
  if (view === 'wallet') return { kind: 'wallet', address: value };
  return { kind: 'unknown' };
}

/** Returns the path for a search text; undefined if the text is no id, DID or address. */
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
