/** What does the service say of one machine? Rating, its explanation, profile and card (interface, Read routes; http-facts 4 to 6). */
import { formatMachineDid, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type {
  CardResponse,
  ExplanationResponse,
  McrRecordResponse,
  ProfileFacts,
  ProfileResponse,
} from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection, type JsonObject } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isObject } from './service-errors.ts';

/** A profile as the client returns it: `facts` is the object whose name is a word of the deployment. */
export interface Profile extends ProfileResponse {
  readonly facts: ProfileFacts;
}

export function getRating(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<McrRecordResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}`, isAbout(id), options),
  );
}

/** The rating, and where every point of it comes from. */
export function getExplanation(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<ExplanationResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/explanation`, isAbout(id), options),
  );
}

export function getProfile(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<Profile>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    askProfile(connection, `/machine/${formatMachineDid(id, namespace)}`, id, options),
  );
}

/** The profile, where a token URI points. */
export function getTokenMetadata(
  connection: Connection,
  tokenId: MachineKey,
  options?: AskOptions,
): Promise<Answer<Profile>> {
  return withMachine(tokenId, connection.namespace, (id) => askProfile(connection, `/metadata/${id}`, id, options));
}

export function getCard(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<CardResponse>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) => {
    const did = formatMachineDid(id, namespace);
    return ask(connection, `/machines/${id}`, (body) => body['did'] === did, options);
  });
}

async function askProfile(
  connection: Connection,
  path: string,
  id: MachineId,
  options: AskOptions | undefined,
): Promise<Answer<Profile>> {
  const { profile_object: word } = connection.namespace;
  const isProfile = (body: JsonObject) => isObject(body[word]) && isAbout(id)(body[word]);
  const answer = await ask<JsonObject>(connection, path, isProfile, options);
  if (!answer.ok) return answer;
  const { [word]: facts, ...top } = answer.value;
  return { ...answer, value: { ...top, facts } as Profile };
}

/** An answer about another machine is none. */
export function isAbout(id: MachineId): (body: JsonObject) => boolean {
  return ({ machine_id }) => machine_id === String(id);
}
