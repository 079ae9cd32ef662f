/** Random operations on machines of the virtual main chain, with their effects and logs (chain-evm 2 and 3). */
import type { Random } from '../random.ts';
import { address, bool, text, tuple, uint, tail } from './abi-words.ts';
import { attest } from './attestation-operations.ts';
import type { BlockDraft } from './block-draft.ts';
import { ALT_ORDINAL } from '../alt-chain/deployment.ts';
import { ADDRESSES, FOREIGN_ADDRESS } from './deployment.ts';
import { submitEvent, submitEvents, type CitationActor } from './event-operations.ts';
import { LOCAL_ORDINAL, operatorOf, statusAt, ZERO, type Endpoint, type Machine } from './machine-state.ts';

/** Machines and accounts of a run; few of each, so that operations collide. */
export interface Actors {
  readonly machines: readonly bigint[];
  readonly accounts: readonly string[];
  /** Draws attestations; undefined where the deployment has no attestation registry. */
  readonly attester?: Random | undefined;
  /** Undefined without a payment source. */
  readonly citations?: CitationActor | undefined;
}

/** Seconds of a subscription period; short, so that boundaries fall into a run. */
const PERIOD_SECONDS = 240;

const WEIGHTS = {
  submit: 24,
  submitForAll: 4,
  mint: 10,
  transfer: 10,
  controller: 8,
  endpoints: 6,
  renew: 6,
  fraud: 1,
  pause: 5,
  globalPause: 1,
  durations: 1,
  relocate: 5,
  finishRelocation: 8,
  import: 4,
  retire: 2,
  reissue: 1,
  home: 1,
  flag: 4,
  override: 4,
  noise: 6,
  governance: 0.4,
  unknownTopic: 0.3,
} as const;

type Operation = keyof typeof WEIGHTS;

/** Performs one random operation, or none where it is not possible. */
export function operate(draft: BlockDraft, random: Random, actors: Actors): void {
  const operation = random.weigh<Operation>(WEIGHTS);
  const machine = draft.machine(random.pick(actors.machines));
  const act = OPERATIONS[operation];
  act(draft, machine, random, actors);
  draft.endTransaction();
  if (actors.attester !== undefined) attest(draft, actors.attester, actors.machines);
}

type Act = (draft: BlockDraft, machine: Machine, random: Random, actors: Actors) => void;

