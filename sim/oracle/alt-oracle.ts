/**
 * Oracle for machines that may live on the alt chain. Facts of such a machine must be true at a slot that the service
 * received during the request, and a machine is absent only when both chains report it absent.
 */
import { altMachineOf } from '../alt-chain/machine-state.ts';
import { ALT_ORDINAL } from '../alt-chain/deployment.ts';
import type { AltNetwork, ReceivedAccounts } from '../alt-nodes/network.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { ServiceResponse } from '../service/service.ts';
import { isAltBodyTrue, isLeftToAlt, judgeAlt } from './alt-truth.ts';
import { NO_PAYMENTS } from './evidence.ts';
import { detailOf, judgeMachineResponse, listAbsenceHeads, listHeads, readBody, type Span } from './oracle.ts';
import { isSameAt, type MachineRoute } from './truth.ts';

/** How long the read of a machine may take that several requests share. */
export const SHARED_READ_MILLISECONDS = 5_000;

/** How long the service caches an absence. */
const ABSENCE_AGE_MILLISECONDS = 5_000;

/** Returns what is wrong with a response; undefined when it is correct. */
export function judgeAltAwareResponse(
  route: MachineRoute,
  id: bigint,
  response: ServiceResponse,
  span: Span,
  network: MainNetwork,
  altNetwork: AltNetwork,
): string | undefined {
  const heads = listHeads(network, span);
  const detail = detailOf(response);
  const wasReceived = (home: string, ageMilliseconds = 0, mainHeads = heads) =>
    mainHeads.some((head) => isLeftToAlt(id, head)) &&
    listReceived(altNetwork, span, ageMilliseconds).some(({ world }) => judgeAlt(id, world) === home);
  if (response.status === 200 && isOfAlt(route, response))
    return judgeAltFacts(route, id, response, span, heads, altNetwork);
  // Absence from the main chain is cached, and without proof the log that ends it may be hidden.
  const absenceHeads = listAbsenceHeads(network, span);
  if (response.status === 404 && detail === 'Machine not found') {
    const age = ABSENCE_AGE_MILLISECONDS + span.hiddenMilliseconds;
    return wasReceived('absent', age, absenceHeads)
      ? undefined
      : 'a 404 although no two received states lack the machine';
  }
  const wasRelocating = wasReceived('relocating', SHARED_READ_MILLISECONDS, absenceHeads);
  if (response.status === 503 && detail === 'Machine is relocating' && wasRelocating) return undefined;
  if (response.status === 409 && isHomedAt(ALT_ORDINAL, detail)) return 'a 409 for a chain that is served';
  return judgeMachineResponse(route, id, response, span, network);
}

/** Returns the account responses that arrived during a request, or at most `ageMilliseconds` before it. */
export function listReceived(altNetwork: AltNetwork, span: Span, ageMilliseconds = 0): ReceivedAccounts[] {
  const from = span.startMilliseconds - ageMilliseconds;
  const received: ReceivedAccounts[] = [];
  for (
    let i = altNetwork.receivedAccounts.length - 1;
    i >= 0 && altNetwork.receivedAccounts[i]!.atMilliseconds >= from;
    i--
  ) {
    if (altNetwork.receivedAccounts[i]!.atMilliseconds <= span.endMilliseconds)
      received.push(altNetwork.receivedAccounts[i]!);
  }
  return received;
}

function isOfAlt(route: MachineRoute, { body }: ServiceResponse): boolean {
  const parsed = JSON.parse(body) as { home_chain?: number; svcos?: { home_chain?: number } };
  return (route === 'profile' ? parsed.svcos : parsed)?.home_chain !== undefined;
}

function isHomedAt(ordinal: number, detail: unknown): boolean {
  return (detail as { home_protocol_chain_id?: unknown }).home_protocol_chain_id === ordinal;
}

function judgeAltFacts(
  route: MachineRoute,
  id: bigint,
  response: ServiceResponse,
  span: Span,
  heads: readonly Block[],
  altNetwork: AltNetwork,
): string | undefined {
  const number = Number(response.headers['chain-block']);
  if (!Number.isSafeInteger(number)) return 'a 200 without a block';
  const body = readBody(route, response);
  const moments = listMoments(listReceived(altNetwork, span, SHARED_READ_MILLISECONDS), id);
  const { payments } = span;
  const blocks = [...new Set(heads.map((head) => ancestorAt(head, number)))].filter((block) => block !== undefined);
  let isTrueSomewhere = false;
  for (const block of blocks.filter((each) => isLeftToAlt(id, each))) {
    const isTrue = moments.some(
      (moment) =>
        judgeAlt(id, moment.world) === 'here' &&
        (payments?.listAltEvidence(id, moment.world, block) ?? [NO_PAYMENTS]).some((evidence) =>
          span.wallSeconds.some((now) => isAltBodyTrue(route, id, body, block, { ...moment, evidence }, now)),
        ),
    );
    if (!isTrue) continue;
    isTrueSomewhere = true;
    if (!span.areBlocksProven) return undefined;
    if (heads.some((head) => ancestorAt(head, number) === block && isSameAt(id, block, head))) return undefined;
  }
  return isTrueSomewhere
    ? `true at block ${number}, but every block received since says otherwise`
    : `not what block ${number} and the slots ${moments.map(({ slot }) => slot).join(', ')} say`;
}

/** Excludes slots older than one that the same process had received: serving them would revert facts. */
function listMoments(received: readonly ReceivedAccounts[], id: bigint): ReceivedAccounts[] {
  const moments = new Map<string, ReceivedAccounts>();
  for (const each of received) {
    if (each.slot >= each.floor && altMachineOf(each.world, id).account !== undefined) {
      moments.set(String(each.slot), each);
    }
  }
  return [...moments.values()];
}
