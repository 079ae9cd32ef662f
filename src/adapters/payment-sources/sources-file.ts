/**
 * Parser of `SOURCES_FILE` (scoring, Sources and payout accounts): a JSON object of at most 8 sources, named by CAIP-2:
 *
 *     { "eip155:8453": { "rpc": ["https://…"], "tokens": { "USDC": "0x…" } },
 *       "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": { "id": "1151111081099710", "rpc": ["https://…"], "tokens": { … } } }
 *
 * The file is read strictly, because `sources_hash` identifies its content: a repeated name, another member or another
 * notation of the same address is a problem. URLs may hold keys, so no problem repeats a text of the file besides valid
 * names of sources and tokens.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { parseAltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { canonicalBytes } from '../../domain/json/canonical-json.ts';
import { parseStrictJson, type JsonObject, type JsonValue } from '../../domain/json/strict-json.ts';
import { PAYMENT } from '../../domain/rating/constants.ts';
import { isCurrencyCode } from '../../domain/rating/currency.ts';
import { parseRpcUrl } from '../rpc/http-post.ts';
import { readConfiguredFile } from '../files/configured-file.ts';

export interface SourceToken {
  readonly symbol: string;
  /** EVM: the contract in lower case; Solana: the mint in base58. */
  readonly address: string;
}

export interface ConfiguredSource {
  /** CAIP-2. */
  readonly name: string;
  readonly kind: 'evm' | 'solana';
  /** The part of the name after the colon: the chain id, or the first 32 characters of the genesis hash. */
  readonly reference: string;
  /** `source_chain_id` of the events that cite this source, in decimal. */
  readonly id: string;
  readonly rpcUrls: readonly string[];
  readonly tokens: readonly SourceToken[];
}

export interface ConfiguredSources {
  /** SHA-256 of what verdicts depend on, in lower-case hex; undefined without sources. */
  readonly hash: string | undefined;
  readonly sources: readonly ConfiguredSource[];
}

/** Parsed sources or problems. */
export type SourcesReading =
  | { readonly configured: ConfiguredSources; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly configured?: never };

export const NO_SOURCES: ConfiguredSources = { hash: undefined, sources: [] };

const MAX_URLS = 4;
const MAX_TOKENS = 16;
const MAX_ID = 2n ** 64n - 1n;
const MEMBERS = ['id', 'rpc', 'tokens'];
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;
const CHAIN_ID = /^[1-9][0-9]{0,15}$/;
const GENESIS_START = /^[1-9A-HJ-NP-Za-km-z]{32}$/;
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;

/** Reads the file. `symbols` are those of the tokens of `TOKENS_FILE`. */
export async function readSourcesFile(path: string, symbols: readonly string[]): Promise<SourcesReading> {
  const { bytes, problem } = await readConfiguredFile(path);
  return problem === undefined ? parseSources(bytes, symbols) : { problems: [`SOURCES_FILE: ${problem}`] };
}

/** Parses the sources of a file, or lists all of its problems. */
export function parseSources(bytes: Uint8Array, symbols: readonly string[]): SourcesReading {
  const { value, problem } = parseStrictJson(bytes);
  if (problem !== undefined)
    return { problems: [`SOURCES_FILE: ${problem.text} at character ${problem.position} of the JSON text`] };
  if (!isJsonObject(value)) return { problems: ['SOURCES_FILE: must be a JSON object'] };
  const problems: string[] = [];
  if (value.size > PAYMENT.maxSources) problems.push(`SOURCES_FILE: has more than ${PAYMENT.maxSources} sources`);
  const sources = [...value].map(([name, source], index) => {
    const place = parseName(name) === undefined ? `source ${index + 1}` : `"${name}"`;
    return parseSource(name, source, symbols, (member, rule) =>
      problems.push(`SOURCES_FILE: ${place}${member}: ${rule}`),
    );
  });
  const ids = sources.map(({ id }) => id);
  sources.forEach(({ name, id }, index) => {
    if (id !== '' && ids.indexOf(id) < index) problems.push(`SOURCES_FILE: "${name}".id: is that of another source`);
  });
  return problems.length > 0 ? { problems } : { configured: { hash: hashSources(sources), sources } };
}

type Report = (member: string, rule: string) => void;