const OPERATIONS: { readonly [O in Operation]: Act } = {
  submit: (draft, machine, random, { citations }) => {
    const status = statusAt(machine, draft.world, draft.timestamp);
    if (machine.owner !== undefined && (status === 1 || status === 2)) submitEvents(draft, machine, random, citations);
  },
  // One gateway submits for several machines: indexes coincide, so logs of one set the bloom bits of another's.
  submitForAll: (draft, _machine, random, actors) => {
    for (const id of actors.machines) {
      const machine = draft.machine(id);
      if (machine.owner !== undefined && random.chance(0.7)) submitEvents(draft, machine, random, actors.citations);
    }
  },
  mint: (draft, machine, random, actors) => {
    if (machine.owner !== undefined || machine.relocating || machine.home > LOCAL_ORDINAL) return;
    mint(draft, machine.id, random, actors);
  },
  transfer: (draft, machine, random, actors) => {
    if (machine.owner === undefined || machine.relocating) return;
    const to = random.pick(actors.accounts);
    draft.change(machine.id, { owner: to });
    logTransfer(draft, machine.owner, to, machine.id);
    // A marketplace that hands a machine over with a controller: the buyer has not accepted the operator by this.
    if (actors.attester?.chance(0.4) === true) OPERATIONS.controller(draft, draft.machine(machine.id), random, actors);
    draft.note(`${machine.id} transferred to ${short(to)}`);
  },
  controller: (draft, machine, random, actors) => {
    if (machine.owner === undefined) return;
    const to = random.chance(0.3) ? ZERO : random.pick(actors.accounts);
    const isLater = machine.handsTransaction !== draft.transactionKey;
    const before = machine.controllers;
    const controllers = [...(before.at(-1) === machine.controller ? before : [...before, machine.controller]), to];
    draft.change(machine.id, { controller: to, isAccepted: machine.isAccepted || isLater, controllers });
    const indexed = [uint(machine.id), address(machine.controller), address(to)];
    draft.log('machineRegistry', 'ControllerUpdated(uint256,address,address)', indexed);
    draft.note(`${machine.id} controlled by ${short(to)}`);
  },
  endpoints: (draft, machine, random) => {
    if (machine.owner === undefined) return;
    draft.change(machine.id, { endpoints: drawEndpoints(random) });
    draft.log('machineRegistry', 'ServiceEndpointsUpdated(uint256)', [uint(machine.id)]);
    draft.note(`${machine.id} has other endpoints`);
  },
  renew: (draft, machine, random) => {
    const { subscription } = machine;
    if (machine.owner === undefined || subscription.periodStart === 0 || subscription.isTerminated) return;
    if (statusAt(machine, draft.world, draft.timestamp) === 4) return;
    const periodEnd = subscription.periodEnd + random.integer(30, PERIOD_SECONDS);
    draft.change(machine.id, { subscription: { ...subscription, periodEnd } });
    logSubscription(draft, machine, 'Renewed(uint256,address,uint8,uint256,uint64)', [
      uint(0),
      uint(1),
      uint(periodEnd),
    ]);
    draft.note(`${machine.id} renewed`);
  },
  fraud: (draft, machine) => {
    if (machine.subscription.periodStart === 0) return;
    draft.change(machine.id, { subscription: { ...machine.subscription, isTerminated: true } });
    logSubscription(draft, machine, 'SubscriptionTerminatedForFraud(uint256,address)', []);
    draft.note(`${machine.id} terminated for fraud`);
  },
  pause: (draft, machine, random) => {
    if (machine.owner === undefined) return;
    const [member, signature] = random.pick([
      ['generalPaused', 'GeneralPausedSet(uint256,bool)'],
      ['technicalPaused', 'TechnicalPausedSet(uint256,bool)'],
      ['operatorPaused', 'OperatorPausedSet(uint256,bool)'],
    ] as const);
    const value = !machine[member];
    draft.change(machine.id, { [member]: value });
    draft.log('machineStateAndSync', signature, [uint(machine.id)], [bool(value)]);
    draft.note(`${machine.id} ${member} ${value}`);
  },
  globalPause: (draft, _machine, random) => {
    const isGeneral = random.chance(0.5);
    const member = isGeneral ? 'generalPausedGlobal' : 'technicalPausedGlobal';
    const value = !draft.world[member];
    draft.changeWorld({ [member]: value });
    const signature = isGeneral ? 'GeneralPausedGlobalSet(bool)' : 'TechnicalPausedGlobalSet(bool)';
    draft.log('machineStateAndSync', signature, [], [bool(value)]);
    draft.note(`${member} ${value}`);
  },
  durations: (draft, _machine, random) => {
    const seconds = random.integer(20, 120);
    if (random.chance(0.5)) {
      draft.changeWorld({ graceSeconds: seconds });
      draft.log('infoDesk', 'GraceDurationSet(uint64)', [], [uint(seconds)]);
    } else {
      draft.changeWorld({ runoffSeconds: seconds });
      draft.log('infoDesk', 'RunoffDurationSet(uint64)', [], [uint(seconds)]);
    }
    draft.note(`durations changed to ${seconds} s`);
  },
  relocate: (draft, machine, random) => {
    if (machine.relocating || (machine.owner === undefined && machine.home <= LOCAL_ORDINAL)) return;
    draft.change(machine.id, { relocating: true });
    const signature = random.chance(0.5) ? 'RelocationCollected(uint256,uint16)' : 'RelocationReplayed(uint256)';
    const data = signature.startsWith('RelocationCollected') ? [uint(3)] : [];
    draft.log('machineStateAndSync', signature, [uint(machine.id)], data);
    draft.note(`${machine.id} relocates`);
  },
  finishRelocation: (draft, machine, random, actors) => {
    if (!machine.relocating) return;
    const isCancelled = random.chance(0.3);
    if (!isCancelled && machine.owner !== undefined) bridgeOut(draft, machine, random, actors);
    if (!isCancelled && machine.owner === undefined) bridgeIn(draft, machine, random, actors);
    draft.change(machine.id, { relocating: false });
    const signature = isCancelled ? 'RelocationCancelled(uint256)' : 'RelocationFinalized(uint256)';
    draft.log('machineStateAndSync', signature, [uint(machine.id)]);
    draft.note(`${machine.id} relocation ${isCancelled ? 'cancelled' : 'finalized'}`);
  },
  import: (draft, machine, random, actors) => {
    if (machine.owner !== undefined) importEvents(draft, machine, random, actors);
  },
  retire: (draft, machine) => {
    if (machine.owner === undefined) return;
    draft.change(machine.id, { owner: undefined, controller: ZERO });
    logTransfer(draft, machine.owner, ZERO, machine.id);
    draft.log('machineRegistry', 'MachineRetired(uint256)', [uint(machine.id)]);
    draft.log('machineStateAndSync', 'MachineRetired(uint256)', [uint(machine.id)]);
    draft.note(`${machine.id} retired`);
  },
  reissue: (draft, machine, random, actors) => {
    const other = draft.machine(random.pick(actors.machines));
    if (machine.owner === undefined || other.id === machine.id || other.owner !== undefined) return;
    if (other.home > LOCAL_ORDINAL || other.relocating || machine.relocating) return;
    const { owner, controller, endpoints, subscription, home } = machine;
    draft.change(other.id, { owner, controller, endpoints, subscription, home });
    const none = { periodStart: 0, periodEnd: 0, isTerminated: false };
    draft.change(machine.id, { owner: undefined, controller: ZERO, subscription: none, home: 0 });
    const ids = [uint(machine.id), uint(other.id)];
    logTransfer(draft, owner, ZERO, machine.id);
    logTransfer(draft, ZERO, owner, other.id);
    draft.log('machineRegistry', 'LegacyMachineReissued(uint256,uint256,address)', [...ids, address(owner)]);
    draft.log('machineSubscription', 'SubscriptionReissued(uint256,uint256)', ids);
    draft.log('crossChainMirror', 'HomeChainReissued(uint256,uint256,uint16)', ids, [uint(home)]);
    draft.note(`${machine.id} reissued as ${other.id}`);
  },
  home: (draft, machine, random) => setHome(draft, machine, random.pick([0, LOCAL_ORDINAL, LOCAL_ORDINAL, 3, 5])),
  flag: (draft, machine, random) => {
    const isFlagged = random.chance(0.6);
    draft.change(machine.id, { flaggedAt: isFlagged ? draft.timestamp : 0 });
    if (isFlagged) {
      draft.log('adminFlags', 'MachineFlagged(uint256,uint64)', [uint(machine.id)], [uint(draft.timestamp)]);
    } else draft.log('adminFlags', 'FlagCleared(uint256)', [uint(machine.id)]);
    draft.note(`${machine.id} ${isFlagged ? 'flagged' : 'not flagged'}`);
  },
  override: (draft, machine, random) => {
    const override = random.chance(0.6) ? random.integer(0, 100) : undefined;
    draft.change(machine.id, { override });
    if (override === undefined) draft.log('adminFlags', 'TrustOverrideCleared(uint256)', [uint(machine.id)]);
    else draft.log('adminFlags', 'TrustOverrideSet(uint256,uint8)', [uint(machine.id)], [uint(override)]);
    draft.note(`${machine.id} trust ${override ?? 'own'}`);
  },
  noise: (draft, machine, random) => {
    // Logs of an unwatched contract share bloom bits with ours; `Approval` of a watched one changes no fact.
    draft.logForeign(FOREIGN_ADDRESS, random.hex(32));
    if (machine.owner === undefined || random.chance(0.5)) return;
    const indexed = [address(machine.owner), address(FOREIGN_ADDRESS), uint(machine.id)];
    draft.log('machineRegistry', 'Approval(address,address,uint256)', indexed);
  },
  governance: (draft) => {
    draft.log('machineRegistry', 'Upgraded(address)', [address(FOREIGN_ADDRESS)]);
    draft.note('upgraded');
  },
  unknownTopic: (draft, _machine, random) => {
    draft.logForeign(ADDRESSES.machineRegistry, random.hex(32));
    draft.note('a log of an unknown topic');
  },
};

