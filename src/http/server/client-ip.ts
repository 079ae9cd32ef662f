/**
 * Client IP address, by which rates are counted: the peer of the socket, or the address that trusted proxies report in `X-Forwarded-For`
 * (decisions 3).
 */
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Returns the client's address from the socket's peer and the joined `X-Forwarded-For`, if any. */
export type ClientIp = (peer: string, forwardedFor: string | string[] | undefined) => string;

export interface AddressRules {
  /** Ranges in CIDR notation, or single addresses. */
  readonly trustedProxies: readonly string[];
  /** Leading bits of an IPv6 address that identify one client, 1 to 128. */
  readonly ipv6Prefix: number;
}

/** Leading bits of the IPv6 networks that share a call budget, the widest first. */
const SHARING_PREFIXES = [48, 64];

const MAPPED_PREFIX = '::ffff:';
const WHOLE_IPV6 = 128;
/** Some proxies append a port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** Throws on a range that is not in CIDR notation. */
export function createClientIp({ trustedProxies, ipv6Prefix }: AddressRules): ClientIp {
  const trusted = trustedProxies.map(parseRange);
  // Requests come from few proxies, so the last result is cached.
  let last = { text: '', isTrusted: false };
  const trusts = (text: string) => {
    if (last.text !== text) last = { text, isTrusted: isTrusted(text, trusted) };
    return last.isTrusted;
  };
  return (peer, forwardedFor) => {
    if (trusted.length === 0) return nameAddress(peer, ipv6Prefix);
    const hops = forwardedFor === undefined ? [] : String(forwardedFor).split(',');
    let client = peer;
    while (hops.length > 0 && trusts(client)) {
      const hop = stripPort(hops.pop()!.trim());
      // Where a trusted proxy wrote something unreadable, the proxy itself is the client.
      // Node's check is cheaper for the usual notation.
      if (!isIPv4(hop) && !ipaddr.isValid(hop)) break;
      client = hop;
    }
    return nameAddress(client, ipv6Prefix);
  };
}

/** Returns the networks of an address that share a call budget, the widest first; an IPv4 address alone. */
export function listNetworks(address: string): readonly string[] {
  if (!address.includes(':')) return [address];
  return SHARING_PREFIXES.map((prefix) => `${nameAddress(address, prefix)}/${prefix}`);
}

/** Returns one spelling per client: IPv4 mapped into IPv6 becomes IPv4, and an IPv6 address becomes that of its network. */
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
