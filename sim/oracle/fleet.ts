/** Is a page of an operator's machines true? Its members are those of the block that it claims, its entries those of blocks since. */
import { isDeepStrictEqual } from 'node:util';
import { altMachineOf, listOperated } from '../alt-chain/machine-state.ts';
import type { AltNetwork, ToldAccounts, ToldFleet } from '../alt-nodes/network.ts';
import { LOCAL_ORDINAL, machineOf } from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { Answer } from '../service/service.ts';
import { ABSENCE_AGE_MILLISECONDS, listTold } from './alt-oracle.ts';
import { expectAltEntry, isLeftToAlt, judgeAlt } from './alt-truth.ts';
import { isDocumented, listHeads, type Span } from './oracle.ts';
import { expectEntry, judge, listHoldings } from './truth.ts';

interface Page {
  readonly machines: readonly { readonly machine_id: string; readonly home_chain?: number }[];
  readonly pagination: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly unreadable: number;
  readonly index: { readonly indexed_block: number; readonly head_block: number; readonly lag_blocks: number };
}

const MAX_LAG_BLOCKS = 100;
/** A page may stand on an index whose worker has not seen the chain for so long: ten intervals of the slowest one. */
const UNSEEN_MILLISECONDS = 600_000;
/** From a question to the store of its answer. */
const READ_MILLISECONDS = 200_000;
/** Kept snapshots are not older than this many blocks of the simulated chain. */
const OLDEST_ENTRY_BLOCKS = 100;

export function judgeFleetAnswer(
  account: string,
  answer: Answer,
  span: Span,
  network: MainNetwork,
  altNetwork: AltNetwork | undefined,
): string | undefined {
  if (answer.status === 503) return isDocumented(answer) ? undefined : 'an undocumented 503';
  if (answer.status !== 200) return `an undocumented status ${answer.status}`;
  const page = JSON.parse(answer.body) as Page;
  const { index, pagination } = page;
  if (index.head_block - index.indexed_block > MAX_LAG_BLOCKS) return 'an index that lags too far';
  const heads = listHeads(network, span);
  const recent = listHeads(network, { ...span, startMilliseconds: span.startMilliseconds - UNSEEN_MILLISECONDS });
  const bases = new Set([...recent, ...network.toldFinal].map((head) => ancestorAt(head, index.indexed_block)));
  const fleets = altNetwork === undefined ? [undefined] : listFleets(altNetwork, span);
  const told = altNetwork === undefined ? [] : listTold(altNetwork, span);
  const absenceAge = ABSENCE_AGE_MILLISECONDS + span.hiddenMilliseconds;
  const toldAbsent = altNetwork === undefined ? [] : listTold(altNetwork, span, absenceAge);
  for (const base of bases) {
    if (base === undefined) continue;
    for (const fleet of fleets) {
      const { ids: held, ofAlt, unreadable } = mergeHoldings(account, base, fleet);
      const ids = held.slice(pagination.offset, pagination.offset + pagination.limit);
      if (held.length !== pagination.total) continue;
      if (areEntriesTrue(page, ids, unreadable, { account, span, heads, told, toldAbsent, ofAlt })) return undefined;
    }
  }
  return `not what was held at block ${index.indexed_block}`;
}

/** Every answer about all machines of the alt chain that a snapshot may stand on. */
function listFleets({ toldFleets }: AltNetwork, { startMilliseconds, endMilliseconds, hiddenMilliseconds }: Span) {
  const from = startMilliseconds - UNSEEN_MILLISECONDS - READ_MILLISECONDS - hiddenMilliseconds;
  return toldFleets.filter(({ atMilliseconds }) => atMilliseconds >= from && atMilliseconds <= endMilliseconds);
}

interface Listing {
  readonly ids: readonly bigint[];
  /** Those that only the alt chain lists. */
  readonly ofAlt: readonly bigint[];
  /** Rows that stand nowhere. */
  readonly unreadable: number;
}

