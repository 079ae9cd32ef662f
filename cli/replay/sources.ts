/**
 * Payment sources of a replay, from SOURCES_FILE, and their hash: SHA-256 of the sources without their URLs, in canonical JSON.
 *
 * Independent of `src/adapters/payment-sources`, for the same reason as the model.
 */
import { createHash } from 'node:crypto';
import type { ReplaySource } from './verdict-model.ts';

/** The file does not have its documented form. The message repeats nothing of it: URLs may contain keys. */
export class MalformedSources extends Error {
  override readonly name = 'MalformedSources';
}

/** Returns the hash as `0x` + 64 hex, or null when the file names no source. Throws `MalformedSources`. */
export function hashSources(json: string): string | null {
  const sources = Object.entries(asObject(parseJson(json))).sort(byName);
  if (sources.length === 0) return null;
  const members = sources.map(([name, source]) => `${JSON.stringify(name)}:${formatSource(name, asObject(source))}`);
  return `0x${createHash('sha256')
    .update(`{${members.join(',')}}`)
    .digest('hex')}`;
}

/** Returns the sources. Throws `MalformedSources`. */
export function parseSources(json: string): readonly ReplaySource[] {
  return Object.entries(asObject(parseJson(json))).map(([name, source]) => {
    const { rpc, tokens } = asObject(source);
    const urls: unknown[] = Array.isArray(rpc) ? rpc : [];
    const rpcUrls = urls.filter((url): url is string => typeof url === 'string');
    if (rpcUrls.length === 0 || rpcUrls.length < urls.length) throw new MalformedSources('a source has no URL');
    const id = idOf(name, asObject(source));
    if (!/^[0-9]{1,20}$/.test(id)) throw new MalformedSources('an id is not a number');
    return { name, id: BigInt(id), rpcUrls, tokens: new Map(listTokens(tokens)) };
  });
}

function idOf(name: string, { id }: Readonly<Record<string, unknown>>): string {
  const own = id ?? /^eip155:(\d+)$/.exec(name)?.[1];
  if (typeof own !== 'string') throw new MalformedSources('a source has no id');
  return own;
}

function listTokens(tokens: unknown): readonly (readonly [symbol: string, address: string])[] {
  return Object.entries(asObject(tokens)).map(([symbol, address]) => {
    if (typeof address !== 'string') throw new MalformedSources('the address of a token is not a text');
    return [symbol, address] as const;
  });
}

/** Formats the id, by default the chain id of the name, and the tokens by symbol. */
function formatSource(name: string, source: Readonly<Record<string, unknown>>): string {
  const members = listTokens(source['tokens'])
    .toSorted(byName)
    .map(([symbol, address]) => `${JSON.stringify(symbol)}:${JSON.stringify(address)}`);
  return `{"id":${JSON.stringify(idOf(name, source))},"tokens":{${members.join(',')}}}`;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new MalformedSources('not an object');
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new MalformedSources('not JSON');
  }
}