export function mint(draft: BlockDraft, id: bigint, random: Random, actors: Actors): void {
  const owner = random.pick(actors.accounts);
  const controller = random.chance(0.5) ? ZERO : random.pick(actors.accounts);
  const periodStart = draft.timestamp;
  const periodEnd = periodStart + random.pick([40, PERIOD_SECONDS, PERIOD_SECONDS, 90 * 86_400]);
  const before = draft.machine(id).subscription;
  const subscription = before.isTerminated ? before : { periodStart, periodEnd, isTerminated: false };
  draft.change(id, { owner, controller, endpoints: drawEndpoints(random), subscription, home: LOCAL_ORDINAL });
  logTransfer(draft, ZERO, owner, id);
  const minted = tuple([tail(text('Sensor'))]);
  const indexed = [uint(id), address(owner), address(controller)];
  draft.log('machineRegistry', 'MachineMinted(uint256,address,address,string)', indexed, [minted]);
  const activated = [uint(0), uint(1), uint(periodStart), uint(periodEnd)];
  const signature = 'Activated(uint256,address,uint8,uint256,uint64,uint64)';
  draft.log('machineSubscription', signature, [uint(id), address(owner)], activated);
  draft.log('crossChainMirror', 'HomeChainRegistered(uint256,uint16)', [uint(id)], [uint(LOCAL_ORDINAL)]);
  draft.log('machineStateAndSync', 'MachineOnboarded(uint256,address)', [uint(id), address(owner)]);
  draft.note(`${id} minted to ${short(owner)}`);
}