/** Machines of both chains; those of the alt chain that the main chain holds, or whose row was spoiled, are not counted. */
function mergeHoldings(account: string, base: Block, fleet: ToldFleet | undefined): Listing {
  const held = listHoldings(account, base);
  if (fleet === undefined) return { ids: held, ofAlt: [], unreadable: 0 };
  const { world, spoiled } = fleet;
  const operated = listOperated(world, account);
  const listed = operated.filter((id) => !isHeldHere(id, base) && !spoiled.some((row) => row.id === id));
  const named = spoiled.filter(({ id, isNamed }) => isNamed && operated.includes(id));
  const ids = [...held, ...listed].sort((a, b) => (a < b ? -1 : 1));
  return { ids, ofAlt: listed, unreadable: named.length };
}

function isHeldHere(id: bigint, { world }: Block): boolean {
  const { owner, home } = machineOf(world, id);
  return owner !== undefined && home === LOCAL_ORDINAL;
}

interface EntryFacts {
  readonly account: string;
  readonly span: Span;
  readonly heads: readonly Block[];
  readonly told: readonly ToldAccounts[];
  /** What a kept absence may stand on. */
  readonly toldAbsent: readonly ToldAccounts[];
  readonly ofAlt: readonly bigint[];
}

function areEntriesTrue(
  page: Page,
  ids: readonly bigint[],
  unreadableRows: number,
  { account, span: { wallSeconds }, heads, told, toldAbsent, ofAlt }: EntryFacts,
): boolean {
  const shown = page.machines.map(({ machine_id: id }) => BigInt(id));
  if (
    !isDeepStrictEqual(
      shown,
      ids.filter((id) => shown.includes(id)),
    )
  )
    return false;
  const missing = ids.filter((id) => !shown.includes(id));
  const standsAs = (id: bigint, kinds: readonly string[]) =>
    heads.some((head) => kinds.includes(judge(machineOf(head.world, id)).kind));
  // What has come home stands in the list of whoever holds it there.
  const isGone = (id: bigint) =>
    standsAs(id, ofAlt.includes(id) ? ['here', 'elsewhere'] : ['absent', 'elsewhere']) ||
    (ofAlt.includes(id) &&
      (told.some(({ world }) => altMachineOf(world, id).account?.operator !== account) ||
        toldAbsent.some(({ world }) => judgeAlt(id, world) === 'absent')));
  const unreadable = page.unreadable - unreadableRows;
  if (missing.filter((id) => !isGone(id)).length > unreadable || unreadable > missing.length) return false;
  return page.machines.every((entry) => {
    const id = BigInt(entry.machine_id);
    if (entry.home_chain !== undefined) return isAltEntryTrue(id, entry, account, wallSeconds, heads, told);
    return listBlocksBack(heads).some(
      (block) =>
        judge(machineOf(block.world, id)).kind === 'here' &&
        wallSeconds.some((now) => isDeepStrictEqual(entry, expectEntry(id, block, now))),
    );
  });
}

function isAltEntryTrue(
  id: bigint,
  entry: object,
  account: string,
  wallSeconds: readonly number[],
  heads: readonly Block[],
  told: readonly ToldAccounts[],
): boolean {
  const worlds = new Set(told.map(({ world }) => world));
  const blocks = listBlocksBack(heads).filter((block) => isLeftToAlt(id, block));
  return [...worlds].some(
    (world) =>
      judgeAlt(id, world) === 'here' &&
      altMachineOf(world, id).account?.operator === account &&
      blocks.some((block) =>
        wallSeconds.some((now) => isDeepStrictEqual(entry, expectAltEntry(id, block, world, now))),
      ),
  );
}

function listBlocksBack(heads: readonly Block[]): Block[] {
  const blocks = new Set<Block>(heads);
  for (const head of heads) {
    let block = head.parent;
    for (let i = 0; i < OLDEST_ENTRY_BLOCKS && block !== undefined && !blocks.has(block); i++) {
      blocks.add(block);
      block = block.parent;
    }
  }
  return [...blocks];
}
