/** Every fixture's `expect` is what the service answers, member by member. */
import { describe, expect, inject, it } from 'vitest';

/** Routes that the service has; the others' expectations wait for their issue. */
const SERVED = [
  /^\/mcr\//,
  /^\/machine\/[^/]+$/,
  /^\/metadata\//,
  /^\/machines\/[^/]+$/,
  /^\/operator\//,
  /\/monetization$/,
  /^\/v1\/verify\/machines\//,
];

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');

describe.each(machines)('$name: $about', ({ expect: answers }) => {
  const served = Object.entries(answers).filter(([path]) => SERVED.some((route) => route.test(path)));

  it.each(served)('%s', async (path, { status, body }) => {
    const answer = await fetch(baseUrl + path);
    const given: unknown = await answer.json();
    expect({ status: answer.status, body: given }).toEqual({ status, body: matching(body) });
  });
});

/** Objects need the given members, arrays the same length and, item by item, the given members. */
function matching(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(matching);
  if (typeof expected !== 'object' || expected === null) return expected;
  const members = Object.entries(expected).map(([name, value]) => [name, matching(value)] as const);
  return expect.objectContaining(Object.fromEntries(members));
}
