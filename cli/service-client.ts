/** How does a command ask what the client can ask? With the words of the deployment, and every error as an ending of the command. */
import { createClient, type Answer, type Client } from '../client/client.ts';
import { loadConfig } from '../src/config.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';
import { openConnection, toFailure } from './http-reads.ts';

/** Throws `CommandFailed`. */
export function openClient(baseUrl: string, envFile: string | undefined): Client {
  return createClient(openConnection(baseUrl, loadNamespace(envFile)));
}

/** The words of the deployment. Throws `CommandFailed`. */
export function loadNamespace(envFile: string | undefined): Namespace {
  const { config, problems } = loadConfig({ envFile, lenient: true });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return config.namespace;
}

/** The value. Throws `CommandFailed` with the service's own words where there is none. */
export function requireValue<T>({ connection }: Client, about: string, answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw toFailure(connection, about, answer.error);
}
