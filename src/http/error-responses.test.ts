import { expect, test } from 'vitest';
import { rule } from '../../test/conformance/rule.ts';
import { Fault, type FaultContexts, type FaultKind, type InvalidParameter } from '../domain/faults.ts';
import type { ProfileName } from './server/route-profiles.ts';
import { toErrorHeaders, toWireError } from './error-responses.ts';

const PARAMETER: InvalidParameter = { at: ['path', 'token_id'], problem: { kind: 'not-an-integer', text: 'x' } };
const ISSUE = { type: 'int_parsing', loc: ['path', 'token_id'], msg: 'Input should be a valid integer', input: 'x' };

function wire<K extends FaultKind>(profile: ProfileName, kind: K, context: FaultContexts[K]): string {
  const { status, body, headers } = toWireError(profile, new Fault(kind, context));
  return [status, JSON.stringify(body), ...Object.entries(headers ?? {}).map((pair) => pair.join(': '))].join(' ');
}

const bare = (status: number, detail: string, ...headers: string[]) =>
  [status, JSON.stringify({ detail }), ...headers].join(' ');

/** Error responses as printed in http-facts 2 to 9: fixed texts on read routes, fixed status and code elsewhere. */
test('returns the texts of the specification on read routes', () => {
  rule('envelope.bare');
  const read = <K extends FaultKind>(kind: K, context: FaultContexts[K]) => wire('read', kind, context);
  expect([
    read('MachineDidMalformed', {}),
    read('MachineAbsent', {}),
    read('MachineRelocating', {}),
    read('EventDataPrivate', {}),
    read('AltAddressMalformed', {}),
    read('WalletNotBound', {}),
    read('BindingRevoked', {}),
    read('BindingRegistryUnreadable', { cause: 'transport' }),
    read('ServiceNotInitialised', {}),
    read('ChainUnreadable', { chain: 'main', cause: 'transport' }),
    read('ChainUnreadable', { chain: 'alt', cause: 'transport' }),
    read('LookupsExceeded', { retryAfterSeconds: 3 }),
    read('EventIndexSyncing', { indexedBlock: 7, headBlock: 9 }),
    read('StatementUnavailable', { cause: 'degraded' }),
    read('OperatorMalformed', {}),
    read('OperatorDidEmpty', {}),
    read('OperatorIndexSyncing', { indexedBlock: 7, headBlock: 9 }),
    read('OperatorIndexStale', { ageSeconds: 700 }),
    read('OwnershipIndexRepairing', {}),
    read('RouteUnknown', {}),
    read('MethodNotAllowed', { allow: ['GET', 'HEAD'] }),
  ]).toEqual([
    bare(400, 'Invalid machine DID format'),
    bare(404, 'Machine not found'),
    bare(503, 'Machine is relocating'),
    bare(403, 'Event data is private'),
    bare(400, 'Invalid Solana address'),
    bare(404, 'Solana address is not bound'),
    bare(404, 'Solana binding is revoked'),
    bare(503, 'Binding registry unavailable', 'Retry-After: 30'),
    bare(503, 'Service not initialised'),
    bare(503, 'Chain unavailable', 'Retry-After: 30'),
    bare(503, 'Home chain unavailable', 'Retry-After: 30'),
    bare(503, 'Too many new lookups, retry later', 'Retry-After: 3'),
    bare(503, 'Event index is syncing: block 7 of 9', 'Retry-After: 60'),
    bare(503, 'Statement unavailable: some amounts could not be converted to USD', 'Retry-After: 60'),
    bare(400, 'Invalid Ethereum address format'),
    bare(400, 'Empty DID'),
    bare(503, 'Operator index is syncing: block 7 of 9', 'Retry-After: 60'),
    bare(503, 'Operator index is stale: chain head not read for 700 seconds', 'Retry-After: 60'),
    bare(503, 'Ownership index is being repaired for this address', 'Retry-After: 30'),
    bare(404, 'Not Found'),
    bare(405, 'Method Not Allowed', 'Allow: GET, HEAD'),
  ]);
  expect(read('ParametersInvalid', { parameters: [PARAMETER] })).toBe(`422 ${JSON.stringify({ detail: [ISSUE] })}`);
  expect(read('RateLimited', { retryAfterSeconds: 17 })).toBe(
    '429 {"error":"Rate limit exceeded: 90 per 1 minute"} Retry-After: 17',
  );
});

