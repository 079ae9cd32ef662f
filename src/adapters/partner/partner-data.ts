/**
 * How is a URL that a stranger wrote on a chain asked without harm? (decisions 1.) Https only, public addresses only (judged on
 * the address that is really connected to, so that a name cannot be rebound), no redirect, 2 s, 64 KiB.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, request } from 'undici';
import { parseUntrustedObject } from '../../domain/json/untrusted-json.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { PartnerAnswer, PartnerData } from '../../ports/presentation.ts';

const TIMEOUT_MILLISECONDS = 2_000;
const MAX_BODY_BYTES = 65_536;
const KEPT_MILLISECONDS = 60_000;
const MAX_KEPT = 1_000;

export interface PartnerDataOptions {
  readonly clock: Clock;
  /** For tests, whose server is on the loopback and signs for itself. */
  readonly isPublicAddress?: (address: string) => boolean;
  readonly certificateAuthority?: string;
  readonly timeoutMilliseconds?: number;
}

export function createPartnerData(options: PartnerDataOptions): PartnerData & { close(): Promise<void> } {
  const isPublic = options.isPublicAddress ?? isPublicAddress;
  const timeout = options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS;
  const agent = new Agent({
    connect: {
      lookup: createPublicLookup(isPublic),
      ...(options.certificateAuthority && { ca: options.certificateAuthority }),
    },
    connections: 4,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: MAX_BODY_BYTES,
  });
  const kept = new Map<string, { readonly askedAt: number; readonly answer: Promise<PartnerAnswer> }>();

  return {
    readPartnerData(url) {
      const now = options.clock.nowMilliseconds();
      const known = kept.get(url);
      if (known !== undefined && now - known.askedAt < KEPT_MILLISECONDS) return known.answer;
      kept.delete(url);
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
      const answer = ask(url, agent, isPublic, timeout);
      kept.set(url, { askedAt: now, answer });
      return answer;
    },
    close: () => agent.destroy(),
  };
}

async function ask(
  text: string,
  dispatcher: Agent,
  isPublic: (address: string) => boolean,
  timeout: number,
): Promise<PartnerAnswer> {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return { kind: 'unreachable' };
  // A literal address is connected to without a look-up.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) return { kind: 'unreachable' };
  let bytes: ArrayBuffer;
  try {
    const headers = { accept: 'application/json' };
    const answer = await request(url, { dispatcher, headers, signal: AbortSignal.timeout(timeout) });
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      return { kind: 'unreachable' };
    }
    bytes = await answer.body.arrayBuffer();
  } catch (error) {
    return { kind: isTooLarge(error) ? 'invalid' : 'unreachable' };
  }
  const value = parseUntrustedObject(new Uint8Array(bytes));
  return value === undefined ? { kind: 'invalid' } : { kind: 'object', value };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** Resolves a name, and fails unless every address of it is public. */
function createPublicLookup(isPublic: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const found: LookupAddress[] = addresses;
      if (found.length === 0 || !found.every(({ address }) => isPublic(address))) {
        return callback(new Error('address is not public'), '', 0);
      }
      if (options.all) return callback(null, found);
      return callback(null, found[0]!.address, found[0]!.family);
    });
  };
}

/** Whether an address may be connected to: global unicast, also behind an IPv4-mapped spelling. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
