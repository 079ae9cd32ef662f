/** Maps the published keys of rating statements to their response (design/provable 1). */
import type { StatementDirectory } from '../../actions/statement.ts';
import { formatAddress } from '../../domain/identifiers/identifiers.ts';
import { STATEMENT_TYPES } from '../../domain/statements/rating-statement.ts';
import type { StatementDirectoryResponse } from './response-types.ts';

export function toStatementDirectory({ keys, domain }: StatementDirectory): StatementDirectoryResponse {
  return {
    keys: keys.map(({ address, notBefore = null, notAfter = null, revokedAt = null }) => ({
      address: formatAddress(address),
      notBefore,
      notAfter,
      revokedAt,
    })),
    domain,
    types: STATEMENT_TYPES,
  };
}
