/** Dates of the certificates that a chip record rests on (design/provable 4). */
import { parseCertificateTime } from '../../src/domain/evidence/certificate/certificate-time.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import type { TrustMaterial } from '../../src/domain/evidence/certificate/trust-material.ts';
import * as steps from '../../src/domain/evidence/evidence-steps.ts';

/** Returns the earliest end of leaf, intermediate and root, in Unix seconds. Throws the faults of a malformed document. */
export function findEarliestEnd(evidence: Uint8Array, trust: TrustMaterial): number {
  const { leafDer } = steps.requireWellFormed(evidence);
  const leaf = parseCertificate(leafDer);
  if (leaf === undefined) throw new Error('the certificate of accepted evidence cannot be parsed');
  return Math.min(...[leaf, trust.intermediate, trust.root].map(({ notAfter }) => parseCertificateTime(notAfter)!));
}
