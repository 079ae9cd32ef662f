/**
 * Oracle for responses about machines. A 200 must equal what the chain says at the block that it claims, and no newer head
 * that the service received may contradict it; a 404 or a 409 must be true at a received head; all else is a documented 503.
 */
import { MAIN_CHAIN_LIMITS } from '../../src/adapters/main-chain/limits.ts';
import { machineOf, type Machine } from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { ServiceResponse } from '../service/service.ts';
import { NO_PAYMENTS, type PaymentEvidence } from './evidence.ts';
import type { PaymentOracle } from './payment-oracle.ts';
import { listWithoutProof } from './hidden-logs.ts';
import { expectBody, matchesExpected, isSameAt, judge, toAvailability, type MachineRoute } from './truth.ts';

/** Duration of a request, and the wall-clock seconds at which its response may have been computed. */
export interface Span {
  readonly startMilliseconds: number;
  readonly endMilliseconds: number;
  readonly wallSeconds: readonly number[];
  /** Age that the wall clock may hide because it was set back. No clock can detect this; facts are still true at their block. */
  readonly hiddenMilliseconds: number;
  /**
   * Whether new blocks are proven. In mode `off` a node may hide their logs: facts are still those of the block that a
   * response names, but a newer block may have changed them, and nothing counts the machines that an address controls.
   */
  readonly areBlocksProven: boolean;
  /**
   * Whether indexed blocks are still to be proven. Until then the mint of a machine may be hidden, nothing counts the machines that an
   * address controls without owning them, and transfers that lead back to an owner may be hidden (docs/security.md).
   */
  readonly isIndexUnproven?: boolean;
  /** Undefined without a payment source. */
  readonly payments?: PaymentOracle | undefined;
}

/** Lists what may be known of a machine's payments at a block; `machine` is what the index may hold of it. */
export function listEvidence({ payments }: Span, machine: Machine, block: Block): readonly PaymentEvidence[] {
  return payments === undefined ? [NO_PAYMENTS] : payments.listEvidence(machine, block);
}

/** Longest wait of the follower for a scheduled block, without a request; missed blocks slow the schedule down. */
const HEAD_WAIT_MILLISECONDS = 15_000;
/** How long a head is used after its request: until the next is due, plus `maxHeadAgeMilliseconds`. */
const HEAD_AGE_MILLISECONDS = HEAD_WAIT_MILLISECONDS + 5_000;

const DOCUMENTED = [
  /^Chain unavailable$/,
  /^Too many new lookups, retry later$/,
  /^Home chain unavailable$/,
  /^Alt-chain ownership snapshot is out of date$/,
  /^Event index is syncing: block \d+ of \d+$/,
  /^Operator index is syncing: block \d+ of \d+$/,
  /^Operator index is stale: chain head not read for \d+ seconds$/,
  /^Ownership index is being repaired for this address$/,
];

/** Returns what is wrong with a response; undefined when it is correct. */
export function judgeMachineResponse(
  route: MachineRoute,
  id: bigint,
  response: ServiceResponse,
  span: Span,
  network: MainNetwork,
): string | undefined {
  const heads = listHeads(network, span);
  const homes = (blocks: readonly Block[]) => blocks.map(({ world }) => judge(machineOf(world, id)));
  // A snapshot is used until a log names its machine, and without proof that log may be hidden.
  const cached = span.areBlocksProven ? heads : listAncestors(heads);
  switch (response.status) {
    case 200:
      return judgeFacts(route, id, response, span, heads);
    case 404:
      if (detailOf(response) !== 'Machine not found') return 'a 404 with an unexpected detail';
      return homes(listAbsenceHeads(network, span)).some(({ kind }) => kind === 'absent')
        ? undefined
        : 'a 404 although the machine exists at every received head';
    case 409: {
      const { home_protocol_chain_id: reported } = detailOf(response) as { home_protocol_chain_id?: unknown };
      const isTrue = homes(cached).some((home) => home.kind === 'elsewhere' && home.ordinal === reported);
      return isTrue ? undefined : 'a 409 although the machine is not there at any received head';
    }
    case 503:
      if (detailOf(response) === 'Machine is relocating') {
        const isTrue = homes(cached).some(({ kind }) => kind === 'relocating');
        return isTrue ? undefined : 'relocating although the machine is not at any received head';
      }
      return isDocumented(response) ? undefined : 'an undocumented 503';
    default:
      return `an undocumented status ${response.status}`;
  }
}

