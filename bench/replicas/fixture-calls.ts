/**
 * Calls to a whole service: reads of every machine, operator and wallet of the devnet, with the results that its fixtures
 * expect, a few signed decisions of owners and a few rejected challenges of providers. Each call comes from one of many
 * addresses, so that no rate limit applies.
 */
import type { Fixtures, MachineFixture } from '../../devnet/fixtures.ts';
import type { Random } from '../../sim/random.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { prepareDecision } from '../../src/domain/monetization/prepared-decision.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createMainChainKey } from '../../testing/fixtures/signing-keys.ts';
import type { Call } from './fixed-rate-load.ts';

const DECISION_SHARE = 0.005;
const CHALLENGE_SHARE = 0.005;
/** Small, because each read calls the alt chain's node, which shares the machine. */
const ALT_SHARE = 0.01;
/** How far back the first decision of a machine is signed. */
const OLDEST_SECONDS = 200;
const NEWEST_SECONDS = 20;
const BRACE = '{'.charCodeAt(0);

export interface FixtureCalls {
  /** Returns the call of that number. */
  readonly next: (index: number) => Call;
  /** All reads, each once. */
  readonly reads: readonly Call[];
}

export function createCalls(fixtures: Fixtures, token: string, random: Random): FixtureCalls {
  const fleet = fixtures.machines.filter(({ name, home }) => name.startsWith('fleet') && home === 'main');
  const deciding = new Set(fleet.map(({ id }) => id));
  const main: Call[] = [];
  const alt: Call[] = [];
  for (const { id, home, expect } of fixtures.machines) {
    for (const [path, { status, body }] of Object.entries(expect)) {
      const isDecided = deciding.has(id);
      (home === 'main' ? main : alt).push(createRead(path, status, isDecided ? {} : body, isDecided));
    }
  }
  for (const { expect } of fixtures.operators) {
    for (const [path, { status, body }] of Object.entries(expect)) main.push(createRead(path, status, body));
  }
  for (const { expect } of fixtures.wallets) {
    for (const [path, { status, body }] of Object.entries(expect)) alt.push(createRead(path, status, body));
  }
  const decide = createDecisions(fixtures, fleet, random);
  const challenge: Call = {
    bytes: createRequest('POST', '/v1/verify/chip/challenge', '{}', `Authorization: Bearer ${token}\r\n`),
    judge: (status) => (status === 400 ? undefined : `status ${status}`),
  };
  const next = (index: number): Call => {
    const call =
      (random.chance(DECISION_SHARE) ? decide() : undefined) ??
      (random.chance(CHALLENGE_SHARE) ? challenge : random.pick(random.chance(ALT_SHARE) ? alt : main));
    return sendFrom(index, call);
  };
  return { next, reads: [...main, ...alt].map((call, index) => sendFrom(2 ** 24 - 1 - index, call)) };
}

/** Sends a call from one of 2^24 addresses behind the load balancer. */
function sendFrom(caller: number, call: Call): Call {
  const address = `10.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`;
  return { ...call, bytes: call.bytes.replace('\r\n', `\r\nX-Forwarded-For: ${address}\r\n`) };
}

/** Creates a read. A body equal to an earlier correct one is correct; any other is parsed and compared. `isDecided`: decisions change the body, so none is cached. */
function createRead(path: string, expected: number, members: unknown, isDecided = false): Call {
  let correct: Buffer | undefined;
  return {
    bytes: createRequest('GET', path),
    judge(status, body) {
      if (status !== expected) return `status ${status} ${body[0] === BRACE ? body.toString() : ''}`;
      if (correct?.equals(body) === true) return undefined;
      const difference = findDifference(members, JSON.parse(body.toString()));
      if (difference === undefined && !isDecided) correct = Buffer.from(body);
      return difference;
    },
  };
}

/** Creates decisions. A call returns undefined when the drawn machine has a decision open or already one at the latest acceptable time. */
function createDecisions(fixtures: Fixtures, fleet: readonly MachineFixture[], random: Random): () => Call | undefined {
  const { chainId, addresses } = fixtures.mainChain;
  const deployment = { chainId: String(chainId), registry: addresses.machineRegistry.toLowerCase() as Address };
  const signers = fleet.map(({ id, ownerKey }) => ({
    id,
    key: createMainChainKey(Buffer.from(ownerKey.slice(2), 'hex')),
  }));
  const newest = new Map<string, number>();
  const open = new Set<string>();
  return () => {
    const { id, key } = random.pick(signers);
    const now = Math.floor(Date.now() / 1000);
    const timestamp = Math.max((newest.get(id) ?? 0) + 1, now - OLDEST_SECONDS);
    // Concurrent decisions could arrive out of order, and the older would be rejected.
    if (timestamp > now + NEWEST_SECONDS || open.has(id)) return undefined;
    newest.set(id, timestamp);
    open.add(id);
    const decision = { machineId: BigInt(id) as MachineId, optedIn: timestamp % 2 === 0, timestamp };
    const { message } = prepareDecision(decision, { chain: 'main' }, deployment, DEFAULT_NAMESPACE);
    const signature = key.sign(message);
    const body = JSON.stringify({ opted_in: decision.optedIn, timestamp, signature });
    return {
      bytes: createRequest('PUT', `/machine/${id}/monetization`, body),
      judge(status) {
        open.delete(id);
        return status === 200 ? undefined : `status ${status}`;
      },
    };
  };
}

function createRequest(method: string, path: string, body = '', headers = ''): string {
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: ratings.example\r\n${headers}${content}\r\n${body}`;
}

/** Returns the first difference. Objects must have at least the expected members, arrays the same length. */
function findDifference(expected: unknown, given: unknown, at = 'body'): string | undefined {
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(expected, given) ? undefined : `${at} is ${JSON.stringify(given)}`;
  }
  if (typeof given !== 'object' || given === null) return `${at} is ${JSON.stringify(given)}`;
  if (Array.isArray(expected) && expected.length !== (given as unknown[]).length) return `${at} has another length`;
  for (const [name, value] of Object.entries(expected)) {
    const difference = findDifference(value, (given as Record<string, unknown>)[name], `${at}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
