/** Parsers of variable values. Each accepts one form and describes its rule without repeating the text. */
import { isIP } from 'node:net';
import { parseAltKey, type AltKey } from '../domain/identifiers/alt-identifiers.ts';
import { parseAddress, ZERO_ADDRESS, type Address } from '../domain/identifiers/identifiers.ts';

export interface ValueParser<T> {
  /** Completes "NAME: must be …". */
  readonly rule: string;
  /** Never throws; returns undefined for an invalid text. */
  parse(text: string): T | undefined;
}

/** Location of the shared database. */
export type DatabaseSetting =
  { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: string };

export const ADDRESS_VALUE: ValueParser<Address> = {
  rule: 'an address other than zero: 0x and 40 hex digits',
  parse(text) {
    const address = parseAddress(text);
    return address === ZERO_ADDRESS ? undefined : address;
  },
};

/** Program of the alt chain, or other 32 bytes in base58. */
export const ALT_KEY_VALUE: ValueParser<AltKey> = { rule: 'base58 of 32 bytes', parse: parseAltKey };

export const HTTP_URL: ValueParser<string> = urlWith(['http:', 'https:']);
export const REDIS_URL: ValueParser<string> = urlWith(['redis:', 'rediss:']);

/** Base of links: nothing may follow the path, and a trailing slash is removed. */
export const BASE_URL: ValueParser<string> = {
  rule: 'an http or https URL without user, query and fragment',
  parse(text) {
    if (HTTP_URL.parse(text) === undefined || /[?#]/.test(text)) return undefined;
    const { username, password } = new URL(text);
    return username === '' && password === '' ? text.replace(/\/+$/, '') : undefined;
  },
};

/** Base of links to a block explorer; a query, such as the cluster, is part of every link. */
export const BLOCK_EXPLORER_URL: ValueParser<string> = {
  rule: 'an http or https URL without user and fragment',
  parse(text) {
    if (HTTP_URL.parse(text) === undefined || text.includes('#')) return undefined;
    const { username, password } = new URL(text);
    return username === '' && password === '' ? text : undefined;
  },
};

export const DATABASE: ValueParser<DatabaseSetting> = {
  rule: 'sqlite:PATH or a postgres:// URL',
  parse(text) {
    const path = /^sqlite:(?:\/\/)?(.+)$/s.exec(text)?.[1];
    if (path !== undefined) return { kind: 'sqlite', path };
    // The host may be missing: a socket folder may be given in the query.
    const isPostgres = /^postgres(ql)?:\/\/[^\s]+$/.test(text) && URL.canParse(text);
    return isPostgres ? { kind: 'postgres', url: text } : undefined;
  },
};

/** URL of a server; the database is checked when it is opened. */
export const POSTGRES_URL: ValueParser<string> = {
  rule: 'a postgres:// URL',
  parse(text) {
    const database = DATABASE.parse(text);
    return database?.kind === 'postgres' ? database.url : undefined;
  },
};

/** Distinguished by the scheme. */
export const FILE_OR_URL: ValueParser<string> = {
  rule: 'a file, or an http or https URL',
  parse: (text) => (/^https?:/i.test(text) ? HTTP_URL.parse(text) : text),
};

/** Existence is checked when the file is opened. */
export const FILE: ValueParser<string> = { rule: 'the path of a file', parse: (text) => text };

export const HOST: ValueParser<string> = {
  rule: 'a host name or an IP address',
  parse: (text) => (isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text) ? text : undefined),
};

/** The least that head follower and reads can share. */
export const CALLS_PER_SECOND = wholeNumber(2, 100_000);
export const CALLS_PER_DAY = wholeNumber(1_000, 10_000_000_000);

export const PORT = wholeNumber(0, 65_535);

/** IP address or network. */
export const ADDRESS_RANGE: ValueParser<string> = {
  rule: 'IP addresses or networks in CIDR notation, separated by commas',
  parse(text) {
    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || address.includes('%') || rest.length > 0) return undefined;
    return bits === undefined || wholeNumber(0, family === 4 ? 32 : 128).parse(bits) !== undefined ? text : undefined;
  },
};

/** As printed by OpenSSL, or without the colons. */
export const SHA256: ValueParser<string> = {
  rule: 'a SHA-256 of 64 hex digits',
  parse(text) {
    const digits = text.replaceAll(':', '').toLowerCase();
    return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined;
  },
};

export const BEARER_TOKEN: ValueParser<string> = {
  rule: 'tokens of 1 to 512 visible ASCII characters, separated by commas',
  parse: (text) => (/^[\x21-\x7e]{1,512}$/.test(text) ? text : undefined),
};

/** Headers as defined by OpenTelemetry: `name=value` with a percent-encoded value. */
export const TRACE_HEADERS: ValueParser<Readonly<Record<string, string>>> = {
  rule: 'name=value pairs of headers, separated by commas, their values percent-encoded',
  parse(text) {
    const pairs = text.split(',').map((pair) => /^\s*([A-Za-z0-9-]+)=([!-+\--~]*)\s*$/.exec(pair));
    if (pairs.some((pair) => pair === null || !isDecodable(pair[2]!))) return undefined;
    const entries = pairs.map((pair) => [pair![1]!.toLowerCase(), decodeURIComponent(pair![2]!)] as const);
    return entries.every(([, value]) => /^[ -~]*$/.test(value)) ? Object.fromEntries(entries) : undefined;
  },
};

export const SERVICE_NAME: ValueParser<string> = {
  rule: '1 to 128 letters, digits, dots, dashes and underscores',
  parse: (text) => (/^[A-Za-z0-9._-]{1,128}$/.test(text) ? text : undefined),
};

/** Decimal fraction. */
export const RATIO: ValueParser<number> = {
  rule: 'a number from 0 to 1',
  parse: (text) => (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
};

export const BOOLEAN: ValueParser<boolean> = {
  rule: '"true" or "false"',
  parse: (text) => ({ true: true, false: false })[text],
};

/** Accepts decimal digits only. */
export function wholeNumber(from: number, to: number): ValueParser<number> {
  return {
    rule: `a whole number from ${from} to ${to}`,
    parse(text) {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
      return value >= from && value <= to ? value : undefined;
    },
  };
}

export function oneOf<const T extends string>(words: readonly T[]): ValueParser<T> {
  return {
    rule: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}

/** Accepts at least one item, separated by commas or line ends; spaces around items and extra commas are ignored. */
export function listOfValues<T>(item: ValueParser<T>): ValueParser<readonly T[]> {
  return {
    rule: item.rule.includes('separated by commas') ? item.rule : `a comma list, each item ${item.rule}`,
    parse(text) {
      const texts = text.split(/[,\n]/).map((part) => part.trim());
      const items = texts.filter((part) => part !== '').map((part) => item.parse(part));
      const good = items.filter((value) => value !== undefined);
      return good.length > 0 && good.length === items.length ? good : undefined;
    },
  };
}

function urlWith(protocols: readonly string[]): ValueParser<string> {
  return {
    rule: `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, its user and password percent-encoded`,
    parse(text) {
      const url = URL.parse(text);
      const isPlain = url !== null && protocols.includes(url.protocol) && /^[a-z]+:\/\/[^\s]+$/i.test(text);
      return isPlain && url.hostname !== '' && isDecodable(`${url.username}:${url.password}`) ? text : undefined;
    },
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
