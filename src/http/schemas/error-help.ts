/**
 * Why does an error happen, and what should a caller do about it? One row for each kind of fault, for `docs/errors.md` and for readers of
 * the OpenAPI document. Answers themselves never hold these words.
 */
import type { FaultKind } from '../../domain/faults.ts';

export interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

const CORRECT = 'Correct the request; the same one is refused again.';
const ASK_LATER = 'Ask again later, and keep what was known: nothing is said of the machine.';
const SIGN_ANEW = 'Prepare the message anew and sign that one.';
const NEW_CHALLENGE = 'Ask for a new challenge, and make new evidence for it.';
const NEW_EVIDENCE = 'Make the document anew; the challenge stays open while it lasts.';
const OTHER_CHIP = 'Final for this certificate. Onboard the machine with a chip whose certificate is accepted.';

export const ERROR_HELP: { readonly [K in FaultKind | 'Unexpected']: ErrorHelp } = {
  MachineDidMalformed: {
    cause: 'The id is no decimal from 1 to 2^256 - 1 without leading zeros, or its DID is of another method.',
    remedy: 'Correct the id, and keep it as text all the way: a number rounds it.',
  },
  OperatorMalformed: {
    cause: 'The operator is not an address of the main chain, nor the DID of one.',
    remedy: 'Send 0x and 40 hex digits, alone or after the method.',
  },
  OperatorDidEmpty: {
    cause: 'Nothing stands after the method of the DID.',
    remedy: 'Append the address.',
  },
  ParametersInvalid: {
    cause: 'A parameter of the path or of the query has the wrong form, or is out of range.',
    remedy: 'The list names each: `loc` says where, `msg` what is wrong, `input` what was given.',
  },
  MachineAbsent: {
    cause:
      'There is no machine with this id, or it was retired. Chip challenges say so of machines of the alt chain, too.',
    remedy: 'Final, as long as nobody registers it. This is an answer, and says that the chain was read.',
  },
  MachineRelocating: {
    cause: 'The machine is on its way from one chain to another.',
    remedy: 'Ask again later: it can take minutes, and days when an attempt fails.',
  },
  MachineHomedElsewhere: {
    cause:
      'The machine lives on a chain that is not served here; the Verify record is served of main-chain machines only.',
    remedy: 'Ask a service of that chain; `home_protocol_chain_id` names it, where the answer has it.',
  },
  DecisionMalformed: {
    cause: 'The body is not JSON, or one of its members has the wrong form; the message names the first.',
    remedy: CORRECT,
  },
  DecisionOutsideWindow: {
    cause: 'The signed time is too old, or ahead of the clock of the service.',
    remedy: `${SIGN_ANEW} Set the clock of the signer.`,
  },
  SignatureUnrecoverable: {
    cause: 'No key can be recovered from the signature.',
    remedy: 'Sign with `personal_sign` (EIP-191), and send all 65 bytes as they are.',
  },
  SignerUnauthorized: {
    cause:
      'Whoever signed exactly this message is neither owner nor controller, or signed with the kind of key of another chain.',
    remedy: 'Compare the message with the one that was signed, then the signer with the owner and the controller.',
  },
  DecisionNotNewer: {
    cause: 'A decision of the same second or of a later one is in force.',
    remedy: `${SIGN_ANEW} Read the state first: it may be what was wanted.`,
  },
  MachineNotBonded: {
    cause: 'Only a machine with a bond can be opted in.',
    remedy: 'Lay the bond, wait until the chain shows it, and sign again.',
  },
  MachineDeactivated: {
    cause: 'An administrator has deactivated the machine.',
    remedy: 'Final, until it is active again.',
  },
  MachinePaused: {
    cause: 'The machine is paused on its chain.',
    remedy: 'Try again when it is no longer paused.',
  },
  EventDataPrivate: {
    cause: 'The owner does not have the events shown.',
    remedy: 'Final, until the owner changes it. The rating counts the events all the same.',
  },
  AltAddressMalformed: {
    cause: 'The address is not base58 of 32 bytes.',
    remedy: 'Correct the address; letters keep their case.',
  },
  WalletNotBound: {
    cause: 'The registry of bindings on the alt chain holds none of this wallet.',
    remedy: 'Final, until its owner binds it; a new binding is seen within a minute.',
  },
  BindingRevoked: {
    cause: 'The wallet was bound, and its binding was revoked.',
    remedy: 'Final, until its owner binds it again.',
  },
  BindingRegistryUnreadable: {
    cause: 'The registry of bindings cannot be read now, so whether the wallet is bound is not known.',
    remedy: ASK_LATER,
  },
  ServiceNotInitialised: {
    cause: 'The service was started without the addresses of the contracts that this route reads.',
    remedy: 'Operators set them (`svc doctor`); callers can only wait.',
  },
  ChainUnreadable: {
    cause:
      'No node of the chain answered in time, in full and without contradiction; or the answer was not ready within the deadline.',
    remedy: ASK_LATER,
  },
  EventIndexSyncing: {
    cause: 'The events of the chain are still being read, so a rating would leave some out.',
    remedy: 'Ask again after `Retry-After`; the text tells how far the index is.',
  },
  OperatorIndexSyncing: {
    cause: 'The list of machines is behind the chain, so a fleet would leave some out.',
    remedy: 'Ask again after `Retry-After`; the text tells how far the index is.',
  },
  OperatorIndexStale: {
    cause: 'The head of the chain was not seen for so long that nobody knows how far behind the list is.',
    remedy: ASK_LATER,
  },
  AltSnapshotOutOfDate: {
    cause: 'The owners of machines of the alt chain were not seen for so long that the list may be wrong.',
    remedy: ASK_LATER,
  },
  StoreUnavailable: {
    cause: 'The database of the service did not answer.',
    remedy: 'Ask again later. A write may have been stored or not: read the state before writing again.',
  },
  RateLimited: {
    cause: 'Too many requests from this address to this path within a minute.',
    remedy:
      'Wait as long as `Retry-After` says where it is sent, else a minute; send `If-None-Match` and keep answers.',
  },
  RouteUnknown: {
    cause: 'No route has this path.',
    remedy: 'Compare with `/openapi.json`; a slash at the end makes another path.',
  },
  MethodNotAllowed: {
    cause: 'The path is there, the method is not.',
    remedy: 'Use one of those that the header `Allow` names.',
  },
  NotAcceptable: {
    cause: 'The header `Accept` leaves out JSON.',
    remedy: 'Accept `application/json`, or leave the header out.',
  },
  RequestTooLarge: {
    cause: 'The headers, or the body, are larger than any honest request.',
    remedy: CORRECT,
  },
  RequestMalformed: {
    cause:
      'The request is not readable HTTP, its body is not what the route takes, or it has a query where none is known.',
    remedy: CORRECT,
  },
  RequestTimeout: {
    cause: 'The request did not arrive whole in time.',
    remedy: 'Send it again, in one go.',
  },
  OnboardingUnauthorized: {
    cause: 'There is not exactly one `Authorization: Bearer` header with a token that is known here.',
    remedy: 'Send the token of the onboarding provider; ask the operator for a new one after a rotation.',
  },
  ChallengesExhausted: {
    cause: 'As many challenges are open as may be.',
    remedy: 'Submit those that were issued, or wait until they expire, at most 5 minutes.',
  },
  EvidenceNotCanonical: {
    cause:
      'The document is not byte for byte in canonical form: order of members, spaces, spelling of numbers or text.',
    remedy: 'Build it with the client or `svc chip prove`, and send the bytes unchanged.',
  },
  EvidenceUnsupported: {
    cause: 'Its schema, profile or scheme is not one that this service knows.',
    remedy: 'Use the profile that the challenge names.',
  },
  ClockInvalid: {
    cause: 'The clock of the service cannot be relied on now.',
    remedy: 'Operators set the clock; callers try again while the challenge lasts.',
  },
  ChallengeUnknown: {
    cause: 'No challenge with this nonce was issued here, or it is long gone.',
    remedy: NEW_CHALLENGE,
  },
  EvidenceAlreadyAccepted: {
    cause: 'Exactly these bytes were accepted before.',
    remedy: 'Nothing: after an answer that was lost, this is the good news.',
  },
  ChallengeConsumed: {
    cause: 'Another document was accepted for this challenge.',
    remedy: NEW_CHALLENGE,
  },
  ChallengeExpired: {
    cause: 'The document came after the end of its challenge.',
    remedy: NEW_CHALLENGE,
  },
  EvidenceMismatch: {
    cause: 'The document contradicts its challenge, its certificate, or what the chain says of the machine.',
    remedy: NEW_EVIDENCE,
  },
  CertificateInvalid: {
    cause: 'The certificate cannot be read, is not good today, or holds what no certificate of a chip may.',
    remedy: OTHER_CHIP,
  },
  CertificateUnsupported: {
    cause: 'The certificate is of a form that the profile does not take.',
    remedy: OTHER_CHIP,
  },
  CertificateUntrusted: {
    cause: 'The certificate does not lead to a root that is pinned here.',
    remedy: OTHER_CHIP,
  },
  ChipProofInvalid: {
    cause: 'The signature of the chip does not fit its key and the challenge.',
    remedy: `${NEW_EVIDENCE} The chip signs the prehash as it is, without hashing it again.`,
  },
  ControllerProofInvalid: {
    cause: 'The signature of the controller does not fit the message, or another key made it.',
    remedy: NEW_EVIDENCE,
  },
  ControllerChanged: {
    cause: 'The machine has another controller than when the challenge was issued.',
    remedy: NEW_CHALLENGE,
  },
  Unexpected: {
    cause: 'An error of the service itself.',
    remedy: 'Ask again once; when it stays, tell the operator route and time.',
  },
};
