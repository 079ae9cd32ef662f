/** Hosts as a quorum counts them. */
import { expect, it } from 'vitest';
import { nodeHost } from './node-host.ts';

it.each([
  ['https://eth.provider.example.com/v2/key', 'example.com'],
  ['https://polygon.example.com:8443/?key=1', 'example.com'],
  ['https://user:word@node.example.co.uk', 'example.co.uk'],
  ['http://10.0.0.7:8545', '10.0.0.7'],
  ['http://10.0.0.8:8545', '10.0.0.8'],
  ['http://[2001:db8::1]:8545', '2001:db8::1'],
  ['http://[2001:db8:0:0::1]:8545', '2001:db8::1'],
  ['http://10.7:8546', '10.0.0.7'],
  ['http://0xa000007:8546', '10.0.0.7'],
  ['http://[::ffff:10.0.0.7]:8545', '10.0.0.7'],
  ['http://[::1]:8545', '127.0.0.1'],
  ['https://例え.jp/a', 'xn--r8jz45g.jp'],
  ['https://xn--r8jz45g.jp/b', 'xn--r8jz45g.jp'],
  ['https://Node.EXAMPLE.com.', 'example.com'],
  ['http://node-1:8545', 'node-1'],
  ['http://localhost:8545', '127.0.0.1'],
  ['http://127.0.0.1:8546', '127.0.0.1'],
])('counts %s as %s', (url, host) => {
  expect(nodeHost(url)).toBe(host);
});