/** Members for marketplaces, derived from other members. */
const DERIVED_MEMBERS: { readonly [R in MachineRoute]: readonly string[] } = {
  mcr: [],
  explanation: [],
  profile: ['description', 'image', 'external_url', 'attributes'],
  card: ['image', 'x402Support', 'supportedTrust', 'asset_id', 'operator_account'],
};

/** Returns the members that the interface defines. */
export function readBody(route: MachineRoute, { body }: ServiceResponse): Readonly<Record<string, unknown>> {
  const members = Object.entries(JSON.parse(body) as object) as [string, unknown][];
  return Object.fromEntries(members.filter(([name]) => !DERIVED_MEMBERS[route].includes(name)));
}

export function isDocumented(response: ServiceResponse): boolean {
  const detail = detailOf(response);
  return typeof detail === 'string' && DOCUMENTED.some((text) => text.test(detail));
}

export function detailOf({ body }: ServiceResponse): unknown {
  return (JSON.parse(body) as { detail?: unknown }).detail;
}

/** Returns the blocks by which a machine may be absent. Without proof its mint may be hidden until its snapshot expires. */
export function listAbsenceHeads(network: MainNetwork, span: Span): Block[] {
  return listHeads(network, span, span.areBlocksProven ? 0 : MAIN_CHAIN_LIMITS.maxSnapshotAgeMilliseconds);
}

/** Returns the blocks that the service may use as the head during a request, or up to `ageMilliseconds` before it. */
export function listHeads(
  network: MainNetwork,
  { startMilliseconds, endMilliseconds, hiddenMilliseconds }: Span,
  ageMilliseconds = 0,
): Block[] {
  const from = startMilliseconds - HEAD_AGE_MILLISECONDS - hiddenMilliseconds - ageMilliseconds;
  const heads = new Set<Block>();
  for (let i = network.receivedHeads.length - 1; i >= 0; i--) {
    const { block, atMilliseconds } = network.receivedHeads[i]!;
    if (atMilliseconds < from) break;
    if (atMilliseconds <= endMilliseconds) heads.add(block);
  }
  return [...heads];
}

function listAncestors(heads: readonly Block[]): Block[] {
  const found = new Set<Block>();
  for (const head of heads) {
    for (let block: Block | undefined = head; block !== undefined && !found.has(block); block = block.parent) {
      found.add(block);
    }
  }
  return [...found];
}

/** Lists what the index may hold of a machine at a block. */
export function listStates(
  { areBlocksProven, isIndexUnproven = false }: Span,
  id: bigint,
  { world }: Block,
): readonly Machine[] {
  const machine = machineOf(world, id);
  return areBlocksProven && !isIndexUnproven ? [machine] : listWithoutProof(machine);
}

/**
 * Returns the body with the availability of its block where it shows that of another one. A log that paused all machines may be hidden: then
 * the flags are those of an earlier block, or of a newer one once they were read again.
 */
function withKnownPauses(
  body: Readonly<Record<string, unknown>>,
  id: bigint,
  block: Block,
  heads: readonly Block[],
): Readonly<Record<string, unknown>> {
  const machine = machineOf(block.world, id);
  const isOfOther = listAncestors(heads).some(({ world }) => toAvailability(machine, world) === body['availability']);
  return isOfOther ? { ...body, availability: toAvailability(machine, block.world) } : body;
}

export function judgeFacts(
  route: MachineRoute,
  id: bigint,
  response: ServiceResponse,
  span: Span,
  heads: readonly Block[],
): string | undefined {
  const { wallSeconds, areBlocksProven } = span;
  const number = Number(response.headers['chain-block']);
  if (!Number.isSafeInteger(number)) return 'a 200 without a block';
  const body = readBody(route, response);
  let isTrueSomewhere = false;
  for (const block of new Set(heads.map((head) => ancestorAt(head, number)))) {
    if (block === undefined || judge(machineOf(block.world, id)).kind !== 'here') continue;
    const shown = areBlocksProven ? body : withKnownPauses(body, id, block, heads);
    const isTrue = listStates(span, id, block).some((machine) =>
      listEvidence(span, machine, block).some((evidence) =>
        wallSeconds.some((now) => matchesExpected(shown, expectBody(route, id, block, now, evidence, machine))),
      ),
    );
    if (!isTrue) continue;
    isTrueSomewhere = true;
    if (!areBlocksProven) return undefined;
    const isStillTrue = heads.some((head) => ancestorAt(head, number) === block && isSameAt(id, block, head));
    if (isStillTrue) return undefined;
  }
  return isTrueSomewhere
    ? `true at block ${number}, but every block received since says otherwise`
    : `not what block ${number} says`;
}
