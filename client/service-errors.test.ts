/** The errors of the client and the error table of the service are the same set. */
import { describe, expect, it } from 'vitest';
import { Fault, type FaultKind } from '../src/domain/faults.ts';
import { FAULT_SAMPLES } from '../src/http/schemas/errors.ts';
import { ROUTE_PROFILES, type ProfileName } from '../src/http/server/route-profiles.ts';
import { toWireError } from '../src/http/error-responses.ts';
import { rule } from '../test/conformance/rule.ts';
import { isRetryable, toServiceError } from './service-errors.ts';

const faults: readonly Error[] = Object.entries(FAULT_SAMPLES).flatMap(([kind, contexts]) =>
  contexts.map((context) => new Fault(kind as FaultKind, context)),
);
const profiles = Object.keys(ROUTE_PROFILES) as ProfileName[];
const responses = [...faults, new Error()].flatMap((error) => profiles.map((profile) => toWireError(profile, error)));

const read = ({ status, body, headers }: ReturnType<typeof toWireError>) =>
  toServiceError(status, JSON.parse(JSON.stringify(body)), headers?.['Retry-After'] ?? null);

it('knows every response of the table, with its status', () => {
  rule('client.errors');
  const unknown = responses.filter((response) => read(response).kind === 'unexpected-response');
  expect(unknown).toEqual([]);
  expect(responses.map((response) => read(response))).toEqual(
    responses.map(({ status }) => expect.objectContaining({ status, text: expect.stringMatching(/./) })),
  );
});

it('has no error that the table does not have', () => {
  expect([...new Set(responses.map((response) => read(response).kind))].sort()).toEqual([
    'alt-snapshot-out-of-date',
    'binding-registry-unavailable',
    'binding-revoked',
    'certificate-invalid',
    'certificate-unsupported',
    'certificate-untrusted',
    'chain-unavailable',
    'challenge-consumed',
    'challenge-expired',
    'challenge-not-found',
    'changes-gone',
    'chip-proof-invalid',
    'clock-unusable',
    'controller-changed',
    'controller-proof-invalid',
    'event-data-private',
    'evidence-already-accepted',
    'evidence-mismatch',
    'evidence-not-canonical',
    'evidence-unsupported',
    'index-stale',
    'index-syncing',
    'index-under-repair',
    'internal-error',
    'invalid-machine-id',
    'invalid-operator',
    'invalid-parameters',
    'invalid-request',
    'invalid-signature',
    'invalid-wallet',
    'machine-deactivated',
    'machine-homed-elsewhere',
    'machine-not-bonded',
    'machine-not-found',
    'machine-relocating',
    'machine-unavailable',
    'method-not-allowed',
    'not-acceptable',
    'onboarding-auth-required',
    'rate-limited',
    'request-timeout',
    'request-too-large',
    'route-not-found',
    'service-not-initialised',
    'stale-signature',
    'statement-unavailable',
    'storage-unavailable',
    'too-many-lookups',
    'too-many-streams',
    'unauthorized-signer',
    'verify-clock-invalid',
    'verify-read-unavailable',
    'verify-route-not-found',
    'verify-store-unavailable',
    'wallet-not-bound',
  ]);
});

describe('toServiceError', () => {
  const ISSUE = { type: 'int_parsing', loc: ['path', 'token_id'], msg: 'Input should be a valid integer', input: 'x' };

  it.each([
    [
      'where a machine lives',
      [409, { detail: { code: 'MACHINE_HOMED_ELSEWHERE', message: 'Elsewhere.', home_protocol_chain_id: 3 } }, null],
      {
        kind: 'machine-homed-elsewhere',
        status: 409,
        text: 'Elsewhere.',
        code: 'MACHINE_HOMED_ELSEWHERE',
        homeProtocolChainId: 3,
      },
    ],
    [
      'how far an index is',
      [503, { detail: 'Event index is syncing: block 7 of 9' }, '60'],
      {
        kind: 'index-syncing',
        status: 503,
        text: 'Event index is syncing: block 7 of 9',
        index: 'event',
        indexedBlock: 7,
        headBlock: 9,
        retryAfterSeconds: 60,
      },
    ],
    [
      'how old an index is',
      [503, { detail: 'Operator index is stale: chain head not read for 700 seconds' }, '60'],
      {
        kind: 'index-stale',
        status: 503,
        text: 'Operator index is stale: chain head not read for 700 seconds',
        ageSeconds: 700,
        retryAfterSeconds: 60,
      },
    ],
    [
      'which parameters are invalid',
      [422, { detail: [ISSUE] }, null],
      { kind: 'invalid-parameters', status: 422, text: 'Invalid parameters', issues: [ISSUE] },
    ],
    [
      'when to retry',
      [429, { error: 'Rate limit exceeded: 90 per 1 minute' }, '17'],
      { kind: 'rate-limited', status: 429, text: 'Rate limit exceeded: 90 per 1 minute', retryAfterSeconds: 17 },
    ],
  ] as const)('reads %s', (_, [status, body, retryAfter], expected) => {
    expect(toServiceError(status, body, retryAfter)).toEqual(expected);
  });
});

it.each([
  ['a page of a gateway', 502, undefined],
  ['a code of another service', 400, { detail: { code: 'NO_SUCH', message: 'x' } }],
  ['a name that every object has', 400, { detail: 'toString' }],
  ['a home that is no number', 409, { detail: { code: 'MACHINE_HOMED_ELSEWHERE', message: 'x' } }],
  ['a list beside another status', 400, { detail: [] }],
  ['a list', 404, ['Machine not found']],
])('reports %s as an unexpected response', (_, status, body) => {
  expect(toServiceError(status, body, null)).toEqual({ kind: 'unexpected-response', status, text: `HTTP ${status}` });
});

it('retries lost responses, exceeded rate limits and unavailability', () => {
  const passing = new Set(responses.filter((response) => isRetryable(read(response))).map(({ status }) => status));
  expect([...passing].sort()).toEqual([429, 503]);
  expect(isRetryable({ kind: 'unreachable', text: '' })).toBe(true);
  expect(isRetryable({ kind: 'invalid-argument', text: '' })).toBe(false);
  expect(isRetryable(toServiceError(502, undefined, null))).toBe(true);
});
