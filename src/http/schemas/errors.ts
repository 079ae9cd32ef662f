/**
 * What do errors look like? Derived from the error table itself, one closed schema per fault and surface, so that the document cannot
 * tell anything else than the service does.
 */
import { Fault, type FaultContexts, type FaultKind } from '../../domain/faults.ts';
import type { ProfileName } from '../server/route-profiles.ts';
import { toWireError } from '../error-responses.ts';
import {
  closedObject,
  escapePattern,
  exactly,
  INTEGER,
  listOf,
  NONEMPTY_TEXT,
  refer,
  TEXT,
  type JsonSchema,
} from './json-schema.ts';

/** Stands for any number in a text. */
export const SAMPLE_NUMBER = 987654321;

/** Contexts of every kind that lead to different answers. */
export const FAULT_SAMPLES: { readonly [K in FaultKind]: readonly FaultContexts[K][] } = {
  MachineDidMalformed: [{}],
  OperatorMalformed: [{}],
  OperatorDidEmpty: [{}],
  ParametersInvalid: [{ issues: [] }],
  MachineAbsent: [{}],
  MachineRelocating: [{}],
  MachineHomedElsewhere: [{ ordinal: SAMPLE_NUMBER }],
  DecisionMalformed: [
    { member: 'body' },
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
  EventIndexSyncing: [{ indexedBlock: SAMPLE_NUMBER, headBlock: SAMPLE_NUMBER }],
  OperatorIndexSyncing: [{ indexedBlock: SAMPLE_NUMBER, headBlock: SAMPLE_NUMBER }],
  OperatorIndexStale: [{ ageSeconds: SAMPLE_NUMBER }],
  AltSnapshotOutOfDate: [{}],
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
  /** Names of headers that belong to this error. */
  readonly headers: readonly string[];
}

/** What `surface` answers to faults of this kind; `Unexpected` stands for everything that is no fault. */
export function describeErrors(surface: ProfileName, kind: FaultKind | 'Unexpected'): ErrorDescription[] {
  const errors = kind === 'Unexpected' ? [new Error()] : FAULT_SAMPLES[kind].map((context) => new Fault(kind, context));
  return errors.map((error) => {
    const { status, body, headers } = toWireError(surface, error);
    return { status, body: toSchema(body), headers: Object.keys(headers ?? {}) };
  });
}

export const VALIDATION_ISSUE_SCHEMA = closedObject(
  {
    type: NONEMPTY_TEXT,
    loc: { type: 'array', items: { type: ['string', 'integer'] }, minItems: 1 },
    msg: NONEMPTY_TEXT,
    input: { description: 'What was given, at most 100 characters of it.' },
    ctx: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
  },
  ['ctx'],
);

function toSchema(value: unknown): JsonSchema {
  if (Array.isArray(value)) return { ...listOf(refer('ValidationIssue')), minItems: 1 };
  if (typeof value === 'number') return INTEGER;
  if (typeof value === 'string') return toTextSchema(value);
  const members = Object.entries(value as object).map(([name, member]) => [name, toSchema(member)] as const);
  return closedObject(Object.fromEntries(members));
}

function toTextSchema(text: string): JsonSchema {
  if (!text.includes(String(SAMPLE_NUMBER))) return exactly(text);
  return { ...TEXT, pattern: `^${escapePattern(text).replaceAll(String(SAMPLE_NUMBER), '\\d+')}$` };
}