/** Registers a machine of the alt chain, with its bond on the main chain. */
export function registerOnAltChain(draft: BlockDraft, id: bigint, random: Random, actors: Actors): void {
  mint(draft, id, random, actors);
  const { owner, subscription } = draft.machine(id);
  const periodEnd = draft.timestamp + random.pick([PERIOD_SECONDS, 400 * 86_400, 400 * 86_400]);
  draft.change(id, { owner: undefined, controller: ZERO, subscription: { ...subscription, periodEnd } });
  logTransfer(draft, owner!, ZERO, id);
  logSubscription(draft, draft.machine(id), 'Renewed(uint256,address,uint8,uint256,uint64)', [
    uint(0),
    uint(1),
    uint(periodEnd),
  ]);
  setHome(draft, draft.machine(id), random.pick([0, ALT_ORDINAL, ALT_ORDINAL, ALT_ORDINAL]));
}

function bridgeOut(draft: BlockDraft, machine: Machine, random: Random, actors: Actors): void {
  draft.change(machine.id, {
    owner: undefined,
    controller: ZERO,
    recordedOperator: random.chance(0.5) ? random.pick(actors.accounts) : ZERO,
  });
  logTransfer(draft, machine.owner!, ZERO, machine.id);
  const name = tuple([tail(text('Sensor'))]);
  draft.log('machineRegistry', 'MachineBridgedOut(uint256,string)', [uint(machine.id)], [name]);
  setHome(draft, draft.machine(machine.id), random.pick([3, 5]));
}

/** Moves a machine to the main chain; no log names its controller. */
function bridgeIn(draft: BlockDraft, machine: Machine, random: Random, actors: Actors): void {
  const owner = random.pick(actors.accounts);
  draft.change(machine.id, { owner, controller: random.pick(actors.accounts), endpoints: drawEndpoints(random) });
  logTransfer(draft, ZERO, owner, machine.id);
  const name = tuple([tail(text('Sensor'))]);
  draft.log('machineRegistry', 'MachineBridgedIn(uint256,address,string)', [uint(machine.id), address(owner)], [name]);
  setHome(draft, draft.machine(machine.id), LOCAL_ORDINAL);
  if (random.chance(0.7)) importEvents(draft, draft.machine(machine.id), random, actors);
}

