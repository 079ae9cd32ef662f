/** Oracle for pages of an operator's machines. Members must be those of the claimed block, entries those of a block since. */
import { isDeepStrictEqual } from 'node:util';
import { altMachineOf, listOperated } from '../alt-chain/machine-state.ts';
import type { AltNetwork, ReceivedAccounts, ReceivedFleet } from '../alt-nodes/network.ts';
import { LOCAL_ORDINAL, machineOf } from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { MainNetwork } from '../nodes/network.ts';
import type { ServiceResponse } from '../service/service.ts';
import { listReceived, SHARED_READ_MILLISECONDS } from './alt-oracle.ts';
import { expectAltEntry, isLeftToAlt, judgeAlt } from './alt-truth.ts';
import { isDocumented, listEvidence, listHeads, listStates, type Span } from './oracle.ts';
import { expectEntry, judge, listHoldings } from './truth.ts';

interface Page {
  readonly machines: readonly { readonly machine_id: string; readonly home_chain?: number }[];
  readonly pagination: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly unreadable: number;
  readonly index: { readonly indexed_block: number; readonly head_block: number; readonly lag_blocks: number };
}

const MAX_LAG_BLOCKS = 100;
/** Maximum age of the worker's last chain read behind a page: ten intervals of the slowest worker. */
const UNSEEN_MILLISECONDS = 600_000;
/** Maximum time from sending a request to storing its response. */
const READ_MILLISECONDS = 200_000;
/** Maximum age of a cached balance, with the time of its read. */
const BALANCE_AGE_MILLISECONDS = 70_000;
/** Maximum age of a cached snapshot, in blocks of the simulated chain. */
const OLDEST_ENTRY_BLOCKS = 100;

export function judgeFleetResponse(
  account: string,
  response: ServiceResponse,
  span: Span,
  network: MainNetwork,
  altNetwork: AltNetwork | undefined,
): string | undefined {
  if (response.status === 503) return isDocumented(response) ? undefined : 'an undocumented 503';
  if (response.status !== 200) return `an undocumented status ${response.status}`;
  const page = JSON.parse(response.body) as Page;
  const { index, pagination } = page;
  if (index.head_block - index.indexed_block > MAX_LAG_BLOCKS) return 'an index that lags too far';
  const heads = listHeads(network, span);
  const counted = listHeads(network, span, BALANCE_AGE_MILLISECONDS);
  const recent = listHeads(network, { ...span, startMilliseconds: span.startMilliseconds - UNSEEN_MILLISECONDS });
  const bases = new Set([...recent, ...network.receivedFinal].map((head) => ancestorAt(head, index.indexed_block)));
  const fleets = altNetwork === undefined ? [undefined] : listFleets(altNetwork, span);
  const received = altNetwork === undefined ? [] : listReceived(altNetwork, span, SHARED_READ_MILLISECONDS);
  for (const base of bases) {
    if (base === undefined) continue;
    for (const fleet of fleets) {
      const { ids, ofAlt, unreadable } = mergeHoldings(account, base, fleet);
      const isUnproven = !span.areBlocksProven || span.isIndexUnproven === true;
      const moved = isUnproven ? listMoved(account, base, fleet) : [];
      const facts = { account, span, base, heads, counted, received, fleet, ofAlt: [...ofAlt, ...moved] };
      const lists = [ids, ...listExcusedBy(facts, base, ids, moved, page)];
      for (const held of lists) {
        if (held.length !== pagination.total) continue;
        const listed = held.slice(pagination.offset, pagination.offset + pagination.limit);
        const onBoth = listOfSnapshot(account, fleet).filter((id) => !held.includes(id));
        if (areEntriesTrue(page, listed, unreadable, onBoth.length, facts)) return undefined;
      }
    }
  }
  return `not what was held at block ${index.indexed_block}`;
}

/** Returns every fleet response that the service's snapshot may come from: those of which each row names its operator. */
function listFleets({ receivedFleets }: AltNetwork, { startMilliseconds, endMilliseconds, hiddenMilliseconds }: Span) {
  const from = startMilliseconds - UNSEEN_MILLISECONDS - READ_MILLISECONDS - hiddenMilliseconds;
  return receivedFleets.filter(
    ({ atMilliseconds, corrupted }) =>
      atMilliseconds >= from && atMilliseconds <= endMilliseconds && corrupted.every(({ isNamed }) => isNamed),
  );
}

interface Listing {
  readonly ids: readonly bigint[];
  /** Machines that only the alt chain lists. */
  readonly ofAlt: readonly bigint[];
  /** Number of corrupted rows. */
  readonly unreadable: number;
}

