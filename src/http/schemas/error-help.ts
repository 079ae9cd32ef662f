/**
 * Error help: cause and remedy of every kind of fault, for `docs/errors.md` and readers of the OpenAPI document. Responses never contain
 * these texts.
 */
import type { FaultKind } from '../../domain/faults.ts';

export interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

const CORRECT = 'Correct the request. The same request is rejected again.';
const RETRY_LATER = 'Retry later and keep your last known value. This says nothing about the machine.';
const SIGN_AGAIN = 'Prepare the message again and sign the new one.';
const NEW_CHALLENGE = 'Request a new challenge and create new evidence for it.';
const NEW_EVIDENCE = 'Create the document again. The challenge stays open until it expires.';
const OTHER_CHIP = 'Final for this certificate. Onboard the machine with a chip whose certificate is accepted.';
const INDEX_PROGRESS = 'Retry after the time in `Retry-After`. The text says how far the index has read.';

export const ERROR_HELP: { readonly [K in FaultKind | 'Unexpected']: ErrorHelp } = {
  MachineDidMalformed: {
    cause: 'The id is not a decimal from 1 to 2^256 - 1 without leading zeros, or the DID has another method.',
    remedy: 'Correct the id, and handle it as text everywhere: a number type rounds it.',
  },
  OperatorMalformed: {
    cause: 'The operator is neither an address of the main chain nor the DID of one.',
    remedy: 'Send 0x and 40 hex digits, alone or after the DID method.',
  },
  OperatorDidEmpty: {
    cause: 'The DID has no address after its method.',
    remedy: 'Append the address.',
  },
  ParametersInvalid: {
    cause: 'A parameter of the path or of the query has the wrong form, or is out of range.',
    remedy: 'Correct each parameter of the list: `loc` is its place, `msg` the problem, `input` the value received.',
  },
  MachineAbsent: {
    cause:
      'No machine with this id exists, or it was retired. Chip challenges also return this for machines of the alt chain.',
    remedy: 'Final until a machine with this id is registered. The chain was read: 404 is definitive.',
  },
  MachineRelocating: {
    cause: 'The machine is moving from one chain to another.',
    remedy: 'Retry later: a relocation can take minutes, or days when an attempt fails.',
  },
  MachineHomedElsewhere: {
    cause:
      'The machine is on a chain that this deployment does not serve. Verify records exist for main-chain machines only.',
    remedy: 'Call a service of that chain; `home_protocol_chain_id`, where present, identifies it.',
  },
  DecisionMalformed: {
    cause:
      'The body is not a JSON object that every parser reads alike, or a member has the wrong form; the message names it.',
    remedy: CORRECT,
  },
  DecisionOutsideWindow: {
    cause: 'The signed time is too old, or ahead of the clock of the service.',
    remedy: `Check the clock of the signer. ${SIGN_AGAIN}`,
  },
  SignatureUnrecoverable: {
    cause: 'No key can be recovered from the signature.',
    remedy: 'Sign with `personal_sign` (EIP-191), and send all 65 bytes unchanged.',
  },
  SignerUnauthorized: {
    cause:
      'The signer of exactly this message is neither owner nor controller, or used the kind of key of another chain.',
    remedy:
      'Compare the message with the one that was signed, then the signer with the owner and the controller. An owner that is a contract sets a controller with a key, which signs.',
  },
  DecisionNotNewer: {
    cause: 'A decision of the same second or a later one is in force.',
    remedy:
      'Read the current state: it may already be the one you want. Otherwise, prepare the message again and sign the new one.',
  },
  MachineNotBonded: {
    cause: 'Only a bonded machine can be opted in.',
    remedy: 'Bond the machine, wait for confirmation, then sign again.',
  },
  MachineDeactivated: {
    cause: 'An administrator has deactivated the machine.',
    remedy: 'Final until the machine is active again.',
  },
  MachinePaused: {
    cause: 'The machine is paused on its chain.',
    remedy: 'Retry when it is no longer paused.',
  },
  EventDataPrivate: {
    cause: 'The owner has not made the events visible.',
    remedy: 'Final until the owner changes it. The rating still counts the events.',
  },
  AltAddressMalformed: {
    cause: 'The address is not base58 of 32 bytes.',
    remedy: 'Correct the address. Letter case matters.',
  },
  WalletNotBound: {
    cause: 'The binding registry of the alt chain has no entry for this wallet.',
    remedy: 'Final until its owner binds it. A new binding is visible within a minute.',
  },
  BindingRevoked: {
    cause: 'The binding of this wallet was revoked.',
    remedy: 'Final until its owner binds it again.',
  },
  BindingRegistryUnreadable: {
    cause: 'The binding registry cannot be read now, so it is unknown whether the wallet is bound.',
    remedy: 'Retry later and keep your last known value. This says nothing about the wallet.',
  },
  ChangesGone: {
    cause:
      'The cursor is older than the stored changes, which are those of the last 30 days and at most 1,000,000, or the database was replaced.',
    remedy: 'Read the machines again, then continue from `newest` of a page that was read before.',
  },
  StreamsExceeded: {
    cause: 'The limit on open streams is reached, for this network or for the service.',
    remedy: 'Use one stream for all kinds and machines, or poll `/changes`.',
  },
  StatementUnavailable: {
    cause:
      'The rating is not signed now: it is not final, some amounts are not converted yet, or the service is not sure of its logs, its clock or its key.',
    remedy: 'Retry later; `/mcr/{did}` may answer meanwhile. This says nothing about the machine.',
  },
  ServiceNotInitialised: {
    cause: 'The service was started without the addresses of the contracts that this route reads.',
    remedy: 'Operators: configure them (`svc doctor`). Callers: retry later.',
  },
  ChainUnreadable: {
    cause:
      'No node of the chain returned complete and consistent data in time, or the response was not ready within the deadline.',
    remedy: RETRY_LATER,
  },
  LookupsExceeded: {
    cause:
      'The call budget of the chain is used up by new lookups, and the turn of this caller did not come within 2 seconds.',
    remedy: 'Retry after the time in `Retry-After`. Machines that are cached are served meanwhile.',
  },
  EventIndexSyncing: {
    cause: 'The event index is still catching up with the chain, so a rating would miss events.',
    remedy: INDEX_PROGRESS,
  },
  OperatorIndexSyncing: {
    cause: 'The machine index is behind the chain, so a fleet would miss machines.',
    remedy: INDEX_PROGRESS,
  },
  OperatorIndexStale: {
    cause: 'The head of the chain was not read for so long that the lag of the machine index is unknown.',
    remedy: RETRY_LATER,
  },
  OwnershipIndexRepairing: {
    cause:
      'The machine index holds another number of tokens of this address than the registry counts, so a fleet would be wrong.',
    remedy: 'Retry later: the owners of the machines of this address are being read again.',
  },
  AltSnapshotOutOfDate: {
    cause: 'The owners of machines of the alt chain were not read for so long that the list may be wrong.',
    remedy: RETRY_LATER,
  },
  StoreUnavailable: {
    cause: 'The database of the service did not respond.',
    remedy: 'Retry later. A write may or may not have been stored: read the state before you write again.',
  },
  RateLimited: {
    cause: 'Too many requests from this address to this path within a minute.',
    remedy: 'Wait for the time in `Retry-After`, or a minute without it. Send `If-None-Match` and cache responses.',
  },
  RouteUnknown: {
    cause: 'No route has this path.',
    remedy: 'Compare the path with `/openapi.json`. A trailing slash makes another path.',
  },
  MethodNotAllowed: {
    cause: 'The path does not support this method.',
    remedy: 'Use a method listed in the header `Allow`.',
  },
  NotAcceptable: {
    cause: 'The header `Accept` excludes JSON.',
    remedy: 'Accept `application/json`, or omit the header.',
  },
  RequestTooLarge: {
    cause: 'The headers exceed the size limit (431, under Verify 413), or the body exceeds it (413).',
    remedy: 'Shorten the headers (431) or the body (413). The same request is rejected again.',
  },
  RequestMalformed: {
    cause:
      'The request is not valid HTTP, its body is not what the route accepts, or it has a query where none is allowed.',
    remedy: CORRECT,
  },
  RequestTimeout: {
    cause: 'The request did not arrive completely in time.',
    remedy: 'Send the whole request again without pauses.',
  },
  OnboardingUnauthorized: {
    cause: 'The request does not have exactly one `Authorization: Bearer` header with a valid token.',
    remedy: 'Send the token of the onboarding provider. After a rotation, request the new one from the operator.',
  },
  ChallengesExhausted: {
    cause: 'The limit on open challenges is reached.',
    remedy: 'Submit evidence for those that were issued, or wait until they expire, at most 5 minutes.',
  },
  EvidenceNotCanonical: {
    cause: 'The document is not byte for byte in canonical form: member order, spaces, number or string encoding.',
    remedy: 'Build it with the client or `svc chip prove`, and send the bytes unchanged.',
  },
  EvidenceUnsupported: {
    cause: 'The service does not support the schema, profile or scheme of the document.',
    remedy: 'Use the profile named in the challenge.',
  },
  ClockInvalid: {
    cause: 'The clock of the service is behind the chain, or has just jumped.',
    remedy:
      'Callers: retry; it recovers with the next block that agrees with the clock. Operators: see `clock` of `/ready`, and set the clock.',
  },
  ChallengeUnknown: {
    cause: 'This service did not issue a challenge with this nonce, or has deleted it after it expired.',
    remedy: NEW_CHALLENGE,
  },
  EvidenceAlreadyAccepted: {
    cause: 'Exactly these bytes were accepted before.',
    remedy: 'Nothing. The evidence was already accepted; the earlier response was probably lost.',
  },
  ChallengeConsumed: {
    cause: 'Another document was accepted for this challenge.',
    remedy: NEW_CHALLENGE,
  },
  ChallengeExpired: {
    cause: 'The document arrived after its challenge expired.',
    remedy: NEW_CHALLENGE,
  },
  EvidenceMismatch: {
    cause: 'The document contradicts its challenge, its certificate, or the state of the machine on the chain.',
    remedy: NEW_EVIDENCE,
  },
  CertificateInvalid: {
    cause:
      'The certificate cannot be parsed, is not valid today, or has content that a chip certificate must not have.',
    remedy: OTHER_CHIP,
  },
  CertificateUnsupported: {
    cause: 'The certificate has a form that the profile does not accept.',
    remedy: OTHER_CHIP,
  },
  CertificateUntrusted: {
    cause: 'The certificate does not chain to a root that is pinned here.',
    remedy: OTHER_CHIP,
  },
  ChipProofInvalid: {
    cause: "The chip's signature does not match its key and the challenge.",
    remedy: `${NEW_EVIDENCE} The chip signs the prehash directly, without hashing it again.`,
  },
  ControllerProofInvalid: {
    cause: "The controller's signature does not match the message, or was made with another key.",
    remedy: NEW_EVIDENCE,
  },
  ControllerChanged: {
    cause: 'The machine has another controller than when the challenge was issued.',
    remedy: NEW_CHALLENGE,
  },
  Unexpected: {
    cause: 'Internal error of the service.',
    remedy: 'Retry once. If the error persists, report the route and the time to the operator.',
  },
};
