/** Signing of rating statements, configured at start (design/provable 1). */
import type { MainChainKey } from '../domain/signatures/account-keys.ts';

export interface StatementConfig {
  readonly key: MainChainKey;
  /** At most `MAX_STATEMENT_LIFETIME_SECONDS`. */
  readonly lifetimeSeconds: number;
}
