import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePath, normalizePath } from './request-path.ts';

test('returns ordinary targets unchanged', () => {
  for (const target of ['/', '/mcr/did:svc:42', '/mcr/did:svc:42?x=%FF#', '/a/../b', '//', '/é']) {
    if (!target.includes('%') && !target.includes('#')) expect(normalizePath(target)).toBe(target);
  }
});

test('decodes both spellings of a colon to one path', () => {
  expect(decodePath(normalizePath('/mcr/did%3Asvc%3A42?x'))).toBe('/mcr/did:svc:42');
  expect(decodePath(normalizePath('/mcr/did%3asvc%3a42'))).toBe('/mcr/did:svc:42');
  expect(decodePath('/mcr/did:svc:42?y')).toBe('/mcr/did:svc:42');
});

test.each([
  ['/mcr/%', '/mcr/%25'],
  ['/mcr/%F', '/mcr/%25F'],
  ['/mcr/%zz', '/mcr/%25zz'],
  ['/mcr/%FF/%41', '/mcr/%25FF/%41'],
  ['/mcr/%41%FF', '/mcr/%2541%25FF'],
  ['/mcr/%C0%AF?%', '/mcr/%25C0%25AF?%'],
  ['/mcr/a#b', '/mcr/a%23b'],
  ['http://example.org/mcr/a?x', '/mcr/a?x'],
  ['http://example.org', '/'],
  ['HTTPS://u:p@example.org?x', '/?x'],
  ['*', '/*'],
  ['example.org:443', '/example.org:443'],
])('rewrites %s to %s', (target, expected) => {
  expect(normalizePath(target)).toBe(expected);
});

test('decodes once', () => {
  expect(decodePath(normalizePath('/metadata/%2535'))).toBe('/metadata/%35');
});

test('turns any target into a decodable path', () => {
  const target = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('/', '%', '4', '1', 'F', '#', '?', 'a', ':') }),
  );
  fc.assert(
    fc.property(target, (text) => {
      const normalised = normalizePath(text);
      expect(normalised.startsWith('/')).toBe(true);
      expect(decodePath(normalised).startsWith('/')).toBe(true);
      expect(normalizePath(normalised)).toBe(normalised);
    }),
  );
});
