/** Keys and deployment that a signed document is verified against, and the file that holds it. */
import { readFile } from 'node:fs/promises';
import { getStatementKeys, type AcceptedKey } from '../client/statements.ts';
import { loadConfig } from '../src/config.ts';
import { formatAddress, parseAddress } from '../src/domain/identifiers/identifiers.ts';
import { isObject, parseJson } from '../src/domain/json/json-values.ts';
import { CommandFailed } from './exit-codes.ts';
import { toFailure } from './http-reads.ts';
import { openService, type ServiceSelection } from './service-client.ts';

/** Reads the file of a document. Throws `CommandFailed`. */
export function readDocumentFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new CommandFailed('usage', 'FILE cannot be read');
  });
}

export interface DocumentTrust {
  readonly chainId: number;
  readonly registry: string;
  readonly keys: readonly AcceptedKey[];
}

/**
 * Finds the deployment and the accepted keys: from the configuration and `--signer`, else from the service. With `--signer` alone, the
 * deployment is the one that the signed document names.
 */
export async function findDocumentTrust(
  kind: 'statement' | 'bundle',
  text: string,
  { signer, ...service }: ServiceSelection & { readonly signer?: string },
): Promise<DocumentTrust> {
  const keys = signer === undefined ? undefined : [requireAddress('--signer', signer)];
  const { mainChain } = loadConfig({ envFile: service['env-file'], lenient: true }).config;
  const configured = mainChain && { chainId: mainChain.chainId, registry: mainChain.addresses.machineRegistry };
  if (keys !== undefined) return { ...(configured ?? readDeployment(kind, text)), keys };
  const connection = openService(service);
  const published = await getStatementKeys(connection);
  if (!published.ok) throw toFailure(connection, 'the published keys', published.error);
  const { domain } = published.value;
  return { chainId: domain.chainId, registry: domain.verifyingContract, ...configured, keys: published.value.keys };
}

function readDeployment(kind: string, text: string): { readonly chainId: number; readonly registry: string } {
  const document = parseJson(text);
  const domain = isObject(document) && isObject(document['domain']) ? document['domain'] : {};
  const { chainId, verifyingContract: registry } = domain as Record<string, unknown>;
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId < 1 || typeof registry !== 'string') {
    throw new CommandFailed('verificationFailed', `the ${kind} proves nothing: malformed`);
  }
  return { chainId, registry };
}

/** Parses an address of a command line. Throws `CommandFailed`, also for a wrong checksum. */
export function requireAddress(name: string, text: string) {
  const address = parseAddress(text);
  // A mixed-case address carries a checksum, which detects a mistyped digit.
  const isMistyped = address !== undefined && text !== text.toLowerCase() && text !== formatAddress(address);
  if (address === undefined || isMistyped) {
    throw new CommandFailed('usage', `${name} must be 0x and 40 hex digits, with a right checksum`);
  }
  return address;
}
