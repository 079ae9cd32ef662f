/** Routes of the pages, and the resolution of a search text to a path. */
import { explorerUrl, type ChainName } from './chains.ts';
import { isMachineId } from './machine-id.ts';
import { DID_PREFIX } from './namespace.ts';

export type Route =
  | { readonly kind: 'home' }
  | { readonly kind: 'machine'; readonly id: string }
  | { readonly kind: 'operator'; readonly address: string }
  | { readonly kind: 'wallet'; readonly address: string }
  | { readonly kind: 'machines' }
  | { readonly kind: 'compare' }
  | { readonly kind: 'watchlist' }
  | { readonly kind: 'methodology' }
  | { readonly kind: 'system' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'unknown' };

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export function parseRoute(path: string): Route {
  const [root, view, ...rest] = path.split('/').slice(1).map(decode);
  const value = rest[0];
  if (root === '' && view === undefined) return { kind: 'home' };
  if (root === 'docs' && view === undefined) return { kind: 'reference' };
  if (root === 'methodology' && view === undefined) return { kind: 'methodology' };
  if (root !== 'explorer' || rest.length > 1) return { kind: 'unknown' };
  if (isList(view) && value === undefined) return { kind: view };
  if (value === undefined) return { kind: 'unknown' };
  if (view === 'machine') return { kind: 'machine', id: value };
  if (view === 'operator') return { kind: 'operator', address: value };
  if (view === 'wallet') return { kind: 'wallet', address: value };
  return { kind: 'unknown' };
}

const LISTS = ['machines', 'system', 'compare', 'watchlist'] as const;

function isList(view: string | undefined): view is (typeof LISTS)[number] {
  return (LISTS as readonly (string | undefined)[]).includes(view);
}

const TRANSACTION = /^0x[0-9a-f]{64}$/;
/** Base58 of the 64 bytes of a transaction's first signature, which names it on the alt chain. */
const ALT_TRANSACTION = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** Token page of a block explorer; `a` is the id of the token, or the address of a holder. */
const TOKEN_PAGE = /(?:^|\/)token\/0x[0-9a-f]{40}\/?\?(?:[^#]*&)?a=([^&#]+)/i;
const SHORTENED = /^#?(\d{2,})(?:…|\.{2,})(\d{2,})$/;
/** Nested URLs of one search text. */
const MAX_UNWRAPPED = 3;

/**
 * Returns the address of a page for a search text: an id, a DID or an address in any letter case, the URL of a page, a transaction of
 * either chain, the token page of a block explorer, or a shortened id of one of the known machines. Undefined if the text is none of these.
 */
export function findPath(search: string, known: readonly string[] = [], depth = 0): string | undefined {
  const text = search.trim();
  const token = TOKEN_PAGE.exec(text)?.[1];
  if (token !== undefined) return isMachineId(token) || isAddress(token) ? findPath(token) : undefined;
  if (/^https?:\/\//i.test(text)) return depth < MAX_UNWRAPPED ? findInUrl(text, known, depth) : undefined;
  const hasPrefix = text.slice(0, DID_PREFIX.length).toLowerCase() === DID_PREFIX.toLowerCase();
  const bare = hasPrefix ? text.slice(DID_PREFIX.length) : text.replace(/^#/, '');
  const hex = bare.replace(/^0X/, '0x');
  if (isMachineId(bare)) return machinePath(bare);
  if (ADDRESS.test(hex)) return operatorPath(hex);
  if (TRANSACTION.test(hex.toLowerCase())) return explorerUrl('main', 'tx', hex.toLowerCase());
  if (isWallet(text)) return walletPath(text);
  if (ALT_TRANSACTION.test(text)) return explorerUrl('alt', 'tx', text);
  return findShortened(text, known);
}

/** Returns the chain whose transactions look like the search text, or like the last part of its address; undefined if it is none. */
export function findTransactionChain(search: string): ChainName | undefined {
  const last = search
    .trim()
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1)!;
  if (TRANSACTION.test(last.toLowerCase())) return 'main';
  return ALT_TRANSACTION.test(last) ? 'alt' : undefined;
}

/** Reads a page of any deployment of this service, or the last part of another URL. */
function findInUrl(text: string, known: readonly string[], depth: number): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { pathname, search } = new URL(text);
  const at = pathname.indexOf('/explorer/');
  const page = at < 0 ? pathname : pathname.slice(at);
  const { kind } = parseRoute(page);
  if (isList(kind)) return page + search;
  const last = decode(pathname.split('/').findLast((part) => part !== '') ?? '');
  return findPath(last, known, depth + 1);
}

/** Returns undefined unless exactly one known machine fits. */
function findShortened(text: string, known: readonly string[]): string | undefined {
  const [, start, end] = SHORTENED.exec(text) ?? [];
  if (start === undefined || end === undefined) return undefined;
  const ids = [...new Set(known)].filter((id) => id.startsWith(start) && id.endsWith(end));
  return ids.length === 1 ? machinePath(ids[0]!) : undefined;
}

export function machinePath(id: string): string {
  return `/explorer/machine/${encodeSegment(id)}`;
}

export function operatorPath(address: string): string {
  return `/explorer/operator/${encodeSegment(address)}`;
}

export function walletPath(wallet: string): string {
  return `/explorer/wallet/${encodeSegment(wallet)}`;
}

/** Encodes any text: half of a surrogate pair, which no account has, is replaced. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function directoryPath(): string {
  return '/explorer/machines';
}

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

export function isWallet(text: string): boolean {
  return WALLET.test(text);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
