/** The service returns the `expect` of every fixture, member by member. */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../conformance/rule.ts';

/** Routes whose expectations are checked. */
const SERVED = [
  /^\/mcr\//,
  /^\/machine\/[^/]+$/,
  /^\/metadata\//,
  /^\/machines\/[^/]+$/,
  /^\/operator\//,
  /^\/solana\//,
  /\/monetization$/,
  /^\/v1\/verify\/machines\//,
];

const baseUrl = inject('baseUrl');
const { machines, operators, wallets } = inject('fixtures');

const fixtures = [
  ...machines,
  ...operators.map((operator) => ({ ...operator, name: `operator ${operator.name}`, about: operator.address })),
  ...wallets.map((wallet) => ({ ...wallet, name: `wallet ${wallet.name}`, about: wallet.state })),
];

describe.each(fixtures)('the service, for $name ($about)', ({ expect: responses }) => {
  rule('service.main-chain-reads');
  const served = Object.entries(responses).filter(([path]) => SERVED.some((route) => route.test(path)));

  it.each(served)('returns the expected response to %s', async (path, { status, body }) => {
    const response = await fetch(baseUrl + path);
    const given: unknown = await response.json();
    expect({ status: response.status, body: given }).toEqual({ status, body: matching(body) });
    expect(listAltMembers(given)).toEqual(listAltMembers(body));
  });
});

/** Returns a matcher: objects need the given members; arrays need the same length and, item by item, the given members. */
function matching(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(matching);
  if (typeof expected !== 'object' || expected === null) return expected;
  const members = Object.entries(expected).map(([name, value]) => [name, matching(value)] as const);
  return expect.objectContaining(Object.fromEntries(members));
}

/** Members that only some machines have; an unexpected one fails. */
const ALT_MEMBERS = new Set(['home_chain', 'rating_unavailable', 'relocating', 'machine_type', 'solana_address']);

/** Returns the paths of such members, at any depth. */
function listAltMembers(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body)
    .flatMap(([name, value]) => [
      ...(ALT_MEMBERS.has(name) ? [name] : []),
      ...listAltMembers(value).map((path) => `${name}.${path}`),
    ])
    .sort();
}