/** Merges the machines of both chains, without alt-chain machines that the main chain holds or whose row is corrupted. */
function mergeHoldings(account: string, base: Block, fleet: ReceivedFleet | undefined): Listing {
  const held = listHoldings(account, base);
  if (fleet === undefined) return { ids: held, ofAlt: [], unreadable: 0 };
  const { world, corrupted } = fleet;
  const operated = listOperated(world, account);
  const listed = listOfSnapshot(account, fleet).filter((id) => !isHeldHere(id, base));
  const named = corrupted.filter(({ id }) => operated.includes(id));
  const ids = [...held, ...listed].sort((a, b) => (a < b ? -1 : 1));
  return { ids, ofAlt: listed, unreadable: named.length };
}

/** Returns the account's machines of the alt chain whose rows are not corrupted. */
function listOfSnapshot(account: string, fleet: ReceivedFleet | undefined): bigint[] {
  if (fleet === undefined) return [];
  return listOperated(fleet.world, account).filter((id) => !fleet.corrupted.some((row) => row.id === id));
}

/** Returns the lists that hidden logs may cause until they are proven. */
function listExcusedBy(
  { span, account, counted }: EntryFacts,
  base: Block,
  ids: readonly bigint[],
  moved: readonly bigint[],
  page: Page,
): bigint[][] {
  if (!span.areBlocksProven) return listExcused(account, base, counted, ids, moved, page);
  if (span.isIndexUnproven !== true) return [];
  const shown = page.machines.map(({ machine_id: id }) => BigInt(id));
  const isOwned = (id: bigint) => !isHeldHere(id, base) || machineOf(base.world, id).owner === account;
  const certain = ids.filter((id) => isOwned(id) || shown.includes(id));
  const optional = [...ids, ...moved].filter((id) => !certain.includes(id));
  return listWithSome(certain, optional, page.pagination.total);
}

/** Returns every list of this length that has the certain machines and some of the optional ones. */
function listWithSome(certain: readonly bigint[], optional: readonly bigint[], total: number): bigint[][] {
  const chosen = listSubsets(optional, total - certain.length);
  return chosen.map((some) => [...certain, ...some].sort((a, b) => (a < b ? -1 : 1)));
}

/**
 * Returns every list that a node may cause by hiding logs of controllers and homes, which nothing counts: machines that the
 * account holds may be missing and machines that it held may be left over, unless the page shows the opposite. A machine
 * that the account has transferred away since may be missing too: hidden transfers to and from it leave its balance equal.
 * So may as many that it transferred away before be left over as it has received since, or as are missing in their place; those that it
 * still controls, or has lost since, are listed anyway.
 */
function listExcused(
  account: string,
  base: Block,
  heads: readonly Block[],
  ids: readonly bigint[],
  moved: readonly bigint[],
  { machines, pagination }: Page,
): bigint[][] {
  const shown = machines.map(({ machine_id: id }) => BigInt(id));
  const isOwnedAt = (id: bigint, { world }: Block) => machineOf(world, id).owner === account;
  const isCounted = (id: bigint) =>
    !isHeldHere(id, base) ||
    (isOwnedAt(id, base) && !hasMovedHome(id, base) && heads.every((head) => isOwnedAt(id, head)));
  const known = [...base.world.machines.keys()];
  const leftOver = known.filter((id) => !ids.includes(id) && (moved.includes(id) || mayBeLeftOver(account, id, base)));
  const certain = [
    ...ids.filter((id) => isCounted(id) || shown.includes(id)),
    ...leftOver.filter((id) => shown.includes(id)),
  ];
  const optional = [...ids, ...leftOver].filter((id) => !certain.includes(id));
  const since = known.filter((id) => !isOwnedAt(id, base) && heads.some((head) => isOwnedAt(id, head)));
  const before = listBack(base);
  const sold = known.filter(
    (id) => !ids.includes(id) && !leftOver.includes(id) && before.some((block) => isOwnedAt(id, block)),
  );
  // Of these the loss may be hidden, before or since: the index counts them as owned.
  const lost = ids.filter(
    (id) => before.some((block) => isOwnedAt(id, block)) && ![base, ...heads].every((block) => isOwnedAt(id, block)),
  );
  const replaceable = certain.filter((id) => isOwnedAt(id, base) && !shown.includes(id));
  return [...sold.keys(), sold.length].flatMap((count) =>
    listSubsets(sold, count).flatMap((some) =>
      listReplaced(replaceable, count - since.length, count + lost.length).flatMap((missing) => {
        // The alt chain still lists one whose arrival is hidden.
        const kept = certain.filter((id) => !missing.includes(id) || moved.includes(id));
        return listWithSome([...kept, ...some], optional, pagination.total);
      }),
    ),
  );
}

/** Returns every subset with at least and at most these many items. */
function listReplaced(items: readonly bigint[], least: number, most: number): bigint[][] {
  const sizes = Array.from({ length: most + 1 }, (_, size) => size).filter((size) => size >= least);
  return sizes.flatMap((size) => listSubsets(items, size));
}

