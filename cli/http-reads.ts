/** What does the service answer? The requests of the client, for the commands that show an answer as it is, with every error as an ending. */
import { connect, type Connection, type ServiceError } from '../client/client.ts';
import { ask, type JsonObject } from '../client/http.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';

export type { JsonObject } from '../client/http.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8000';

/** Throws `CommandFailed` for what is no URL. */
export function openConnection(baseUrl: string, namespace?: Namespace): Connection {
  if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandFailed('usage', '--base-url must be a URL');
  }
  return connect({ baseUrl, ...(namespace && { namespace }) });
}

/** Reads one document. Throws `CommandFailed` with the service's own words when it answers anything but 200; `about` is what was asked for. */
export async function readDocument(connection: Connection, path: string, about: string): Promise<JsonObject> {
  const answer = await ask<JsonObject>(connection, path, () => true);
  if (answer.ok) return answer.value;
  throw toFailure(connection, about, answer.error, formatDetail(answer.error));
}

/** `reason`: the service's own words about a request that it did not fulfil. */
export function toFailure(
  { baseUrl }: Connection,
  about: string,
  error: ServiceError,
  reason = error.text,
): CommandFailed {
  if (error.kind === 'unreachable') {
    const hint = 'svc demo starts one here, --base-url names another';
    return new CommandFailed('unreachable', `the service at ${new URL(baseUrl).origin} does not answer; ${hint}`);
  }
  if (error.kind === 'invalid-argument') return new CommandFailed('usage', `${JSON.stringify(about)} is ${error.text}`);
  return new CommandFailed('refused', printable(`${about}: ${error.status} ${reason}`));
}

/** An error as the service sends it: a text, or what it holds besides. */
export function formatDetail(error: ServiceError): string {
  if (error.kind === 'invalid-parameters') return JSON.stringify(error.issues);
  if (!('code' in error)) return error.text;
  const home = 'homeProtocolChainId' in error ? { home_protocol_chain_id: error.homeProtocolChainId } : {};
  return JSON.stringify({ code: error.code, message: error.text, ...home });
}

/** What a stranger wrote must not steer a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\uFFFD');
}
