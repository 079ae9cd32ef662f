/** Expected facts of an alt-chain machine: events and account at a slot of that chain, bond and flags at a block of the main chain. */
import { isDeepStrictEqual } from 'node:util';
import { ALT_ORDINAL, GENESIS_HASH, PROGRAMS } from '../alt-chain/deployment.ts';
import { altMachineOf, MACHINE_TYPE, NO_LOG, type AltAccount, type AltWorld } from '../alt-chain/machine-state.ts';
import { machineOf, type SimEvent } from '../chain/machine-state.ts';
import type { Block } from '../chain/virtual-chain.ts';
import { readDirectory } from './directory.ts';
import type { PaymentEvidence } from './evidence.ts';
import {
  expectCard,
  expectData,
  expectExplanation,
  expectRecord,
  matchesExpected,
  judge,
  rateEvents,
  toDid,
  type MachineRoute,
} from './truth.ts';

/** State at a slot that the service received. */
export interface AltMoment {
  readonly slot: number;
  readonly world: AltWorld;
  readonly evidence: PaymentEvidence;
}

/** Returns whether the main chain leaves a machine to the alt chain. */
export function isLeftToAlt(id: bigint, block: Block): boolean {
  const home = judge(machineOf(block.world, id));
  return home.kind === 'absent' || (home.kind === 'elsewhere' && home.ordinal === ALT_ORDINAL);
}

/** Applies the table of chain-svm 4. */
export function judgeAlt(id: bigint, world: AltWorld): 'here' | 'absent' | 'relocating' {
  const { account } = altMachineOf(world, id);
  if (account === undefined) return 'absent';
  return account.relocating ? 'relocating' : 'here';
}

/** Returns whether the whole body of a 200 is true. */
export function isAltBodyTrue(
  route: MachineRoute,
  id: bigint,
  body: Readonly<Record<string, unknown>>,
  block: Block,
  moment: AltMoment,
  nowSeconds: number,
): boolean {
  if (route === 'card') return isDeepStrictEqual(body, expectAltCard(id, block, moment.world));
  if (route === 'profile') {
    return listAltProfiles(id, block, moment.world, nowSeconds).some((profile) => isDeepStrictEqual(body, profile));
  }
  const { log = NO_LOG } = altMachineOf(moment.world, id);
  const expect = (events: readonly SimEvent[], unavailable: string | null) =>
    expectAltRating(route, id, block, moment, nowSeconds, events, unavailable);
  if (body['rating_unavailable'] !== 'indexer_behind') {
    return matchesExpected(body, expect(log.events, log.events.length === 0 ? 'no_events_yet' : null));
  }
  // While the index is behind, counts cover what is indexed: events may be missing, or of an earlier incarnation with the same prior count.
  const counted = body['event_count'] as number;
  const { events } = log;
  if (events.length === 0) return false;
  const counts = ['event_count', 'revenue_event_count', 'activity_event_count', 'total_revenue', 'last_updated'];
  const others = [...counts, 'mcr_degraded', 'average_revenue_per_event', 'evidence'];
  const withoutCounts = (value: object) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !others.includes(name)));
  // The newest counted event may be ahead of the clock, and the validity of a flag depends on the later of both.
  return (
    counted <= events.length &&
    [events, events.slice(0, counted)].some((each) =>
      matchesExpected(withoutCounts(body), withoutCounts(expect(each, 'indexer_behind'))),
    )
  );
}

function expectAltRating(
  route: 'mcr' | 'explanation',
  id: bigint,
  block: Block,
  { slot, world, evidence }: AltMoment,
  nowSeconds: number,
  events: readonly SimEvent[],
  unavailable: string | null,
): object {
  const { log = NO_LOG } = altMachineOf(world, id);
  const machine = machineOf(block.world, id);
  const rating = rateEvents(
    events,
    { prior: log.prior, hands: [], isVerified: false, paid: evidence.paid },
    unavailable,
    machine,
    block,
    nowSeconds,
  );
  const record = { ...expectRecord(id, rating), ...toHome(unavailable) };
  if (route === 'mcr') return record;
  // Nothing stops a machine of the virtual alt chain.
  const history = { prior: log.prior, events, count: log.events.length, changedHandsAt: undefined, evidence };
  const home = { ...history, slot, availability: 'available' };
  return { ...record, ...expectExplanation(machine, block, rating, nowSeconds, home) };
}

/** Returns the expected entry of an operator's list. */
export function expectAltEntry(id: bigint, block: Block, world: AltWorld, nowSeconds: number): object {
  const status = toStatus(id, block, world, nowSeconds);
  return {
    did: `did:svc:${id}`,
    machine_id: String(id),
    mcr_score: 0,
    mcr: 'Provisioned',
    name: `Machine #${id}`,
    ...status,
    ...toUnrated(status.event_count),
  };
}

/** Returns the possible profiles: with events, and without them while the index lacks them. */
function listAltProfiles(id: bigint, block: Block, world: AltWorld, nowSeconds: number): object[] {
  const { log = NO_LOG, account } = altMachineOf(world, id);
  const { owner, controller = null, operator, endpoints } = account as AltAccount;
  const directory = readDirectory(endpoints);
  const status = toStatus(id, block, world, nowSeconds);
  const isShown = directory.visibility === 'onchain';
  return [expectData(directory, log.events), ...(isShown ? [{}] : [])].map((data) => ({
    schema_version: '1.0',
    name: `Machine #${id}`,
    svcos: {
      machine_id: String(id),
      did: `did:svc:${id}`,
      operator: operator === undefined ? null : toDid(operator),
      mcr: 'Provisioned',
      mcr_score: 0,
      ...status,
      data_visibility: directory.visibility,
      documentation_url: directory.documentation ?? null,
      service_endpoints: endpoints.map(({ id: name, type, url }) => ({ id: name, type, endpoint: url })),
      ...data,
      ...toUnrated(status.event_count),
      owner,
      controller,
      machine_type: MACHINE_TYPE,
      relocating: false,
    },
  }));
}

function expectAltCard(id: bigint, block: Block, world: AltWorld): object {
  const { log = NO_LOG, account } = altMachineOf(world, id);
  const { operator, endpoints } = account as AltAccount;
  const machineRegistry = `solana:${GENESIS_HASH.slice(0, 32)}:${PROGRAMS.machineRegistry}`;
  const count = log.events.length;
  const card = expectCard(machineOf(block.world, id), block, { endpoints, operator, count, machineRegistry });
  return { ...card, ...toUnrated(count) };
}

function toStatus(id: bigint, block: Block, world: AltWorld, nowSeconds: number) {
  const { log = NO_LOG } = altMachineOf(world, id);
  const machine = machineOf(block.world, id);
  const { bond_status, negative_flag } = rateEvents(
    [],
    { prior: 0, hands: [], isVerified: false },
    'not_rated_here',
    machine,
    block,
    nowSeconds,
  );
  return { bond_status, negative_flag, event_count: log.events.length };
}

function toUnrated(count: number) {
  return toHome(count === 0 ? 'no_events_yet' : 'not_rated_here');
}

function toHome(unavailable: string | null) {
  return { home_chain: ALT_ORDINAL, ...(unavailable !== null && { rating_unavailable: unavailable }) };
}