test('returns a coded 409 with the ordinal as a number for a machine homed elsewhere, on every read route', () => {
  rule('envelope.coded-homed-elsewhere');
  const { status, body } = toWireError('read', new Fault('MachineHomedElsewhere', { ordinal: 3 }));
  expect([status, body]).toEqual([
    409,
    { detail: { code: 'MACHINE_HOMED_ELSEWHERE', message: expect.any(String), home_protocol_chain_id: 3 } },
  ]);
});

test('differs on metadata from the other reads in one text', () => {
  expect(wire('metadata', 'MachineAbsent', {})).toBe(bare(404, 'Token not found'));
  expect(wire('metadata', 'MachineRelocating', {})).toBe(bare(503, 'Machine is relocating'));
});

function code(profile: ProfileName, error: unknown): string {
  const { status, body, headers } = toWireError(profile, error);
  const detail = (body as { detail: { code: string; message: string } }).detail;
  expect(Object.keys(detail).slice(0, 2)).toEqual(['code', 'message']);
  return [status, detail.code, ...Object.keys(headers ?? {})].join(' ');
}

test('returns the codes of the specification on monetization routes', () => {
  rule('envelope.coded-monetization');
  expect([
    code('monetization', new Fault('MachineDidMalformed', {})),
    ...(['body', 'opted_in', 'timestamp', 'signature', 'signer_pubkey'] as const).map((member) =>
      code('monetization', new Fault('DecisionMalformed', { member })),
    ),
    code('monetization', new Fault('DecisionOutsideWindow', {})),
    code('monetization', new Fault('SignatureUnrecoverable', {})),
    code('monetization', new Fault('SignerUnauthorized', { cause: 'wrong-kind' })),
    code('monetization', new Fault('DecisionNotNewer', {})),
    code('monetization', new Fault('MachineNotBonded', {})),
    code('monetization', new Fault('MachineDeactivated', {})),
    code('monetization', new Fault('MachinePaused', {})),
    code('monetization', new Fault('MachineAbsent', {})),
    code('monetization', new Fault('MachineRelocating', {})),
    code('monetization', new Fault('MachineHomedElsewhere', { ordinal: 3 })),
    code('monetization', new Fault('ServiceNotInitialised', {})),
    code('monetization', new Fault('ChainUnreadable', { chain: 'main', cause: 'deadline' })),
    code('monetization', new Fault('LookupsExceeded', { retryAfterSeconds: 3 })),
    code('monetization', new Fault('StoreUnavailable', {})),
    code('monetization', new Fault('RequestTooLarge', { part: 'body' })),
    code('monetization', new TypeError('secret')),
  ]).toEqual([
    ...Array.from({ length: 6 }, () => '400 INVALID_REQUEST'),
    '409 STALE_SIGNATURE',
    '401 INVALID_SIGNATURE',
    '403 UNAUTHORIZED_SIGNER',
    '409 STALE_SIGNATURE',
    '409 MACHINE_NOT_BONDED',
    '409 MACHINE_DEACTIVATED',
    '503 MACHINE_UNAVAILABLE',
    '404 MACHINE_NOT_FOUND',
    '503 MACHINE_UNAVAILABLE',
    '409 MACHINE_HOMED_ELSEWHERE',
    '503 CHAIN_UNAVAILABLE',
    '503 CHAIN_UNAVAILABLE',
    '503 CHAIN_UNAVAILABLE Retry-After',
    '500 INTERNAL_ERROR',
    '413 REQUEST_TOO_LARGE',
    '500 INTERNAL_ERROR',
  ]);
});

