/** Published keys of rating statements: when each of them may sign, and whether it was revoked (design/provable 1). */
import type { Address } from '../identifiers/identifiers.ts';

/** Times in Unix seconds. A key is announced before its first statement and published for ever. */
export interface StatementKey {
  readonly address: Address;
  /** First second of `ratedAt`; undefined: announced, and not in use yet. */
  readonly notBefore: number | undefined;
  /** Last second of `ratedAt`; undefined: in use, or announced. */
  readonly notAfter: number | undefined;
  /** A revoked key proves nothing, whenever its statements claim to have been signed. */
  readonly revokedAt: number | undefined;
}

/** Returns whether statements of the key that were rated at this second are to be accepted. */
export function isKeyValidAt({ notBefore, notAfter, revokedAt }: StatementKey, ratedAt: number): boolean {
  return (
    revokedAt === undefined &&
    notBefore !== undefined &&
    notBefore <= ratedAt &&
    (notAfter === undefined || ratedAt <= notAfter)
  );
}
