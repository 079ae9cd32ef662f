/** How does a command ask what the client can ask? With the words of the deployment, and every error as an ending of the command. */
import { createClient, type Answer, type Client, type ServiceError } from '../client/client.ts';
import { loadConfig } from '../src/config.ts';
import { CommandFailed } from './exit-codes.ts';
import { printable } from './http-reads.ts';

/** Throws `CommandFailed`. */
export function openClient(baseUrl: string, envFile: string | undefined): Client {
  if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandFailed('usage', '--base-url must be a URL');
  }
  const { config, problems } = loadConfig({ envFile, lenient: true });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return createClient({ baseUrl, namespace: config.namespace });
}

/** The value. Throws `CommandFailed` with the service's own words where there is none. */
export function requireValue<T>(client: Client, about: string, answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw toFailure(client, about, answer.error);
}

function toFailure({ connection }: Client, about: string, error: ServiceError): CommandFailed {
  if (error.kind === 'unreachable') {
    return new CommandFailed('unreachable', `the service at ${new URL(connection.baseUrl).origin} does not answer`);
  }
  if (error.kind === 'invalid-argument') return new CommandFailed('usage', `${JSON.stringify(about)} is ${error.text}`);
  return new CommandFailed('refused', printable(`${about}: ${error.status} ${error.text}`));
}
