import { expect, test } from 'vitest';
import { createClientIp } from './client-ip.ts';

const direct = createClientIp({ trustedProxies: [], ipv6Prefix: 128 });
const proxied = createClientIp({ trustedProxies: ['10.0.0.0/8', '::1', '2001:db8:f::/48'], ipv6Prefix: 128 });

test('without trusted proxies the peer is the caller, whatever it says', () => {
  expect(direct('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
});

test('one spelling per caller', () => {
  expect(direct('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
  expect(direct('::FFFF:192.0.2.1'.toLowerCase(), undefined)).toBe('192.0.2.1');
  expect(direct('2001:db8::1', undefined)).toBe('2001:db8::1');
  expect(proxied('10.1.1.1', '2001:0DB8:0:0::0001')).toBe('2001:db8::1');
  expect(proxied('10.1.1.1', '::ffff:c000:201')).toBe('192.0.2.1');
});

test('the right-most entry that no trusted proxy wrote about itself is the caller', () => {
  expect(proxied('10.1.1.1', '203.0.113.9, 198.51.100.7')).toBe('198.51.100.7');
  expect(proxied('10.1.1.1', '203.0.113.9, 198.51.100.7, 10.2.2.2')).toBe('198.51.100.7');
  expect(proxied('::1', '198.51.100.7,2001:db8:f::5')).toBe('198.51.100.7');
  expect(proxied('::ffff:10.1.1.1', '198.51.100.7')).toBe('198.51.100.7');
});

test('a stranger cannot name another caller', () => {
  expect(proxied('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
});

test('a chain of trusted proxies only is its left-most entry, and none at all the proxy', () => {
  expect(proxied('10.1.1.1', '10.3.3.3, 10.2.2.2')).toBe('10.3.3.3');
  expect(proxied('10.1.1.1', undefined)).toBe('10.1.1.1');
});

test('what cannot be read names nobody', () => {
  expect(proxied('10.1.1.1', 'unknown')).toBe('10.1.1.1');
  expect(proxied('10.1.1.1', '')).toBe('10.1.1.1');
  expect(proxied('10.1.1.1', '198.51.100.7, unknown, 10.2.2.2')).toBe('10.2.2.2');
});

test('ports are left out', () => {
  expect(proxied('10.1.1.1', '198.51.100.7:4711')).toBe('198.51.100.7');
  expect(proxied('10.1.1.1', '[2001:db8::1]:4711')).toBe('2001:db8::1');
});

test('an IPv6 network can be one caller', () => {
  const byNetwork = createClientIp({ trustedProxies: [], ipv6Prefix: 64 });
  expect(byNetwork('2001:db8:0:1:2:3:4:5', undefined)).toBe('2001:db8:0:1::');
  expect(byNetwork('2001:db8:0:1::9', undefined)).toBe('2001:db8:0:1::');
  expect(byNetwork('192.0.2.1', undefined)).toBe('192.0.2.1');
  expect(byNetwork('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
});

test('a range that is none is refused at start', () => {
  expect(() => createClientIp({ trustedProxies: ['10.0.0.0/99'], ipv6Prefix: 128 })).toThrow();
});
