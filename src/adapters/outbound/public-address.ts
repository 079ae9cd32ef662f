/** Checks of the addresses that outgoing requests connect to, on the address of the connection, which prevents DNS rebinding. */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Message of the error of a lookup whose addresses are not accepted. */
export const ADDRESS_REFUSED = 'address is not accepted';

/** Resolves a name to all its addresses. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Creates a lookup that fails unless every address of the name is accepted. */
export function createCheckedLookup(
  isAccepted: (address: string) => boolean,
  resolveName: ResolveName = dnsLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      if (found.length === 0 || !found.every(({ address }) => isAccepted(address))) {
        return callback(new Error(ADDRESS_REFUSED), '', 0);
      }
      if (options.all) return callback(null, found);
      return callback(null, found[0]!.address, found[0]!.family);
    });
  };
}

/** Returns whether an address is global unicast, also in IPv4-mapped form. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** Returns whether an address is a loopback address, also in IPv4-mapped form. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
