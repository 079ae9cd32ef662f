/** Host of a node as a quorum counts it: nodes of one registrable domain or address are assumed to have one operator. */
import { parse } from 'tldts';

/** Returns the registrable domain of an HTTP URL; its address or, without a public suffix, its host name, spelled as requests spell it. */
export function nodeHost(url: string): string {
  const { hostname } = new URL(url);
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return '127.0.0.1';
  if (hostname.startsWith('[')) return toIpv4(hostname.slice(1, -1));
  const { domain, isIp } = parse(hostname, { allowPrivateDomains: true, extractHostname: false });
  return isIp === true ? hostname : (domain ?? hostname);
}

/** Returns the IPv4 address that an IPv6 address maps; any other as it is. */
function toIpv4(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]).join('.');
}
