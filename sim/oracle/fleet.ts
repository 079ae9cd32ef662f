/** Is a page of an operator's machines true? Its members are those of the block that it claims, its entries those of blocks since. */
import { isDeepStrictEqual } from 'node:util';
import { machineOf } from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';
import type { Network } from '../nodes/network.ts';
import type { Answer } from '../service/service.ts';
import { isDocumented, listHeads, type Span } from './oracle.ts';
import { expectEntry, judge, listHoldings } from './truth.ts';

interface Page {
  readonly machines: readonly { readonly machine_id: string }[];
  readonly pagination: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly unreadable: number;
  readonly index: { readonly indexed_block: number; readonly head_block: number; readonly lag_blocks: number };
}

const MAX_LAG_BLOCKS = 100;
/** A page may stand on an index whose worker has not seen the chain for so long: ten intervals of the slowest one. */
const UNSEEN_MILLISECONDS = 600_000;
/** Kept snapshots are not older than this many blocks of the simulated chain. */
const OLDEST_ENTRY_BLOCKS = 100;

export function judgeFleetAnswer(account: string, answer: Answer, span: Span, network: Network): string | undefined {
  if (answer.status === 503) return isDocumented(answer) ? undefined : 'an undocumented 503';
  if (answer.status !== 200) return `an undocumented status ${answer.status}`;
  const page = JSON.parse(answer.body) as Page;
  const { index, pagination } = page;
  if (index.head_block - index.indexed_block > MAX_LAG_BLOCKS) return 'an index that lags too far';
  const heads = listHeads(network, span);
  const recent = listHeads(network, { ...span, startMilliseconds: span.startMilliseconds - UNSEEN_MILLISECONDS });
  const bases = new Set([...recent, ...network.toldFinal].map((head) => ancestorAt(head, index.indexed_block)));
  for (const base of bases) {
    if (base === undefined) continue;
    const held = listHoldings(account, base);
    const ids = held.slice(pagination.offset, pagination.offset + pagination.limit);
    if (held.length === pagination.total && areEntriesTrue(page, ids, span, heads)) return undefined;
  }
  return `not what was held at block ${index.indexed_block}`;
}

function areEntriesTrue(page: Page, ids: readonly bigint[], { wallSeconds }: Span, heads: readonly Block[]): boolean {
  const shown = page.machines.map(({ machine_id: id }) => BigInt(id));
  if (
    !isDeepStrictEqual(
      shown,
      ids.filter((id) => shown.includes(id)),
    )
  )
    return false;
  const missing = ids.filter((id) => !shown.includes(id));
  const isGone = (id: bigint) =>
    heads.some((head) => ['absent', 'elsewhere'].includes(judge(machineOf(head.world, id)).kind));
  if (missing.filter((id) => !isGone(id)).length > page.unreadable || page.unreadable > missing.length) return false;
  return page.machines.every((entry) => {
    const id = BigInt(entry.machine_id);
    return listBlocksBack(heads).some(
      (block) =>
        judge(machineOf(block.world, id)).kind === 'here' &&
        wallSeconds.some((now) => isDeepStrictEqual(entry, expectEntry(id, block, now))),
    );
  });
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