/**
 * Restarts the readable history, sometimes with as many events as before. Not where payments are followed: claims are those of readable
 * events, so that an import changes which machine had an account before it.
 */
function importEvents(draft: BlockDraft, machine: Machine, random: Random, { citations }: Actors): void {
  if (citations !== undefined) return;
  const prior = machine.prior + machine.events.length + random.integer(0, 3);
  const restart = <T>(changes: readonly T[]) => changes.map((change) => ({ ...change, seq: 0 }));
  const [transfers, hands] = [restart(machine.transfers), restart(machine.hands)];
  draft.change(machine.id, { prior, events: [], transfers, hands });
  draft.log('eventRegistry', 'MachineEventsImported(uint256,uint256)', [uint(machine.id)], [uint(prior)]);
  draft.note(`${machine.id} imported ${prior} events`);
  if (!random.chance(0.3)) return;
  for (let i = 0; i < machine.events.length; i++) submitEvent(draft, draft.machine(machine.id), random);
}

function setHome(draft: BlockDraft, machine: Machine, home: number): void {
  draft.change(machine.id, { home });
  if (home === 0) draft.log('crossChainMirror', 'HomeChainCleared(uint256)', [uint(machine.id)]);
  else {
    const data = [uint(machine.home), uint(home)];
    draft.log('crossChainMirror', 'HomeChainUpdated(uint256,uint16,uint16)', [uint(machine.id)], data);
  }
  draft.note(`${machine.id} home ${home}`);
}

function logTransfer(draft: BlockDraft, from: string, to: string, id: bigint): void {
  const { transfers, events } = draft.machine(id);
  draft.change(id, { transfers: [...transfers, { to, seq: events.length, at: draft.timestamp }] });
  noteClaimEnd(draft, draft.machine(id), to);
  if (to !== ZERO) noteOwner(draft, draft.machine(id), to, from === ZERO);
  const indexed = [address(from), address(to), uint(id)];
  draft.log('machineRegistry', 'Transfer(address,address,uint256)', indexed);
}

function logSubscription(draft: BlockDraft, machine: Machine, signature: string, data: readonly string[]): void {
  draft.log('machineSubscription', signature, [uint(machine.id), address(operatorOf(machine))], data);
}

const ENDPOINTS: readonly Endpoint[] = [
  { id: '#documentation', type: 'Documentation', url: 'https://docs.example/one' },
  { id: '#x', type: 'documentation_url', url: 'not a url' },
  { id: '#data-api', type: 'DataApi', url: 'https://data.example/two' },
  { id: '#web', type: 'Web', url: 'https://web.example/three' },
  { id: '#visibility', type: 'DataVisibility', url: 'onchain' },
  { id: '#visibility', type: 'DataVisibility', url: 'onchain' },
  { id: '#data-visibility', type: 'Other', url: 'public' },
];

export function drawEndpoints(random: Random): Endpoint[] {
  return Array.from({ length: random.integer(0, 4) }, () => ({ ...random.pick(ENDPOINTS) }));
}

export function short(account: string): string {
  return account === ZERO ? 'none' : account.slice(0, 6);
}

/** Notes that a burn or a change of hands ends the payout claims. */
function noteClaimEnd(draft: BlockDraft, { id, lastOwner, claimEnds, events }: Machine, to: string): void {
  if (to !== ZERO && (lastOwner === undefined || lastOwner === to)) return;
  draft.change(id, { claimEnds: [...claimEnds, { seq: events.length, at: draft.timestamp }] });
}

/** Notes a change of hands; the first mint is none. */
function noteOwner(draft: BlockDraft, { id, lastOwner, hands, events }: Machine, to: string, isMint: boolean): void {
  draft.change(id, { lastOwner: to });
  if (lastOwner === undefined || lastOwner === to) return;
  const change = { seq: events.length, at: draft.timestamp, from: lastOwner, to, isMint };
  const unaccepted = { handsTransaction: draft.transactionKey, isAccepted: false, controllers: [] };
  draft.change(id, { hands: [...hands, change], ...unaccepted });
}
