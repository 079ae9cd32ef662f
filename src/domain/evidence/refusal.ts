/**
 * Why is a document not taken? One kind for every answer of the evidence route that no other route has (evidence 8 and 14).
 * What other routes know too is a `Fault`: `RequestMalformed`, `MachineAbsent`, `MachineRelocating`, `ChainUnreadable`,
 * `StoreUnavailable`.
 */

export type EvidenceRefusalKind =
  | 'EvidenceNotCanonical'
  | 'EvidenceUnsupported'
  | 'ClockInvalid'
  | 'ChallengeUnknown'
  | 'EvidenceAlreadyAccepted'
  | 'ChallengeConsumed'
  | 'ChallengeExpired'
  | 'EvidenceMismatch'
  | CertificateRefusalKind
  | 'ChipProofInvalid'
  | 'ControllerProofInvalid'
  | 'MachineDeactivated'
  | 'ControllerChanged';

export type CertificateRefusalKind = 'CertificateInvalid' | 'CertificateUnsupported' | 'CertificateUntrusted';

/** Names the class and nothing else: no member, no value, no inner error. */
export class EvidenceRefusal extends Error {
  readonly kind: EvidenceRefusalKind;

  constructor(kind: EvidenceRefusalKind) {
    super(kind);
    this.name = 'EvidenceRefusal';
    this.kind = kind;
  }
}
