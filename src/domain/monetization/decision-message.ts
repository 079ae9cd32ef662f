/**
 * Canonical message that an owner signs (canonical message of the interface, http-facts 9.3). Client, command and service all build it
 * here. Every field is validated first, so that none can inject a line.
 */
import { toMachineId } from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { Decision, DecisionHome, PublishedDeployment } from './decision.ts';

const HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const REGISTRY = /^0x[0-9a-f]{40}$/;
const CHAIN_ID = /^[1-9][0-9]{0,77}$/;
const MAX_ORDINAL = 2 ** 16 - 1;

/** Formats the message: six lines of ASCII separated by LF, without a trailing one. Throws a RangeError that names the invalid field. */
export function formatDecisionMessage(
  decision: Decision,
  home: DecisionHome,
  deployment: PublishedDeployment,
  namespace: Pick<Namespace, 'message_header'>,
): string {
  checkFields(decision, home, deployment, namespace.message_header);
  return [
    namespace.message_header,
    ...bindingLines(home, deployment),
    `machine_id: ${decision.machineId}`,
    `opted_in: ${decision.optedIn}`,
    `timestamp: ${decision.timestamp}`,
  ].join('\n');
}

/** Returns the lines that bind a signature to one deployment and home chain. */
function bindingLines(home: DecisionHome, { registry, chainId }: PublishedDeployment): readonly [string, string] {
  return home.chain === 'main'
    ? [`registry: ${registry}`, `chain_id: ${chainId}`]
    : [`audience: ${chainId}`, `home_chain: ${home.ordinal}`];
}

/** Checks types too: JavaScript callers of the published client could pass a rounded number, which names another machine. */
function checkFields(decision: Decision, home: DecisionHome, deployment: PublishedDeployment, header: unknown): void {
  check(isText(header, HEADER), 'message_header is not one line of printable ASCII');
  check(isText(deployment.registry, REGISTRY), 'registry is not 0x and 40 lower-case hex digits');
  check(isText(deployment.chainId, CHAIN_ID), 'chain_id is not a canonical decimal');
  check(isHome(home), 'home_chain is neither the main chain nor a protocol chain ordinal');
  check(isMachineId(decision.machineId), 'machine_id is not a bigint in 1 to 2^256 - 1');
  check(typeof decision.optedIn === 'boolean', 'opted_in is not a boolean');
  check(isBetween(decision.timestamp, 1, Number.MAX_SAFE_INTEGER), 'timestamp is not an integer in 1 to 2^53 - 1');
}

function check(isSignable: boolean, problem: string): void {
  if (!isSignable) throw new RangeError(problem);
}

function isHome({ chain, ordinal }: { readonly chain: unknown; readonly ordinal?: unknown }): boolean {
  return chain === 'main' || (chain === 'alt' && isBetween(ordinal, 1, MAX_ORDINAL));
}

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isMachineId(value: unknown): boolean {
  return typeof value === 'bigint' && toMachineId(value) !== undefined;
}