/** Returns machines of the alt chain that the main chain holds, which a hidden arrival leaves in the listing. */
function listMoved(account: string, base: Block, fleet: ReceivedFleet | undefined): bigint[] {
  return fleet === undefined ? [] : listOperated(fleet.world, account).filter((id) => isHeldHere(id, base));
}

/** Returns whether the index may still list the machine because a later change is hidden; its owner is counted. */
function mayBeLeftOver(account: string, id: bigint, base: Block): boolean {
  return machineOf(base.world, id).owner === account || wasController(account, id, base);
}

function wasController(account: string, id: bigint, base: Block): boolean {
  return listBack(base).some(({ world }) => machineOf(world, id).controller === account);
}

function hasMovedHome(id: bigint, base: Block): boolean {
  return listBack(base).some(({ world }) => {
    const { owner, home } = machineOf(world, id);
    return owner !== undefined && home !== LOCAL_ORDINAL;
  });
}

function listBack(base: Block): Block[] {
  const blocks: Block[] = [];
  for (let block: Block | undefined = base; block !== undefined; block = block.parent) blocks.push(block);
  return blocks;
}

/** Returns every subset of this size, in the order of the items. */
function listSubsets(items: readonly bigint[], size: number): bigint[][] {
  if (size === 0) return [[]];
  if (size < 0 || size > items.length) return [];
  const [first, ...rest] = items;
  return [...listSubsets(rest, size - 1).map((some) => [first!, ...some]), ...listSubsets(rest, size)];
}

function isHeldHere(id: bigint, { world }: Block): boolean {
  const { owner, home } = machineOf(world, id);
  return owner !== undefined && home === LOCAL_ORDINAL;
}

interface EntryFacts {
  readonly account: string;
  readonly span: Span;
  /** Block of the listing. */
  readonly base: Block;
  readonly heads: readonly Block[];
  /** Blocks that the balance of the account may be of: it is cached, and the log of a transfer may be hidden. */
  readonly counted: readonly Block[];
  readonly received: readonly ReceivedAccounts[];
  /** Snapshot of the alt chain. */
  readonly fleet: ReceivedFleet | undefined;
  readonly ofAlt: readonly bigint[];
}

function areEntriesTrue(
  page: Page,
  ids: readonly bigint[],
  unreadableRows: number,
  /** Machines of the alt chain that the main chain's index holds: each may be unreadable there, on any page. */
  countOnBoth: number,
  { account, span, base, heads, received, fleet, ofAlt }: EntryFacts,
): boolean {
  const { wallSeconds } = span;
  const shown = page.machines.map(({ machine_id: id }) => BigInt(id));
  if (
    !isDeepStrictEqual(
      shown,
      ids.filter((id) => shown.includes(id)),
    )
  )
    return false;
  const missing = ids.filter((id) => !shown.includes(id));
  const isHomedAs = (id: bigint, kinds: readonly string[]) =>
    heads.some((head) => kinds.includes(judge(machineOf(head.world, id)).kind));
  const hasToken = (id: bigint, { world }: Block) => machineOf(world, id).owner !== undefined;
  const isRetired = (id: bigint) => hasToken(id, base) && heads.some((head) => !hasToken(id, head));
  const hasLeftAlt = (id: bigint) =>
    received.some(({ slot, world }) => slot >= fleet!.slot && altMachineOf(world, id).account?.operator !== account);
  // A machine that returned is listed for its holder on the main chain. One that had left before the block of the listing is unreadable,
  // because its departure is in no followed log, unless the log of its retirement is.
  const isGone = (id: bigint) =>
    ofAlt.includes(id)
      ? isHomedAs(id, ['here', 'elsewhere']) || hasLeftAlt(id)
      : isRetired(id) || (isHeldHere(id, base) && isHomedAs(id, ['absent', 'elsewhere']));
  const unreadable = page.unreadable - unreadableRows;
  if (missing.filter((id) => !isGone(id)).length > unreadable) return false;
  if (unreadable > missing.length + countOnBoth) return false;
  return page.machines.every((entry) => {
    const id = BigInt(entry.machine_id);
    if (entry.home_chain !== undefined) return isAltEntryTrue(id, entry, account, wallSeconds, heads, received);
    return listBlocksBack(heads).some(
      (block) =>
        judge(machineOf(block.world, id)).kind === 'here' &&
        listStates(span, id, block).some((machine) =>
          listEvidence(span, machine, block).some((evidence) =>
            wallSeconds.some((now) => isDeepStrictEqual(entry, expectEntry(id, block, now, evidence, machine))),
          ),
        ),
    );
  });
}

function isAltEntryTrue(
  id: bigint,
  entry: object,
  account: string,
  wallSeconds: readonly number[],
  heads: readonly Block[],
  received: readonly ReceivedAccounts[],
): boolean {
  const worlds = new Set(received.map(({ world }) => world));
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
