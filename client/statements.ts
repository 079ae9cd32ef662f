/**
 * Rating statements (design/provable 1). `getRatingStatement` requests one, `getStatementKeys` the published keys, and `verifyRatingStatement`
 * checks a document against them. A document is verified without a connection, also when the service is gone.
 */
import { formatAddress, formatMachineDid, parseAddress } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE, type Namespace } from '../src/domain/identifiers/namespace.ts';
import { statementDomain, type RatingStatement } from '../src/domain/statements/rating-statement.ts';
import type { StatementKey } from '../src/domain/statements/statement-keys.ts';
import {
  verifyStatement,
  type StatementExpectation,
  type StatementProblem,
} from '../src/domain/statements/statement-verification.ts';
import type { StatementDirectoryResponse, StatementResponse } from '../src/http/wire/response-types.ts';
import { request, type Connection, type RequestOptions, type Result } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export type { RatingStatement, StatementProblem };

/** A key as the service publishes it, or an address that the verifier trusts at any time. */
export type AcceptedKey = StatementDirectoryResponse['keys'][number] | string;

export interface StatementTrust {
  /** Main chain of the deployment. */
  readonly chainId: number;
  /** Machine registry of the deployment. */
  readonly registry: string;
  /** Keys that may have signed: addresses known from elsewhere, or the published ones. */
  readonly keys: readonly AcceptedKey[];
  /** Unix second at which the statement must be valid; left out: the clock. */
  readonly nowSeconds?: number;
  /** The namespace of the deployment, where it differs from the default. */
  readonly namespace?: Partial<Namespace>;
}

export type StatementCheck =
  | { readonly ok: true; readonly statement: RatingStatement; readonly signer: string }
  /** `invalid trust`: a registry or key that is no address. */
  | { readonly ok: false; readonly problem: StatementProblem | 'invalid trust' };

/** Requests the machine's statement. It is not verified yet. */
export function getRatingStatement(
  connection: Connection,
  machine: MachineKey,
  options: RequestOptions = {},
): Promise<Result<StatementResponse>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    request<StatementResponse>(
      connection,
      `/mcr/${formatMachineDid(id, namespace)}/statement`,
      ({ statement }) => (statement as { machineId?: unknown } | null)?.machineId === String(id),
      options,
    ),
  );
}

/** Requests all keys that sign or ever signed statements. They are as trustworthy as the connection. */
export function getStatementKeys(
  connection: Connection,
  options: RequestOptions = {},
): Promise<Result<StatementDirectoryResponse>> {
  return request<StatementDirectoryResponse>(
    connection,
    connection.namespace.statements_path,
    ({ keys }) => Array.isArray(keys),
    options,
  );
}

/** Verifies a statement, given as text or as parsed JSON. Never throws for what the document holds. */
export function verifyRatingStatement(document: unknown, trust: StatementTrust): StatementCheck {
  const signers = toExpectedSigners(trust);
  if (signers === undefined) return { ok: false, problem: 'invalid trust' };
  const result = verifyStatement(document, signers);
  return result.problem === undefined
    ? { ok: true, statement: result.statement, signer: formatAddress(result.signer) }
    : { ok: false, problem: result.problem };
}

/** Returns what a signed document must be of; undefined for a registry or key that is no address. */
export function toExpectedSigners({
  chainId,
  keys,
  nowSeconds = Math.floor(Date.now() / 1000),
  ...trust
}: StatementTrust): StatementExpectation | undefined {
  const registry = parseAddress(trust.registry);
  const accepted = keys.map(toKey);
  if (registry === undefined || accepted.includes(undefined)) return undefined;
  const domain = statementDomain(chainId, registry, { ...DEFAULT_NAMESPACE, ...trust.namespace });
  return { domain, keys: accepted as StatementKey[], nowSeconds };
}

function toKey(key: AcceptedKey): StatementKey | undefined {
  const published = typeof key === 'string' ? { address: key, notBefore: 0, notAfter: null, revokedAt: null } : key;
  const address = parseAddress(published.address);
  return (
    address && {
      address,
      notBefore: published.notBefore ?? undefined,
      notAfter: published.notAfter ?? undefined,
      revokedAt: published.revokedAt ?? undefined,
    }
  );
}
