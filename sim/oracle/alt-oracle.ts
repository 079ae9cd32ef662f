/**
 * Is an answer true where machines may live on the alt chain? What is said of such a machine must be true at a slot that the service was told while
 * it answered, and a machine is absent only when both chains said so.
 */
import { altMachineOf } from '../alt-chain/machine-state.ts';
import { ALT_ORDINAL } from '../alt-chain/deployment.ts';
import type { AltNetwork, ToldAccounts } from '../alt-nodes/network.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { Answer } from '../service/service.ts';
import { isAltBodyTrue, isLeftToAlt, judgeAlt } from './alt-truth.ts';
import { detailOf, judgeMachineAnswer, listHeads, readBody, type Span } from './oracle.ts';
import { isSameAt, type MachineRoute } from './truth.ts';

/** An absence is kept for so long. */
export const ABSENCE_AGE_MILLISECONDS = 5_000;

/** Undefined: the answer is right. Else what is wrong with it. */
export function judgeAltAwareAnswer(
  route: MachineRoute,
  id: bigint,
  answer: Answer,
  span: Span,
  network: MainNetwork,
  altNetwork: AltNetwork,
): string | undefined {
  const heads = listHeads(network, span);
  const detail = detailOf(answer);
  const isLeft = heads.some((head) => isLeftToAlt(id, head));
  const wasTold = (standing: string, ageMilliseconds = 0) =>
    isLeft && listTold(altNetwork, span, ageMilliseconds).some(({ world }) => judgeAlt(id, world) === standing);
  if (answer.status === 200 && isOfAlt(route, answer)) return judgeAltFacts(route, id, answer, span, heads, altNetwork);
  if (answer.status === 404 && detail === 'Machine not found') {
    const age = ABSENCE_AGE_MILLISECONDS + span.hiddenMilliseconds;
    return wasTold('absent', age) ? undefined : 'a 404 although no two states that were told lack the machine';
  }
  if (answer.status === 503 && detail === 'Machine is relocating' && wasTold('relocating')) return undefined;
  if (answer.status === 409 && isHomedAt(ALT_ORDINAL, detail)) return 'a 409 of the chain that is served';
  return judgeMachineAnswer(route, id, answer, span, network);
}

/** What arrived while the request was under way, or so long before. */
export function listTold(altNetwork: AltNetwork, span: Span, ageMilliseconds = 0): ToldAccounts[] {
  const from = span.startMilliseconds - ageMilliseconds;
  const told: ToldAccounts[] = [];
  for (let i = altNetwork.told.length - 1; i >= 0 && altNetwork.told[i]!.atMilliseconds >= from; i--) {
    if (altNetwork.told[i]!.atMilliseconds <= span.endMilliseconds) told.push(altNetwork.told[i]!);
  }
  return told;
}

function isOfAlt(route: MachineRoute, { body }: Answer): boolean {
  const parsed = JSON.parse(body) as { home_chain?: number; svcos?: { home_chain?: number } };
  return (route === 'profile' ? parsed.svcos : parsed)?.home_chain !== undefined;
}

function isHomedAt(ordinal: number, detail: unknown): boolean {
  return (detail as { home_protocol_chain_id?: unknown }).home_protocol_chain_id === ordinal;
}

function judgeAltFacts(
  route: MachineRoute,
  id: bigint,
  answer: Answer,
  span: Span,
  heads: readonly Block[],
  altNetwork: AltNetwork,
): string | undefined {
  const number = Number(answer.headers['chain-block']);
  if (!Number.isSafeInteger(number)) return 'a 200 without a block';
  const body = readBody(route, answer);
  const moments = listMoments(listTold(altNetwork, span), id);
  const blocks = [...new Set(heads.map((head) => ancestorAt(head, number)))].filter((block) => block !== undefined);
  let isTrueSomewhere = false;
  for (const block of blocks.filter((each) => isLeftToAlt(id, each))) {
    const isTrue = moments.some(
      (moment) =>
        judgeAlt(id, moment.world) === 'here' &&
        span.wallSeconds.some((now) => isAltBodyTrue(route, id, body, block, moment, now)),
    );
    if (!isTrue) continue;
    isTrueSomewhere = true;
    if (heads.some((head) => ancestorAt(head, number) === block && isSameAt(id, block, head))) return undefined;
  }
  return isTrueSomewhere
    ? `true at block ${number}, but every block received since says otherwise`
    : `not what block ${number} and the slots ${moments.map(({ slot }) => slot).join(', ')} say`;
}

/** Not those of a slot before one that the same life had seen: that would undo what was told. */
function listMoments(told: readonly ToldAccounts[], id: bigint): ToldAccounts[] {
  const moments = new Map<string, ToldAccounts>();
  for (const each of told) {
    if (each.slot >= each.floor && altMachineOf(each.world, id).account !== undefined) {
      moments.set(String(each.slot), each);
    }
  }
  return [...moments.values()];
}