/** Returns a source; after reporting a problem, its incomplete parts are empty. */
function parseSource(name: string, value: JsonValue, symbols: readonly string[], report: Report): ConfiguredSource {
  const parsed = parseName(name);
  if (parsed === undefined)
    report('', 'must be named eip155: and the chain id, or solana: and the first 32 characters of the genesis hash');
  const { kind, reference } = parsed ?? { kind: 'evm', reference: '' };
  const nothing: ConfiguredSource = { name, kind, reference, id: '', rpcUrls: [], tokens: [] };
  if (!isJsonObject(value)) {
    report('', 'must be an object');
    return nothing;
  }
  if ([...value.keys()].some((member) => !MEMBERS.includes(member)))
    report('', `has members besides ${MEMBERS.join(', ')}`);
  const rpcUrls = parseUrls(value.get('rpc'), report);
  if (parsed === undefined) return nothing;
  const id = parseId(value.get('id'), parsed, report);
  return { ...nothing, id, rpcUrls, tokens: parseTokens(value.get('tokens'), kind, symbols, report) };
}

/** Parses a CAIP-2 name of a supported namespace. */
function parseName(name: string): Pick<ConfiguredSource, 'kind' | 'reference'> | undefined {
  const [namespace, reference = '', ...rest] = name.split(':');
  if (rest.length > 0) return undefined;
  if (namespace === 'eip155' && CHAIN_ID.test(reference) && Number.isSafeInteger(Number(reference)))
    return { kind: 'evm', reference };
  return namespace === 'solana' && GENESIS_START.test(reference) ? { kind: 'solana', reference } : undefined;
}

/** Parses an id; empty after reporting a problem. */
function parseId(
  value: JsonValue | undefined,
  { kind, reference }: Pick<ConfiguredSource, 'kind' | 'reference'>,
  report: Report,
): string {
  if (kind === 'evm') {
    if (value !== undefined && value !== reference) report('.id', 'must be the chain id of the name, or missing');
    return reference;
  }
  if (typeof value === 'string' && DECIMAL.test(value) && BigInt(value) <= MAX_ID) return value;
  report('.id', 'must be the decimal text of a number of at most 64 bits');
  return '';
}

function parseUrls(value: JsonValue | undefined, report: Report): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_URLS) {
    report('.rpc', `must be an array of 1 to ${MAX_URLS} URLs`);
    return [];
  }
  return (value as readonly JsonValue[]).flatMap((url, index) => {
    if (typeof url === 'string' && isNodeUrl(url)) return [url];
    report(`.rpc[${index}]`, 'must be an http or https URL, its user and password percent-encoded');
    return [];
  });
}

function isNodeUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s]+$/i.test(text)) return false;
  try {
    parseRpcUrl(text);
    return true;
  } catch {
    return false;
  }
}

function parseTokens(
  value: JsonValue | undefined,
  kind: ConfiguredSource['kind'],
  symbols: readonly string[],
  report: Report,
): SourceToken[] {
  if (!isJsonObject(value) || value.size === 0 || value.size > MAX_TOKENS) {
    report('.tokens', `must be an object of 1 to ${MAX_TOKENS} tokens`);
    return [];
  }
  const seen = new Set<JsonValue>();
  return [...value].flatMap(([symbol, address], index) => {
    const place = isCurrencyCode(symbol) ? `.tokens.${symbol}` : `.tokens[${index}]`;
    if (!symbols.includes(symbol)) report(place, 'is not a token of TOKENS_FILE');
    if (seen.has(address)) report(place, 'has the address of another token');
    seen.add(address);
    if (typeof address === 'string' && isTokenAddress(address, kind)) return [{ symbol, address }];
    report(place, kind === 'evm' ? 'must be 0x and 40 lower-case hex digits' : 'must be base58 of 32 bytes');
    return [];
  });
}

function isTokenAddress(text: string, kind: ConfiguredSource['kind']): boolean {
  return kind === 'evm' ? EVM_ADDRESS.test(text) : parseAltKey(text) !== undefined;
}

/** Returns the hash of the sources without their URLs and with every id filled in. */
function hashSources(sources: readonly ConfiguredSource[]): string | undefined {
  if (sources.length === 0) return undefined;
  const entries = sources.map(({ name, id, tokens }) => {
    const addresses = Object.fromEntries(tokens.map(({ symbol, address }) => [symbol, address]));
    return [name, { id, tokens: addresses }] as const;
  });
  return bytesToHex(sha256(canonicalBytes(Object.fromEntries(entries))));
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}
