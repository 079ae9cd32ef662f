/**
 * Parser of `WATCH_FILE`: a JSON object with the receivers of webhooks, and a file for the secret of each (docs/decisions/changes.md).
 * Problems name the place and repeat no text of the file.
 */
import { CHANGE_KINDS, type ChangeKind } from '../../domain/changes/machine-change.ts';
import type { WatchedSubjects } from '../../domain/changes/watch-list.ts';
import { parseAddress, parseMachineDid, parseMachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { isObject } from '../../domain/json/json-values.ts';
import { parseUntrustedObject } from '../../domain/json/untrusted-json.ts';
import { isLoopbackAddress } from '../outbound/public-address.ts';
import { parseWebhookSecret } from './webhook-signature.ts';
import { readConfiguredFile } from '../files/configured-file.ts';

export interface Receiver extends WatchedSubjects {
  readonly url: URL;
  readonly secrets: readonly Buffer[];
  /** Whether its name may resolve to an address that is not public. */
  readonly allowsPrivateAddress: boolean;
}

export type WatchFileReading =
  | { readonly receivers: readonly Receiver[]; readonly problems?: undefined }
  | { readonly receivers?: undefined; readonly problems: readonly string[] };

const MAX_RECEIVERS = 50;
/** Machines and operators of one receiver. */
const MAX_SUBJECTS = 100_000;
const MAX_SECRETS = 2;
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MEMBERS = ['name', 'url', 'secret_file', 'machines', 'operators', 'kinds', 'allow_private_address'];

/** Reads the file and the secret files that it names. */
export async function readWatchFile(path: string, namespace: Namespace): Promise<WatchFileReading> {
  const { bytes, problem } = await readConfiguredFile(path);
  if (problem !== undefined) return { problems: [`WATCH_FILE: ${problem}`] };
  const file: object | undefined = parseUntrustedObject(bytes);
  if (!isObject(file) || !Array.isArray(file['receivers']) || Object.keys(file).length !== 1) {
    return { problems: ['WATCH_FILE: must be a JSON object with the member receivers, an array'] };
  }
  const entries = file['receivers'] as readonly unknown[];
  if (entries.length > MAX_RECEIVERS) return { problems: [`WATCH_FILE: has more than ${MAX_RECEIVERS} receivers`] };
  const problems: string[] = [];
  const receivers = await Promise.all(
    entries.map((entry, at) =>
      readReceiver(entry, namespace, (rule) => problems.push(`WATCH_FILE: receiver ${at + 1}: ${rule}`)),
    ),
  );
  const names = receivers.map((receiver) => receiver?.name);
  for (const [at, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < at)
      problems.push(`WATCH_FILE: receiver ${at + 1}: has the name of another one`);
  }
  return problems.length > 0 ? { problems } : { receivers: receivers.filter((receiver) => receiver !== undefined) };
}

async function readReceiver(
  entry: unknown,
  namespace: Namespace,
  refuse: (rule: string) => void,
): Promise<Receiver | undefined> {
  if (!isObject(entry)) {
    refuse('must be an object');
    return undefined;
  }
  if (Object.keys(entry).some((member) => !MEMBERS.includes(member)))
    refuse(`has members besides ${MEMBERS.join(', ')}`);
  const { name, url, secret_file: secretFile, kinds, allow_private_address: allowsPrivateAddress = false } = entry;
  const isNamed = typeof name === 'string' && NAME.test(name);
  if (!isNamed) refuse('name must be 1 to 63 lower-case letters, digits and hyphens');
  const target = parseTarget(url);
  if (target === undefined)
    refuse('url must begin with https://, or with http:// and a loopback host, without user and fragment');
  if (typeof allowsPrivateAddress !== 'boolean') refuse('allow_private_address must be true or false');
  const machines = parseList(entry['machines'], (text) => parseMachineId(text) ?? parseMachineDid(text, namespace));
  if (machines === undefined) refuse('machines must be an array of machine ids or DIDs');
  const operators = parseList(entry['operators'], parseAddress);
  if (operators === undefined) refuse('operators must be an array of addresses');
  if (machines?.size === 0 && operators?.size === 0) refuse('machines or operators must name one');
  const wanted = kinds === undefined ? undefined : parseList(kinds, parseKind);
  if (kinds !== undefined && (wanted === undefined || wanted.size === 0))
    refuse(`kinds must be an array of ${CHANGE_KINDS.join(', ')}`);
  const secrets = typeof secretFile === 'string' ? await readSecrets(secretFile, refuse) : undefined;
  if (typeof secretFile !== 'string') refuse('secret_file must name a file');
  if (!isNamed || target === undefined || machines === undefined || operators === undefined || secrets === undefined)
    return undefined;
  return {
    name,
    url: target,
    secrets,
    machines,
    operators,
    kinds: wanted,
    allowsPrivateAddress: allowsPrivateAddress === true,
  };
}

function parseTarget(text: unknown): URL | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopbackHost(url) ? url : undefined;
}

/** Returns whether the URL names the machine itself: `localhost` or a loopback address. */
export function isLoopbackHost({ hostname }: URL): boolean {
  return hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
}

/** Parses an array of texts, empty where it is absent; undefined when any of them is invalid. */
function parseList<T>(value: unknown, parse: (text: string) => T | undefined): Set<T> | undefined {
  if (value === undefined) return new Set();
  if (!Array.isArray(value) || value.length > MAX_SUBJECTS) return undefined;
  const parsed = value.map((text: unknown) => (typeof text === 'string' ? parse(text) : undefined));
  return parsed.every((each) => each !== undefined) ? new Set(parsed) : undefined;
}

function parseKind(text: string): ChangeKind | undefined {
  return CHANGE_KINDS.find((kind) => kind === text);
}

async function readSecrets(path: string, refuse: (rule: string) => void): Promise<Buffer[] | undefined> {
  const { bytes, problem } = await readConfiguredFile(path);
  if (problem !== undefined) {
    refuse(`secret_file ${problem}`);
    return undefined;
  }
  const secrets = bytes
    .toString('utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) => parseWebhookSecret(line.trim()));
  const isValid = secrets.length <= MAX_SECRETS && secrets.every((secret) => secret !== undefined);
  if (!isValid) refuse('secret_file must hold one or two lines, each whsec_ and base64 of 24 to 64 bytes');
  return isValid ? secrets : undefined;
}
