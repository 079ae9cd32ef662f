/**
 * Is an answer true? A 200 must be, word for word, what the chain says at the block that it claims, and nothing newer that the service was
 * told may contradict it; a 404 or a 409 must be true of a block that was told as the newest one; everything else is a documented 503.
 */
import { machineOf } from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { Answer } from '../service/service.ts';
import { expectBody, isSaid, isSameAt, judge, type MachineRoute } from './truth.ts';

/** When a request was under way, and which wall-clock seconds its answer may have been computed at. */
export interface Span {
  readonly startMilliseconds: number;
  readonly endMilliseconds: number;
  readonly wallSeconds: readonly number[];
  /** How much age the wall clock may hide, because it was set back. No clock can tell; what is served is still true at its block. */
  readonly hiddenMilliseconds: number;
}

/** For so long the follower waits at most for the block that its timetable promises, and asks for none; missed blocks make the timetable slower. */
const HEAD_WAIT_MILLISECONDS = 15_000;
/** A head is used for so long after it was asked for: until the next is due, and `maxHeadAgeMilliseconds`. */
const HEAD_AGE_MILLISECONDS = HEAD_WAIT_MILLISECONDS + 5_000;

const DOCUMENTED = [
  /^Chain unavailable$/,
  /^Home chain unavailable$/,
  /^Alt-chain ownership snapshot is out of date$/,
  /^Event index is syncing: block \d+ of \d+$/,
  /^Operator index is syncing: block \d+ of \d+$/,
  /^Operator index is stale: chain head not read for \d+ seconds$/,
];

/** Undefined: the answer is right. Else what is wrong with it. */
export function judgeMachineAnswer(
  route: MachineRoute,
  id: bigint,
  answer: Answer,
  span: Span,
  network: MainNetwork,
): string | undefined {
  const heads = listHeads(network, span);
  const isStanding = (kind: string) => heads.some((head) => judge(machineOf(head.world, id)).kind === kind);
  switch (answer.status) {
    case 200:
      return judgeFacts(route, id, answer, span, heads);
    case 404:
      if (detailOf(answer) !== 'Machine not found') return 'a 404 with another text';
      return isStanding('absent') ? undefined : 'a 404 although the machine is at every block that was told';
    case 409: {
      const { home_protocol_chain_id: told } = detailOf(answer) as { home_protocol_chain_id?: unknown };
      const isTrue = heads.some((head) => {
        const standing = judge(machineOf(head.world, id));
        return standing.kind === 'elsewhere' && standing.ordinal === told;
      });
      return isTrue ? undefined : 'a 409 although no block that was told has the machine there';
    }
    case 503:
      if (detailOf(answer) === 'Machine is relocating') {
        return isStanding('relocating') ? undefined : 'relocating, although it does so at no block that was told';
      }
      return isDocumented(answer) ? undefined : 'an undocumented 503';
    default:
      return `an undocumented status ${answer.status}`;
  }
}

/** What marketplaces are told besides, made from the same members. */
const BESIDES: { readonly [R in MachineRoute]: readonly string[] } = {
  mcr: [],
  explanation: [],
  profile: ['description', 'image', 'external_url', 'attributes'],
  card: ['image', 'x402Support', 'supportedTrust'],
};

/** The members of the interface. */
export function readBody(route: MachineRoute, { body }: Answer): Readonly<Record<string, unknown>> {
  const members = Object.entries(JSON.parse(body) as object) as [string, unknown][];
  return Object.fromEntries(members.filter(([name]) => !BESIDES[route].includes(name)));
}

export function isDocumented(answer: Answer): boolean {
  const detail = detailOf(answer);
  return typeof detail === 'string' && DOCUMENTED.some((text) => text.test(detail));
}

export function detailOf({ body }: Answer): unknown {
  return (JSON.parse(body) as { detail?: unknown }).detail;
}

/** The blocks that the service may take for the newest one while it answers. */
export function listHeads(
  network: MainNetwork,
  { startMilliseconds, endMilliseconds, hiddenMilliseconds }: Span,
): Block[] {
  const from = startMilliseconds - HEAD_AGE_MILLISECONDS - hiddenMilliseconds;
  const heads = new Set<Block>();
  for (let i = network.told.length - 1; i >= 0; i--) {
    const { block, atMilliseconds } = network.told[i]!;
    if (atMilliseconds < from) break;
    if (atMilliseconds <= endMilliseconds) heads.add(block);
  }
  return [...heads];
}

export function judgeFacts(
  route: MachineRoute,
  id: bigint,
  answer: Answer,
  { wallSeconds }: Span,
  heads: readonly Block[],
): string | undefined {
  const number = Number(answer.headers['chain-block']);
  if (!Number.isSafeInteger(number)) return 'a 200 without a block';
  const body = readBody(route, answer);
  let isTrueSomewhere = false;
  for (const block of new Set(heads.map((head) => ancestorAt(head, number)))) {
    if (block === undefined || judge(machineOf(block.world, id)).kind !== 'here') continue;
    const seconds = wallSeconds.find((now) => isSaid(body, expectBody(route, id, block, now)));
    if (seconds === undefined) continue;
    isTrueSomewhere = true;
    const isStillTrue = heads.some((head) => ancestorAt(head, number) === block && isSameAt(id, block, head));
    if (isStillTrue) return undefined;
  }
  return isTrueSomewhere
    ? `true at block ${number}, but every block received since says otherwise`
    : `not what block ${number} says`;
}
