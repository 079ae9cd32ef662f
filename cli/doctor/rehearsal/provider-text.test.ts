/** Error texts of providers: short, in one line, without URLs, host names and the key of the node. */
import { expect, it } from 'vitest';
import { cutProviderText } from './provider-text.ts';

const URL = 'https://user:secret-password@eth.node.example/v3/0123456789abcdef?token=fedcba9876543210';

it('removes URLs and host names', () => {
  const text = 'upgrade at https://quicknode.com/account?key=1 or contact rpcpool.com/limits, then wss://x.y';
  expect(cutProviderText(text, URL)).toBe('upgrade at … or contact … then …');
});

it('removes every part of the URL of the node that may be a key', () => {
  const text = 'project 0123456789abcdef of user:secret-password with fedcba9876543210 is over its limit';
  expect(cutProviderText(text, URL)).toBe('project … of user:… with … is over its limit');
});

it('cuts at 200 characters and joins lines', () => {
  const cut = cutProviderText(`limit\u001b[31m\r\nreached ${'x '.repeat(400)}`, URL);
  expect(cut).toHaveLength(200);
  expect(cut).toMatch(/^limit \[31m reached x x .*…$/);
});
