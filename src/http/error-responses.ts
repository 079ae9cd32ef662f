/**
 * Error table: status, headers and body of every fault, a row per kind and a column per envelope ("Errors" of the interface, http-facts 2 to 10,
 * evidence 2). A kind without a row, or a row without a cell, does not compile. Texts are fixed words and numbers of the service; input of a caller,
 * a chain or an SDK appears nowhere but in `input` of a 422 list.
 */
import { Fault, type FaultContexts, type FaultKind, type StatementRefusal } from '../domain/faults.ts';
import type { BodyRule, DecisionMember } from '../domain/monetization/decision-refusal.ts';
import type { Media } from './images/svg-media.ts';
import { toParameterIssue } from './parameter-issues.ts';
import { GENERAL_REQUESTS_PER_MINUTE, JSON_MEDIA, ROUTE_PROFILES, type ProfileName } from './server/route-profiles.ts';

export interface WireError {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `Unexpected` is any error that is not a `Fault`; it has no context. */
type Contexts = FaultContexts & { readonly Unexpected: Record<never, never> };
type Kind = FaultKind | 'Unexpected';
type Cell<K extends Kind> = (context: Contexts[K]) => WireError;

/** `bare` serves every profile without its own column, except those of chips. */
interface Row<K extends Kind> {
  readonly bare: Cell<K>;
  readonly metadata?: Cell<K>;
  readonly monetization: Cell<K>;
  readonly verify: Cell<K>;
  /** Undefined: as `verify`. */
  readonly chip?: Cell<K>;
}

type Column = keyof Row<Kind>;

const COLUMNS: { readonly [N in ProfileName]: Column } = {
  read: 'bare',
  metadata: 'metadata',
  operator: 'bare',
  'bound-address': 'bare',
  monetization: 'monetization',
  verify: 'verify',
  'chip-challenge': 'chip',
  'chip-evidence': 'chip',
  health: 'bare',
  page: 'bare',
};

/** Seconds after which an unreachable chain, or an index that is catching up, may be readable again. */
const UNREACHABLE_RETRY = { 'Retry-After': '30' };
const SYNCING_RETRY = { 'Retry-After': '60' };

const VERIFY_UNAVAILABLE = coded(503, 'VERIFY_READ_UNAVAILABLE', 'The machine cannot be verified now.');
const VERIFY_REQUEST_INVALID = coded(400, 'INVALID_REQUEST', 'The request is not valid.');
const STORE_UNAVAILABLE = coded(503, 'VERIFY_STORE_UNAVAILABLE', 'Storage is not available now.');
const CHAIN_UNAVAILABLE = coded(503, 'CHAIN_UNAVAILABLE', 'The chain cannot be read now.');
const INTERNAL = coded(500, 'INTERNAL_ERROR', 'Internal error.');
const UNEXPECTED = bare(500, 'Internal Server Error');
const DEACTIVATED = coded(409, 'MACHINE_DEACTIVATED', 'The machine is deactivated.');
const STALE = 'STALE_SIGNATURE';
const NO_MACHINE = 'There is no machine with this ID.';
const MISMATCH = 'The evidence does not agree with its challenge, its certificate or the chain.';

/** Rule that a member of a decision violates. */
const MEMBER_RULES: { readonly [M in DecisionMember | BodyRule]: string } = {
  body: 'The body must be a JSON object with each member once.',
  nesting: 'The body must not be nested more than 32 levels deep.',
  text: 'The body must not contain half of a surrogate pair.',
  opted_in: 'opted_in must be true or false.',
  timestamp: 'timestamp must be a positive integer, in digits only.',
  signature: 'signature must be 0x and 130 hex digits, or, beside signer_pubkey, base58 of 64 bytes.',
  signer_pubkey: 'signer_pubkey must be base58 of 32 bytes, or left out.',
};

/** Reason why a rating is not signed now. */
const STATEMENT_REFUSALS: { readonly [R in StatementRefusal]: string } = {
  clock: 'Statement unavailable: the clock of the service cannot be trusted now',
  key: 'Statement unavailable: the signing key is not in use',
  index: 'Statement unavailable: the newest finalized block is out of date',
  unproven: 'Statement unavailable: the stored logs are not proven yet',
  'not-final': 'Statement unavailable: the machine is not finalized yet',
  degraded: 'Statement unavailable: some amounts could not be converted to USD',
  pending: 'Statement unavailable: an amount waits for its currency rate',
  unrated: 'Statement unavailable: the machine cannot be rated now',
};

const TABLE: { readonly [K in Kind]: Row<K> } = {
  MachineDidMalformed: {
    bare: bare(400, 'Invalid machine DID format'),
    monetization: coded(400, 'INVALID_REQUEST', 'Only decimal machine DIDs are supported, or the decimal ID alone.'),
    verify: coded(400, 'INVALID_MACHINE_ID', 'The machine ID is not valid.'),
  },
  OperatorMalformed: {
    bare: bare(400, 'Invalid Ethereum address format'),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  OperatorDidEmpty: {
    bare: bare(400, 'Empty DID'),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  ParametersInvalid: {
    bare: parametersInvalid,
    monetization: parametersInvalid,
    verify: VERIFY_REQUEST_INVALID,
  },
  MachineAbsent: {
    bare: bare(404, 'Machine not found'),
    metadata: bare(404, 'Token not found'),
    monetization: coded(404, 'MACHINE_NOT_FOUND', NO_MACHINE),
    verify: coded(404, 'MACHINE_NOT_FOUND', NO_MACHINE),
  },
  MachineRelocating: {
    bare: bare(503, 'Machine is relocating'),
    monetization: coded(503, 'MACHINE_UNAVAILABLE', 'The machine is not available now.'),
    verify: VERIFY_UNAVAILABLE,
    chip: CHAIN_UNAVAILABLE,
  },
  MachineHomedElsewhere: {
    bare: homedElsewhere,
    monetization: homedElsewhere,
    verify: VERIFY_UNAVAILABLE,
    chip: coded(404, 'MACHINE_NOT_FOUND', NO_MACHINE),
  },
  DecisionMalformed: ofDecision(({ member }) => toCoded(400, 'INVALID_REQUEST', MEMBER_RULES[member])),
  // Open for a maintainer's ruling (http-facts 11): clients also know TIMESTAMP_OUT_OF_WINDOW.
  DecisionOutsideWindow: ofDecision(coded(409, STALE, 'The timestamp is outside the window.')),
  SignatureUnrecoverable: ofDecision(coded(401, 'INVALID_SIGNATURE', 'The signature is not a valid one.')),
  SignerUnauthorized: ofDecision(
    coded(
      403,
      'UNAUTHORIZED_SIGNER',
      'The signer may not decide about this machine. An owner that is a contract cannot sign; it can set a controller.',
    ),
  ),
  DecisionNotNewer: ofDecision(coded(409, STALE, 'The timestamp is not newer than that of the decision in force.')),
  MachineNotBonded: ofDecision(coded(409, 'MACHINE_NOT_BONDED', 'Only a bonded machine can be opted in.')),
  MachineDeactivated: {
    bare: UNEXPECTED,
    monetization: DEACTIVATED,
    verify: INTERNAL,
    chip: DEACTIVATED,
  },
  MachinePaused: ofDecision(coded(503, 'MACHINE_UNAVAILABLE', 'The machine is not available now.')),
  EventDataPrivate: {
    bare: bare(403, 'Event data is private'),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  AltAddressMalformed: ofBoundAddress(bare(400, 'Invalid Solana address')),
  WalletNotBound: ofBoundAddress(bare(404, 'Solana address is not bound')),
  BindingRevoked: ofBoundAddress(bare(404, 'Solana binding is revoked')),
  BindingRegistryUnreadable: ofBoundAddress(bare(503, 'Binding registry unavailable', UNREACHABLE_RETRY)),
  ServiceNotInitialised: {
    bare: bare(503, 'Service not initialised'),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
    chip: CHAIN_UNAVAILABLE,
  },
  ChainUnreadable: {
    bare: ({ chain }) =>
      toBare(503, chain === 'main' ? 'Chain unavailable' : 'Home chain unavailable', UNREACHABLE_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
    chip: CHAIN_UNAVAILABLE,
  },
  LookupsExceeded: {
    bare: ({ retryAfterSeconds }) =>
      toBare(503, 'Too many new lookups, retry later', { 'Retry-After': String(retryAfterSeconds) }),
    monetization: lookupsExceeded,
    verify: VERIFY_UNAVAILABLE,
    chip: lookupsExceeded,
  },
  EventIndexSyncing: {
    bare: ({ indexedBlock, headBlock }) =>
      toBare(503, `Event index is syncing: block ${indexedBlock} of ${headBlock}`, SYNCING_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
  },
  StatementUnavailable: {
    bare: ({ cause }) => toBare(503, STATEMENT_REFUSALS[cause], SYNCING_RETRY),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  OperatorIndexSyncing: {
    bare: ({ indexedBlock, headBlock }) =>
      toBare(503, `Operator index is syncing: block ${indexedBlock} of ${headBlock}`, SYNCING_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
  },
  OperatorIndexStale: {
    bare: ({ ageSeconds }) =>
      toBare(503, `Operator index is stale: chain head not read for ${ageSeconds} seconds`, SYNCING_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
  },
  OwnershipIndexRepairing: {
    bare: bare(503, 'Ownership index is being repaired for this address', UNREACHABLE_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
  },
  AltSnapshotOutOfDate: {
    bare: bare(503, 'Alt-chain ownership snapshot is out of date', SYNCING_RETRY),
    monetization: CHAIN_UNAVAILABLE,
    verify: VERIFY_UNAVAILABLE,
  },
  ChangesGone: {
    bare: ({ oldestAfter }) =>
      toBare(410, `Changes after this cursor are not stored, the oldest are after=${oldestAfter}`),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  StreamsExceeded: {
    bare: bare(503, 'Too many open streams, retry later', UNREACHABLE_RETRY),
    monetization: INTERNAL,
    verify: INTERNAL,
  },
  StoreUnavailable: {
    bare: bare(503, 'Storage unavailable', UNREACHABLE_RETRY),
    monetization: coded(500, 'INTERNAL_ERROR', 'The decision could not be stored or read.'),
    verify: VERIFY_UNAVAILABLE,
    chip: STORE_UNAVAILABLE,
  },
  RateLimited: {
    bare: rateLimited,
    monetization: rateLimited,
    verify: coded(429, 'RATE_LIMITED', 'Too many requests.'),
  },
  RouteUnknown: {
    bare: bare(404, 'Not Found'),
    monetization: bare(404, 'Not Found'),
    verify: coded(404, 'VERIFY_ROUTE_NOT_FOUND', 'There is no such route.'),
  },
  MethodNotAllowed: {
    bare: ({ allow }) => toBare(405, 'Method Not Allowed', { Allow: allow.join(', ') }),
    monetization: ({ allow }) => toBare(405, 'Method Not Allowed', { Allow: allow.join(', ') }),
    verify: ({ allow }) => ({
      ...toCoded(405, 'METHOD_NOT_ALLOWED', 'The method is not allowed.'),
      headers: { Allow: allow.join(', ') },
    }),
  },
  NotAcceptable: {
    bare: UNEXPECTED,
    monetization: INTERNAL,
    verify: coded(406, 'NOT_ACCEPTABLE', 'Answers are application/json.'),
  },
  RequestTooLarge: {
    bare: ({ part }) =>
      part === 'head' ? toBare(431, 'Request Header Fields Too Large') : toBare(413, 'Content Too Large'),
    monetization: ({ part }) => toCoded(part === 'head' ? 431 : 413, 'REQUEST_TOO_LARGE', 'The request is too large.'),
    verify: coded(413, 'REQUEST_TOO_LARGE', 'The request is too large.'),
  },
  RequestMalformed: {
    bare: bare(400, 'Bad Request'),
    monetization: coded(400, 'INVALID_REQUEST', 'The request is not valid.'),
    verify: VERIFY_REQUEST_INVALID,
  },
  RequestTimeout: {
    bare: bare(408, 'Request Timeout'),
    monetization: coded(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'),
    verify: VERIFY_REQUEST_INVALID,
  },
  OnboardingUnauthorized: ofChip(() => ({
    ...toCoded(401, 'ONBOARDING_AUTH_REQUIRED', 'An onboarding token is required.'),
    headers: { 'WWW-Authenticate': 'Bearer' },
  })),
  ChallengesExhausted: ofChip(coded(429, 'RATE_LIMITED', 'Too many challenges are open.')),
  EvidenceNotCanonical: ofChip(coded(400, 'EVIDENCE_NOT_CANONICAL', 'The evidence is not in canonical form.')),
  EvidenceUnsupported: ofChip(coded(422, 'EVIDENCE_UNSUPPORTED', 'The evidence is of a kind that is not supported.')),
  ClockInvalid: {
    bare: bare(503, 'Service clock is not usable now', UNREACHABLE_RETRY),
    monetization: coded(503, 'CHAIN_UNAVAILABLE', 'The clock of the service is not usable now.'),
    verify: VERIFY_UNAVAILABLE,
    chip: coded(503, 'VERIFY_CLOCK_INVALID', 'The clock is not usable now.'),
  },
  ChallengeUnknown: ofChip(coded(404, 'CHALLENGE_NOT_FOUND', 'There is no such challenge.')),
  EvidenceAlreadyAccepted: ofChip(coded(409, 'EVIDENCE_ALREADY_ACCEPTED', 'This evidence was accepted before.')),
  ChallengeConsumed: ofChip(coded(409, 'CHALLENGE_CONSUMED', 'Other evidence was accepted for the challenge.')),
  ChallengeExpired: ofChip(coded(409, 'CHALLENGE_EXPIRED', 'The challenge has expired.')),
  EvidenceMismatch: ofChip(coded(422, 'EVIDENCE_MISMATCH', MISMATCH)),
  CertificateInvalid: ofChip(coded(422, 'CERTIFICATE_INVALID', 'The certificate is not valid.')),
  CertificateUnsupported: ofChip(coded(422, 'CERTIFICATE_UNSUPPORTED', 'The certificate is not supported.')),
  CertificateUntrusted: ofChip(coded(422, 'CERTIFICATE_UNTRUSTED', 'The certificate is not trusted.')),
  ChipProofInvalid: ofChip(coded(422, 'CHIP_PROOF_INVALID', 'The proof of the chip is not valid.')),
  ControllerProofInvalid: ofChip(coded(422, 'CONTROLLER_PROOF_INVALID', 'The proof of the controller is not valid.')),
  ControllerChanged: ofChip(coded(409, 'CONTROLLER_CHANGED', 'The controller of the machine has changed.')),
  Unexpected: {
    bare: UNEXPECTED,
    monetization: INTERNAL,
    verify: INTERNAL,
  },
};

/** Returns the response that routes of a profile send for anything thrown. */
export function toWireError(profile: ProfileName, error: unknown): WireError {
  const column = COLUMNS[profile];
  return error instanceof Fault ? lookUp(column, error.kind, error.context) : lookUp(column, 'Unexpected', {});
}

/** Returns names and values in turn, as Node's `writeHead` takes them. No cache may store an error. */
export function toErrorHeaders(
  profile: ProfileName,
  { headers }: WireError,
  text: string,
  media: Media = JSON_MEDIA,
): string[] {
  return [
    ...['Cache-Control', 'no-store'],
    ...ROUTE_PROFILES[profile].headers,
    ...Object.entries(headers ?? {}).flat(),
    ...Object.entries(media.headers).flat(),
    ...['Content-Type', media.type],
    ...['Content-Length', String(Buffer.byteLength(text))],
  ];
}

function lookUp<K extends Kind>(column: Column, kind: K, context: Contexts[K]): WireError {
  const row: Row<K> = TABLE[kind];
  return (row[column] ?? (column === 'chip' ? row.verify : row.bare))(context);
}

/** Creates the row of a fault that only the routes of bound wallets raise. */
function ofBoundAddress<K extends Kind>(bare: Cell<K>): Row<K> {
  return { bare, monetization: INTERNAL, verify: INTERNAL };
}

/** Creates the row of a fault that only decisions about monetization raise. */
function ofDecision<K extends Kind>(monetization: Cell<K>): Row<K> {
  return { bare: UNEXPECTED, monetization, verify: INTERNAL };
}

/** Creates the row of a fault that only chip onboarding raises. */
function ofChip<K extends Kind>(chip: Cell<K>): Row<K> {
  return { bare: UNEXPECTED, monetization: INTERNAL, verify: INTERNAL, chip };
}

function toBare(status: number, detail: string, headers?: Readonly<Record<string, string>>): WireError {
  return { status, body: { detail }, ...(headers && { headers }) };
}

function bare(status: number, detail: string, headers?: Readonly<Record<string, string>>): () => WireError {
  const error = toBare(status, detail, headers);
  return () => error;
}

function toCoded(status: number, code: string, message: string): WireError {
  return { status, body: { detail: { code, message } } };
}

function coded(status: number, code: string, message: string): () => WireError {
  const error = toCoded(status, code, message);
  return () => error;
}

function parametersInvalid({ parameters }: FaultContexts['ParametersInvalid']): WireError {
  return { status: 422, body: { detail: parameters.map(toParameterIssue) } };
}

function homedElsewhere({ ordinal }: FaultContexts['MachineHomedElsewhere']): WireError {
  const code = 'MACHINE_HOMED_ELSEWHERE';
  const message = 'The machine is homed on a chain that this service does not serve.';
  return { status: 409, body: { detail: { code, message, home_protocol_chain_id: ordinal } } };
}

/** The coded response of an unreadable chain, with the time at which a lookup has its turn. */
function lookupsExceeded({ retryAfterSeconds }: FaultContexts['LookupsExceeded']): WireError {
  return { ...CHAIN_UNAVAILABLE(), headers: { 'Retry-After': String(retryAfterSeconds) } };
}

function rateLimited({ retryAfterSeconds }: FaultContexts['RateLimited']): WireError {
  return {
    status: 429,
    body: { error: `Rate limit exceeded: ${GENERAL_REQUESTS_PER_MINUTE} per 1 minute` },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  };
}
