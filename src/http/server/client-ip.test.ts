import { expect, test } from 'vitest';
import { createClientIp, listNetworks } from './client-ip.ts';

const direct = createClientIp({ trustedProxies: [], ipv6Prefix: 128 });
const proxied = createClientIp({ trustedProxies: ['10.0.0.0/8', '::1', '2001:db8:f::/48'], ipv6Prefix: 128 });

test('returns the peer without trusted proxies, whatever it forwards', () => {
  expect(direct('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
});

test('returns one spelling per client', () => {
  expect(direct('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
  expect(direct('::FFFF:192.0.2.1'.toLowerCase(), undefined)).toBe('192.0.2.1');
  expect(direct('2001:db8::1', undefined)).toBe('2001:db8::1');
  expect(proxied('10.1.1.1', '2001:0DB8:0:0::0001')).toBe('2001:db8::1');
  expect(proxied('10.1.1.1', '::ffff:c000:201')).toBe('192.0.2.1');
});

test('returns the right-most entry that is not a trusted proxy', () => {
  expect(proxied('10.1.1.1', '203.0.113.9, 198.51.100.7')).toBe('198.51.100.7');
  expect(proxied('10.1.1.1', '203.0.113.9, 198.51.100.7, 10.2.2.2')).toBe('198.51.100.7');
  expect(proxied('::1', '198.51.100.7,2001:db8:f::5')).toBe('198.51.100.7');
  expect(proxied('::ffff:10.1.1.1', '198.51.100.7')).toBe('198.51.100.7');
});

test('ignores what an untrusted peer forwards', () => {
  expect(proxied('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
});

test('returns the left-most entry of trusted proxies only, and the proxy without entries', () => {
  expect(proxied('10.1.1.1', '10.3.3.3, 10.2.2.2')).toBe('10.3.3.3');
  expect(proxied('10.1.1.1', undefined)).toBe('10.1.1.1');
});

test('returns the proxy where the entry it wrote is unreadable', () => {
  expect(proxied('10.1.1.1', 'unknown')).toBe('10.1.1.1');
  expect(proxied('10.1.1.1', '')).toBe('10.1.1.1');
  expect(proxied('10.1.1.1', '198.51.100.7, unknown, 10.2.2.2')).toBe('10.2.2.2');
});

test('omits ports', () => {
  expect(proxied('10.1.1.1', '198.51.100.7:4711')).toBe('198.51.100.7');
  expect(proxied('10.1.1.1', '[2001:db8::1]:4711')).toBe('2001:db8::1');
});

test('groups IPv6 addresses by network prefix', () => {
  const byNetwork = createClientIp({ trustedProxies: [], ipv6Prefix: 64 });
  expect(byNetwork('2001:db8:0:1:2:3:4:5', undefined)).toBe('2001:db8:0:1::');
  expect(byNetwork('2001:db8:0:1::9', undefined)).toBe('2001:db8:0:1::');
  expect(byNetwork('192.0.2.1', undefined)).toBe('192.0.2.1');
  expect(byNetwork('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
});

test('lists the networks that share a call budget', () => {
  expect(listNetworks('192.0.2.7')).toEqual(['192.0.2.7']);
  expect(listNetworks('2001:db8:a:b::7')).toEqual(['2001:db8:a::/48', '2001:db8:a:b::/64']);
});

test('throws on a malformed range', () => {
  expect(() => createClientIp({ trustedProxies: ['10.0.0.0/99'], ipv6Prefix: 128 })).toThrow();
});
