/** Host of a node as a quorum counts it: nodes of one registrable domain or address are assumed to have one operator. */
import { parse } from 'tldts';

/** Returns the registrable domain of an HTTP URL; its address or, without a public suffix, its host name. */
export function nodeHost(url: string): string {
  const { domain, hostname, isIp } = parse(url, { allowPrivateDomains: true, extractHostname: true });
  if (hostname === null) throw new TypeError('the URL of a node has no host');
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '::1') return '127.0.0.1';
  return isIp === true ? hostname : (domain ?? hostname);
}
