/** Schemas of error responses, derived from the error table: one closed schema per fault and route profile. */
import { Fault, type FaultContexts, type FaultKind } from '../../domain/faults.ts';
import type { ProfileName } from '../server/route-profiles.ts';
import { toWireError } from '../error-responses.ts';
import {
  closedObject,
  COUNT,
  described,
  escapePattern,
  exactly,
  listOf,
  NONEMPTY_TEXT,
  NUMBER,
  refer,
  TEXT,
  type JsonSchema,
} from './json-schema.ts';

/** Placeholder for any number in a text. */
export const SAMPLE_NUMBER = 987654321;

/** Fault contexts that lead to different responses, by kind. */
export const FAULT_SAMPLES: { readonly [K in FaultKind]: readonly FaultContexts[K][] } = {
  MachineDidMalformed: [{}],
  OperatorMalformed: [{}],
  OperatorDidEmpty: [{}],
  ParametersInvalid: [{ parameters: [] }],
  MachineAbsent: [{}],
  MachineRelocating: [{}],
  MachineHomedElsewhere: [{ ordinal: SAMPLE_NUMBER }],
  DecisionMalformed: [
    { member: 'body' },
    { member: 'nesting' },
    { member: 'text' },
    { member: 'opted_in' },
    { member: 'timestamp' },
    { member: 'signature' },
    { member: 'signer_pubkey' },
  ],
  DecisionOutsideWindow: [{}],
  SignatureUnrecoverable: [{}],
  SignerUnauthorized: [{ cause: 'not-entitled' }],
  DecisionNotNewer: [{}],
  MachineNotBonded: [{}],
  MachineDeactivated: [{}],
  MachinePaused: [{}],
  EventDataPrivate: [{}],
  AltAddressMalformed: [{}],
  WalletNotBound: [{}],
  BindingRevoked: [{}],
  BindingRegistryUnreadable: [{ cause: 'transport' }],
  ServiceNotInitialised: [{}],
  ChainUnreadable: [
    { chain: 'main', cause: 'transport' },
    { chain: 'alt', cause: 'transport' },
  ],
  LookupsExceeded: [{ retryAfterSeconds: SAMPLE_NUMBER }],
  StatementUnavailable: [
    { cause: 'clock' },
    { cause: 'key' },
    { cause: 'index' },
    { cause: 'unproven' },
    { cause: 'not-final' },
    { cause: 'degraded' },
    { cause: 'pending' },
    { cause: 'unrated' },
  ],
  EventIndexSyncing: [{ indexedBlock: SAMPLE_NUMBER, headBlock: SAMPLE_NUMBER }],
  OperatorIndexSyncing: [{ indexedBlock: SAMPLE_NUMBER, headBlock: SAMPLE_NUMBER }],
  OperatorIndexStale: [{ ageSeconds: SAMPLE_NUMBER }],
  OwnershipIndexRepairing: [{}],
  AltSnapshotOutOfDate: [{}],
  ChangesGone: [{ oldestAfter: SAMPLE_NUMBER }],
  StreamsExceeded: [{}],
  StoreUnavailable: [{}],
  RateLimited: [{ retryAfterSeconds: SAMPLE_NUMBER }],
  RouteUnknown: [{}],
  MethodNotAllowed: [{ allow: ['GET', 'HEAD'] }],
  NotAcceptable: [{}],
  RequestTooLarge: [{ part: 'head' }, { part: 'body' }],
  RequestMalformed: [{}],
  RequestTimeout: [{}],
  OnboardingUnauthorized: [{}],
  ChallengesExhausted: [{}],
  EvidenceNotCanonical: [{}],
  EvidenceUnsupported: [{}],
  ClockInvalid: [{}],
  ChallengeUnknown: [{}],
  EvidenceAlreadyAccepted: [{}],
  ChallengeConsumed: [{}],
  ChallengeExpired: [{}],
  EvidenceMismatch: [{}],
  CertificateInvalid: [{}],
  CertificateUnsupported: [{}],
  CertificateUntrusted: [{}],
  ChipProofInvalid: [{}],
  ControllerProofInvalid: [{}],
  ControllerChanged: [{}],
};

interface ErrorDescription {
  readonly status: number;
  readonly body: JsonSchema;
  /** Names of the headers of this error. */
  readonly headers: readonly string[];
}

/** Describes the responses of `profile` to faults of this kind. `Unexpected` is any other error. */
export function describeErrors(profile: ProfileName, kind: FaultKind | 'Unexpected'): ErrorDescription[] {
  const errors = kind === 'Unexpected' ? [new Error()] : FAULT_SAMPLES[kind].map((context) => new Fault(kind, context));
  return errors.map((error) => {
    const { status, body, headers } = toWireError(profile, error);
    return { status, body: toSchema(body), headers: Object.keys(headers ?? {}) };
  });
}

export const VALIDATION_ISSUE = described(
  closedObject(
    {
      type: described({ type: 'string', pattern: '^[a-z]+(?:_[a-z]+)*$' }, 'The kind of problem.', 'int_parsing'),
      loc: described(
        { ...listOf({ anyOf: [{ ...TEXT, maxLength: 32 }, COUNT] }, 2), minItems: 1 },
        'Its place, and its name or position there.',
      ),
      msg: described(NONEMPTY_TEXT, 'The problem, for people.'),
      input: { description: 'The given value, at most 100 characters of it.' },
      ctx: described(
        { type: 'object', additionalProperties: { anyOf: [TEXT, NUMBER] } },
        'The bounds that were violated.',
      ),
    },
    ['ctx'],
  ),
  'One invalid parameter.',
);

function toSchema(value: unknown): JsonSchema {
  if (Array.isArray(value)) return { ...listOf(refer('ValidationIssue')), minItems: 1 };
  if (typeof value === 'number') return COUNT;
  if (typeof value === 'string') return toTextSchema(value);
  const members = Object.entries(value as object).map(([name, member]) => [name, toSchema(member)] as const);
  return closedObject(Object.fromEntries(members));
}

function toTextSchema(text: string): JsonSchema {
  if (!text.includes(String(SAMPLE_NUMBER))) return exactly(text);
  return { ...TEXT, pattern: `^${escapePattern(text).replaceAll(String(SAMPLE_NUMBER), '\\d+')}$` };
}
