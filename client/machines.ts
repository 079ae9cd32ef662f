/** Reads rating, explanation, profile and card of one machine (interface, Read routes; http-facts 4 to 6). */
import { formatMachineDid, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type {
  CardResponse,
  ExplanationResponse,
  McrRecordResponse,
  ProfileFacts,
  ProfileResponse,
} from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection, type JsonObject } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isObject } from '../src/domain/json/json-values.ts';

/** A profile as the client returns it: `facts` is the object whose name is a word of the deployment. */
export interface Profile extends ProfileResponse {
  readonly facts: ProfileFacts;
}

/** Reads the rating. */
export function getRating(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<McrRecordResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, `/mcr/${formatMachineDid(id, connection.namespace)}`, isForMachine(id), options),
  );
}

/** Reads the rating, and where every point of it comes from. */
export function getExplanation(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<ExplanationResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/explanation`, isForMachine(id), options),
  );
}

/** Reads the profile. */
export function getProfile(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<Profile>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    requestProfile(connection, `/machine/${formatMachineDid(id, namespace)}`, id, options),
  );
}

/** Reads the profile by token id, as a token URI does. */
export function getTokenMetadata(
  connection: Connection,
  tokenId: MachineKey,
  options?: RequestOptions,
): Promise<Result<Profile>> {
  return withMachine(tokenId, connection.namespace, (id) => requestProfile(connection, `/metadata/${id}`, id, options));
}

/** Reads the card. */
export function getCard(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<CardResponse>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) => {
    const did = formatMachineDid(id, namespace);
    return request(connection, `/machines/${id}`, (body) => body['did'] === did, options);
  });
}

async function requestProfile(
  connection: Connection,
  path: string,
  id: MachineId,
  options: RequestOptions | undefined,
): Promise<Result<Profile>> {
  const { profile_object: word } = connection.namespace;
  const isProfile = (body: JsonObject) => isObject(body[word]) && isForMachine(id)(body[word]);
  const result = await request<JsonObject>(connection, path, isProfile, options);
  if (!result.ok) return result;
  const { [word]: facts, ...top } = result.value;
  return { ...result, value: { ...top, facts } as Profile };
}

/** Accepts responses about this machine only. */
export function isForMachine(id: MachineId): (body: JsonObject) => boolean {
  return ({ machine_id }) => machine_id === String(id);
}
