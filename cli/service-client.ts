/** Client of the service for commands: uses the deployment's namespace and converts errors to `CommandFailed`. */
import { createClient, type Client, type Connection, type Result } from '../client/client.ts';
import { loadConfig } from '../src/config.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';
import { openConnection, toFailure } from './http-reads.ts';

/** Values of `SERVICE_OPTIONS` that select the service and its configuration. */
export interface ServiceSelection {
  readonly 'base-url'?: string | undefined;
  readonly 'env-file'?: string | undefined;
}

/** Creates a client. Throws `CommandFailed`. */
export function openClient(selection: ServiceSelection): Client {
  return createClient(openService(selection));
}

/** Opens a connection with the configured namespace. Throws `CommandFailed`. */
export function openService({ 'base-url': baseUrl, 'env-file': envFile }: ServiceSelection): Connection {
  return openConnection(baseUrl, loadNamespace(envFile));
}

/** Returns the configured namespace. Throws `CommandFailed` when the configuration is invalid. */
export function loadNamespace(envFile: string | undefined): Namespace {
  const { config, problems } = loadConfig({ envFile, lenient: true });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return config.namespace;
}

/** Returns the value of a response. Throws `CommandFailed` with the service's message for an error. */
export function requireValue<T>({ connection }: Client, about: string, result: Result<T>): T {
  if (result.ok) return result.value;
  throw toFailure(connection, about, result.error);
}
