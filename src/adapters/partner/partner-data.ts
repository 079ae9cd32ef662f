/**
 * SSRF-safe fetch of untrusted partner URLs from the chain (decisions 1): https only, public addresses only (checked on the address
 * of the connection, which prevents DNS rebinding), no redirects, 2 s, 64 KiB.
 */
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { createCheckedLookup, isPublicAddress } from '../outbound/public-address.ts';
import { setBounded } from '../../domain/bounded-map.ts';
import { parseUntrustedObject } from '../../domain/json/untrusted-json.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { PartnerResponse, PartnerData } from '../../ports/presentation.ts';

const TIMEOUT_MILLISECONDS = 2_000;
const MAX_BODY_BYTES = 65_536;
const CACHE_MILLISECONDS = 60_000;
const MAX_CACHED = 1_000;

export interface PartnerDataOptions {
  readonly clock: Clock;
  /** Overrides for tests, whose server is on the loopback with a self-signed certificate. */
  readonly isPublicAddress?: (address: string) => boolean;
  readonly certificateAuthority?: string;
  readonly timeoutMilliseconds?: number;
}

/** Creates the client. Responses, failures included, are cached for a minute. */
export function createPartnerData(options: PartnerDataOptions): PartnerData & { close(): Promise<void> } {
  const isPublic = options.isPublicAddress ?? isPublicAddress;
  const timeout = options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS;
  const agent = new Agent({
    connect: {
      lookup: createCheckedLookup(isPublic),
      ...(options.certificateAuthority && { ca: options.certificateAuthority }),
    },
    connections: 4,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: MAX_BODY_BYTES,
  });
  const cache = new Map<string, { readonly requestedAt: number; readonly response: Promise<PartnerResponse> }>();

  return {
    readPartnerData(url) {
      const now = options.clock.nowMilliseconds();
      const cached = cache.get(url);
      if (cached !== undefined && now - cached.requestedAt < CACHE_MILLISECONDS) return cached.response;
      const response = fetchPartnerData(url, agent, isPublic, timeout);
      setBounded(cache, url, { requestedAt: now, response }, MAX_CACHED);
      return response;
    },
    close: () => agent.destroy(),
  };
}

async function fetchPartnerData(
  text: string,
  dispatcher: Agent,
  isPublic: (address: string) => boolean,
  timeout: number,
): Promise<PartnerResponse> {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return { kind: 'unreachable' };
  // A literal address is not resolved, so the lookup below does not check it.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) return { kind: 'unreachable' };
  let bytes: ArrayBuffer;
  try {
    const headers = { accept: 'application/json' };
    const { statusCode, body } = await request(url, { dispatcher, headers, signal: AbortSignal.timeout(timeout) });
    if (statusCode !== 200) {
      await body.dump();
      return { kind: 'unreachable' };
    }
    bytes = await body.arrayBuffer();
  } catch (error) {
    return { kind: isTooLarge(error) ? 'invalid' : 'unreachable' };
  }
  const value = parseUntrustedObject(new Uint8Array(bytes));
  return value === undefined ? { kind: 'invalid' } : { kind: 'object', value };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}