test('returns only the documented pairs on Verify (evidence 2, item 10), without Retry-After', () => {
  rule('envelope.coded-verify', 'challenge-errors.internal');
  const every: { readonly [K in FaultKind]: Fault<K> } = {
    MachineDidMalformed: new Fault('MachineDidMalformed', {}),
    OperatorMalformed: new Fault('OperatorMalformed', {}),
    OperatorDidEmpty: new Fault('OperatorDidEmpty', {}),
    ParametersInvalid: new Fault('ParametersInvalid', { parameters: [PARAMETER] }),
    MachineAbsent: new Fault('MachineAbsent', {}),
    MachineRelocating: new Fault('MachineRelocating', {}),
    MachineHomedElsewhere: new Fault('MachineHomedElsewhere', { ordinal: 3 }),
    DecisionMalformed: new Fault('DecisionMalformed', { member: 'body' }),
    DecisionOutsideWindow: new Fault('DecisionOutsideWindow', {}),
    SignatureUnrecoverable: new Fault('SignatureUnrecoverable', {}),
    SignerUnauthorized: new Fault('SignerUnauthorized', { cause: 'not-entitled' }),
    DecisionNotNewer: new Fault('DecisionNotNewer', {}),
    MachineNotBonded: new Fault('MachineNotBonded', {}),
    MachineDeactivated: new Fault('MachineDeactivated', {}),
    MachinePaused: new Fault('MachinePaused', {}),
    EventDataPrivate: new Fault('EventDataPrivate', {}),
    AltAddressMalformed: new Fault('AltAddressMalformed', {}),
    WalletNotBound: new Fault('WalletNotBound', {}),
    BindingRevoked: new Fault('BindingRevoked', {}),
    BindingRegistryUnreadable: new Fault('BindingRegistryUnreadable', { cause: 'transport' }),
    ServiceNotInitialised: new Fault('ServiceNotInitialised', {}),
    ChainUnreadable: new Fault('ChainUnreadable', { chain: 'alt', cause: 'deadline' }),
    LookupsExceeded: new Fault('LookupsExceeded', { retryAfterSeconds: 3 }),
    StatementUnavailable: new Fault('StatementUnavailable', { cause: 'clock' }),
    EventIndexSyncing: new Fault('EventIndexSyncing', { indexedBlock: 1, headBlock: 2 }),
    OperatorIndexSyncing: new Fault('OperatorIndexSyncing', { indexedBlock: 1, headBlock: 2 }),
    OperatorIndexStale: new Fault('OperatorIndexStale', { ageSeconds: 700 }),
    OwnershipIndexRepairing: new Fault('OwnershipIndexRepairing', {}),
    AltSnapshotOutOfDate: new Fault('AltSnapshotOutOfDate', {}),
    ChangesGone: new Fault('ChangesGone', { oldestAfter: 5 }),
    StreamsExceeded: new Fault('StreamsExceeded', {}),
    StoreUnavailable: new Fault('StoreUnavailable', {}),
    RateLimited: new Fault('RateLimited', { retryAfterSeconds: 17 }),
    RouteUnknown: new Fault('RouteUnknown', {}),
    MethodNotAllowed: new Fault('MethodNotAllowed', { allow: ['GET'] }),
    NotAcceptable: new Fault('NotAcceptable', {}),
    RequestTooLarge: new Fault('RequestTooLarge', { part: 'head' }),
    RequestMalformed: new Fault('RequestMalformed', {}),
    RequestTimeout: new Fault('RequestTimeout', {}),
    OnboardingUnauthorized: new Fault('OnboardingUnauthorized', {}),
    ChallengesExhausted: new Fault('ChallengesExhausted', {}),
    EvidenceNotCanonical: new Fault('EvidenceNotCanonical', {}),
    EvidenceUnsupported: new Fault('EvidenceUnsupported', {}),
    ClockInvalid: new Fault('ClockInvalid', {}),
    ChallengeUnknown: new Fault('ChallengeUnknown', {}),
    EvidenceAlreadyAccepted: new Fault('EvidenceAlreadyAccepted', {}),
    ChallengeConsumed: new Fault('ChallengeConsumed', {}),
    ChallengeExpired: new Fault('ChallengeExpired', {}),
    EvidenceMismatch: new Fault('EvidenceMismatch', {}),
    CertificateInvalid: new Fault('CertificateInvalid', {}),
    CertificateUnsupported: new Fault('CertificateUnsupported', {}),
    CertificateUntrusted: new Fault('CertificateUntrusted', {}),
    ChipProofInvalid: new Fault('ChipProofInvalid', {}),
    ControllerProofInvalid: new Fault('ControllerProofInvalid', {}),
    ControllerChanged: new Fault('ControllerChanged', {}),
  };
  const allowed = [
    '400 INVALID_MACHINE_ID',
    '400 INVALID_REQUEST',
    '404 MACHINE_NOT_FOUND',
    '404 VERIFY_ROUTE_NOT_FOUND',
    '405 METHOD_NOT_ALLOWED Allow',
    '406 NOT_ACCEPTABLE',
    '413 REQUEST_TOO_LARGE',
    '429 RATE_LIMITED',
    '500 INTERNAL_ERROR',
    '503 VERIFY_READ_UNAVAILABLE',
  ];
  for (const error of [...Object.values(every), new Error('secret')]) {
    expect(allowed).toContain(code('verify', error));
    const { body } = toWireError('verify', error);
    expect(Object.keys((body as { detail: object }).detail)).toEqual(['code', 'message']);
  }
});

