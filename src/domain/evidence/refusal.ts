/**
 * Kinds of fault that refuse an evidence document, one for each response that only the evidence route has (evidence 8 and 14).
 * They carry no context: no member, no value, no inner error.
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
