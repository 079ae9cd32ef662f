/**
 * Whose request is it? The address that rates are counted by: the socket's peer, or what the proxies we trust say about it
 * (decisions 3).
 */
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Names the caller of a request from the socket's peer and the joined `X-Forwarded-For`, if any. */
export type ClientIp = (peer: string, forwardedFor: string | string[] | undefined) => string;

export interface AddressRules {
  /** Ranges in CIDR notation, or single addresses. */
  readonly trustedProxies: readonly string[];
  /** Leading bits of an IPv6 address that make one caller, 1 to 128. */
  readonly ipv6Prefix: number;
}

const MAPPED_PREFIX = '::ffff:';
const WHOLE_IPV6 = 128;
/** Some proxies write a port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** Throws on a range that is no CIDR range. */
export function createClientIp({ trustedProxies, ipv6Prefix }: AddressRules): ClientIp {
  const trusted = trustedProxies.map(parseRange);
  // Requests come from few proxies: of the one that was asked about last it need not be worked out again.
  let last = { text: '', isTrusted: false };
  const trusts = (text: string) => {
    if (last.text !== text) last = { text, isTrusted: isTrusted(text, trusted) };
    return last.isTrusted;
  };
  return (peer, forwardedFor) => {
    if (trusted.length === 0) return nameAddress(peer, ipv6Prefix);
    const hops = forwardedFor === undefined ? [] : String(forwardedFor).split(',');
    let caller = peer;
    while (hops.length > 0 && trusts(caller)) {
      const hop = stripPort(hops.pop()!.trim());
      // What a trusted proxy wrote and we cannot read names nobody: the proxy itself is the caller then.
      // Node's own check of the usual spelling is cheaper.
      if (!isIPv4(hop) && !ipaddr.isValid(hop)) break;
      caller = hop;
    }
    return nameAddress(caller, ipv6Prefix);
  };
}

/** One spelling per caller: an IPv4 address inside IPv6 is that IPv4 address, and an IPv6 address may stand for its network. */
function nameAddress(text: string, ipv6Prefix: number): string {
  if (!text.includes(':')) return text;
  if (text.startsWith(MAPPED_PREFIX) && text.includes('.')) return text.slice(MAPPED_PREFIX.length);
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4' || ipv6Prefix === WHOLE_IPV6) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${ipv6Prefix}`).toString();
}

function isTrusted(text: string, trusted: readonly Range[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : WHOLE_IPV6];
}

function stripPort(hop: string): string {
  const match = WITH_PORT.exec(hop);
  return match?.[1] ?? match?.[2] ?? hop;
}