test('returns a code for every fault of chip onboarding (evidence 14), and otherwise those of Verify', () => {
  const chip = (kind: FaultKind) => code('chip-evidence', new Fault(kind, {}));
  expect(
    (
      [
        ...['MachineAbsent', 'MachineRelocating', 'MachineHomedElsewhere', 'MachineDeactivated'],
        ...['ServiceNotInitialised', 'ChainUnreadable', 'StoreUnavailable', 'RateLimited', 'RouteUnknown'],
        ...['NotAcceptable', 'RequestTooLarge', 'RequestMalformed', 'RequestTimeout'],
        ...['OnboardingUnauthorized', 'ChallengesExhausted', 'EvidenceNotCanonical', 'EvidenceUnsupported'],
        ...['ClockInvalid', 'ChallengeUnknown', 'EvidenceAlreadyAccepted', 'ChallengeConsumed', 'ChallengeExpired'],
        ...['EvidenceMismatch', 'CertificateInvalid', 'CertificateUnsupported', 'CertificateUntrusted'],
        ...['ChipProofInvalid', 'ControllerProofInvalid', 'ControllerChanged'],
      ] as FaultKind[]
    ).map(chip),
  ).toEqual([
    ...['404 MACHINE_NOT_FOUND', '503 CHAIN_UNAVAILABLE', '404 MACHINE_NOT_FOUND', '409 MACHINE_DEACTIVATED'],
    ...['503 CHAIN_UNAVAILABLE', '503 CHAIN_UNAVAILABLE', '503 VERIFY_STORE_UNAVAILABLE', '429 RATE_LIMITED'],
    ...['404 VERIFY_ROUTE_NOT_FOUND', '406 NOT_ACCEPTABLE', '413 REQUEST_TOO_LARGE', '400 INVALID_REQUEST'],
    ...['400 INVALID_REQUEST', '401 ONBOARDING_AUTH_REQUIRED WWW-Authenticate', '429 RATE_LIMITED'],
    ...['400 EVIDENCE_NOT_CANONICAL', '422 EVIDENCE_UNSUPPORTED', '503 VERIFY_CLOCK_INVALID'],
    ...['404 CHALLENGE_NOT_FOUND', '409 EVIDENCE_ALREADY_ACCEPTED', '409 CHALLENGE_CONSUMED', '409 CHALLENGE_EXPIRED'],
    ...['422 EVIDENCE_MISMATCH', '422 CERTIFICATE_INVALID', '422 CERTIFICATE_UNSUPPORTED', '422 CERTIFICATE_UNTRUSTED'],
    ...['422 CHIP_PROOF_INVALID', '422 CONTROLLER_PROOF_INVALID', '409 CONTROLLER_CHANGED'],
  ]);
  const exceeded = new Fault('LookupsExceeded', { retryAfterSeconds: 3 });
  expect(code('chip-challenge', exceeded)).toBe('503 CHAIN_UNAVAILABLE Retry-After');
  expect(code('chip-challenge', new Error('secret'))).toBe('500 INTERNAL_ERROR');
});

test('sends errors as no-store with the headers of the profile, their own and the length', () => {
  const wireError = toWireError('verify', new Fault('MethodNotAllowed', { allow: ['GET'] }));
  expect(toErrorHeaders('verify', wireError, 'é')).toEqual([
    ...['Cache-Control', 'no-store'],
    ...['Pragma', 'no-cache'],
    ...['Allow', 'GET'],
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', '2'],
  ]);
});
