/** HTTP reads for commands that print a response as it is. Converts every error to `CommandFailed`. */
import { connect, type Connection, type ServiceError } from '../client/client.ts';
import { request, type JsonObject } from '../client/http.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';

export type { JsonObject } from '../client/http.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8000';

/** Opens a connection, to `DEFAULT_BASE_URL` when no URL is given. Throws `CommandFailed` unless the URL is HTTP or HTTPS. */
export function openConnection(baseUrl = DEFAULT_BASE_URL, namespace?: Namespace): Connection {
  if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandFailed('usage', '--base-url must be a URL that starts with http:// or https://');
  }
  return connect({ baseUrl, ...(namespace && { namespace }) });
}

/** Reads one JSON document. Throws `CommandFailed` with the service's message unless the status is 200; `about` names the request. */
export async function readDocument(connection: Connection, path: string, about: string): Promise<JsonObject> {
  const result = await request<JsonObject>(connection, path, () => true);
  if (result.ok) return result.value;
  throw toFailure(connection, about, result.error, formatDetail(result.error));
}

/** Converts an error of the client. `reason` is the service's message, `about` names the request. */
export function toFailure(
  { baseUrl }: Connection,
  about: string,
  error: ServiceError,
  reason = error.text,
): CommandFailed {
  if (error.kind === 'unreachable') {
    const hint = 'start one with svc demo, or name another with --base-url';
    return new CommandFailed('unreachable', `the service at ${new URL(baseUrl).origin} does not respond; ${hint}`);
  }
  if (error.kind === 'invalid-argument') return new CommandFailed('usage', `${JSON.stringify(about)} is ${error.text}`);
  return new CommandFailed('refused', printable(`${about}: ${error.status} ${reason}`));
}

/** Formats the error as the service sends it: its text, or JSON when it has further members. */
export function formatDetail(error: ServiceError): string {
  if (error.kind === 'invalid-parameters') return JSON.stringify(error.issues);
  if (!('code' in error)) return error.text;
  const home = 'homeProtocolChainId' in error ? { home_protocol_chain_id: error.homeProtocolChainId } : {};
  return JSON.stringify({ code: error.code, message: error.text, ...home });
}

/** Replaces control characters, so that foreign text cannot control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\uFFFD');
}
