/**
 * Decodes logs by contract and topic: the table of chain-evm 6, the ownership ids of 4.2 and 4.3, and the bodies of
 * event logs. A topic in no row is `unknown`: it is counted and invalidates every cache.
 */
import type { Abi, AbiEvent, Hex } from 'viem';
import { toEventSignature } from 'viem/utils';
import { toMachineId, ZERO_ADDRESS, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type {
  ChainLog,
  ChipLogBody,
  EventGeneration,
  EventLogBody,
  FactLogBody,
  LogEffect,
  RegistryLogBody,
} from '../../../ports/main-chain.ts';
import type { FactKind } from '../../../domain/machine/fact-log.ts';
import * as abis from '../reads/abis.ts';
import { createDecoder, hashSignature } from '../reads/contract-function.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';

/** Effect of a row of the table on the ids at the given topics. */
type Row =
  | { readonly kind: 'machines'; readonly topics: readonly number[]; readonly isOwnership: boolean }
  | { readonly kind: 'operator-kyb' | 'deployment' | 'all' | 'checks' | 'nothing' };

interface Contract {
  readonly abi: Abi;
  readonly rows: Readonly<Record<string, Row>>;
  /** Effect of a topic that is in no row. */
  readonly others: 'unknown' | 'nothing';
  readonly generation?: EventGeneration;
  /** Whether the contract may emit metadata updates (ERC-4906). */
  readonly isToken?: true;
}

const drop = (...topics: number[]): Row => ({ kind: 'machines', topics, isOwnership: false });
const dropOwned = (...topics: number[]): Row => ({ kind: 'machines', topics, isOwnership: true });
const all: Row = { kind: 'all' };
const deployment: Row = { kind: 'deployment' };
const checks: Row = { kind: 'checks' };
const nothing: Row = { kind: 'nothing' };
const kyb: Row = { kind: 'operator-kyb' };

const GOVERNED: Readonly<Record<string, Row>> = { Upgraded: checks, OwnershipTransferred: checks, Initialized: checks };

const CONTRACTS = {
  machineRegistry: {
    abi: abis.machineRegistryAbi,
    isToken: true,
    others: 'unknown',
    rows: {
      Transfer: dropOwned(3),
      ControllerUpdated: dropOwned(1),
      MachineMinted: dropOwned(1),
      MachineBridgedIn: dropOwned(1),
      MachineBridgedOut: dropOwned(1),
      MachineRetired: dropOwned(1),
      LegacyMachineReissued: dropOwned(1, 2),
      VerificationMethodsUpdated: drop(1),
      AuthenticationUpdated: drop(1),
      ServiceEndpointsUpdated: drop(1),
      Approval: nothing,
      ApprovalForAll: nothing,
    },
  },
  machineStateAndSync: {
    abi: abis.machineStateAndSyncAbi,
    others: 'unknown',
    rows: {
      MachineOnboarded: drop(1),
      MachineRetired: drop(1),
      GeneralPausedSet: drop(1),
      TechnicalPausedSet: drop(1),
      OperatorPausedSet: drop(1),
      SubscriptionPausedSet: drop(1),
      RelocationCollected: drop(1),
      RelocationReplayed: drop(1),
      RelocationFinalized: drop(1),
      RelocationCancelled: drop(1),
      CancelRequested: drop(1),
      GeneralPausedGlobalSet: deployment,
      TechnicalPausedGlobalSet: deployment,
      ChainFlagSet: deployment,
    },
  },
  machineSubscription: {
    abi: abis.machineSubscriptionAbi,
    others: 'nothing',
    rows: {
      Activated: drop(1),
      Renewed: drop(1),
      SubscriptionStatusChanged: drop(1),
      SubscriptionTerminated: drop(1),
      SubscriptionTerminatedForFraud: drop(1),
      TierUpgraded: drop(1),
      RunoffDecayApplied: drop(1),
      SubscriptionReissued: drop(1, 2),
    },
  },
  eventRegistry: {
    abi: abis.eventRegistryAbi,
    others: 'unknown',
    generation: 'current',
    rows: { EventSubmitted: drop(1), MachineEventsImported: drop(1), Paused: nothing, Unpaused: nothing },
  },
  crossChainMirror: {
    abi: abis.crossChainMirrorAbi,
    others: 'nothing',
    rows: {
      HomeChainRegistered: dropOwned(1),
      HomeChainUpdated: dropOwned(1),
      HomeChainCleared: dropOwned(1),
      HomeChainReissued: dropOwned(1, 2),
      MirroredDataSet: drop(1),
      ForeignRetirementDeferred: drop(1),
      MirroredChainDataSet: all,
    },
  },
  infoDesk: {
    abi: abis.infoDeskAbi,
    others: 'nothing',
    rows: {
      PeerSet: deployment,
      PeerUnset: deployment,
      GraceDurationSet: deployment,
      RunoffDurationSet: deployment,
      SubscriptionPeriodLengthSet: deployment,
      LocalChainIdSet: deployment,
      ChainRegistered: deployment,
      ChainRemoved: deployment,
      MachineRelocationEnabledSet: deployment,
      MachineDataContractRegistered: deployment,
      MachineDataContractRemoved: deployment,
    },
  },
  adminFlags: {
    abi: abis.adminFlagsAbi,
    others: 'unknown',
    rows: { MachineFlagged: drop(1), FlagCleared: drop(1), TrustOverrideSet: drop(1), TrustOverrideCleared: drop(1) },
  },
  attestationRegistry: {
    abi: abis.attestationRegistryAbi,
    others: 'unknown',
    rows: {
      ChipAttested: drop(1),
      ChipRevoked: drop(1),
      KybAttested: kyb,
      KybRevoked: kyb,
      // Each accompanies an attestation and changes nothing that is served.
      ChipEvidence: nothing,
      ChipReinstated: nothing,
      KybEvidence: nothing,
    },
  },
  /** Its ids are unrelated to those of cached machines, so none of its logs touches them. */
  legacyEventRegistry: {
    abi: abis.eventRegistryAbi,
    others: 'nothing',
    generation: 'legacy',
    rows: { EventSubmitted: nothing, MachineEventsImported: nothing },
  },
} satisfies Record<string, Contract>;

/** An event of a contract. */
interface Topic {
  readonly row: Row;
  readonly topicCount: number;
  readonly name: string;
}

interface WatchedContract {
  readonly contract: Contract;
  readonly topics: ReadonlyMap<Hex, Topic>;
}

export const EVENT_TOPICS: readonly Hex[] = ['EventSubmitted', 'MachineEventsImported'].map((name) =>
  hashSignature(toEventSignature(findEvent(abis.eventRegistryAbi, name))),
);

/** Topics of the logs of chip records. */
export const CHIP_TOPICS: readonly Hex[] = ['ChipAttested', 'ChipRevoked'].map((name) =>
  hashSignature(toEventSignature(findEvent(abis.attestationRegistryAbi, name))),
);

/** Topics of the logs of controllers, those of mints included. */
export const CONTROLLER_TOPICS: readonly Hex[] = ['ControllerUpdated', 'MachineMinted'].map((name) =>
  hashSignature(toEventSignature(findEvent(abis.machineRegistryAbi, name))),
);

/** Topic of `Transfer`. */
export const TOKEN_TRANSFER_TOPIC = hashSignature(toEventSignature(findEvent(abis.machineRegistryAbi, 'Transfer')));

export interface LogEffects {
  /** Lists the contracts whose logs are read, in lower case. */
  readonly addresses: readonly Address[];
  /** Decodes a log of a watched contract; undefined when it does not have the form of its event. */
  decode(
    address: Address,
    topics: readonly Hex[],
    data: Hex,
  ): Pick<ChainLog, 'effect' | 'ownershipOf' | 'event' | 'registry'> | undefined;
}

/** Builds the table for the contracts of this deployment. */
export function createLogEffects(addresses: MainChainAddresses): LogEffects {
  const watched = new Map<Address, WatchedContract>();
  for (const [name, contract] of Object.entries(CONTRACTS) as [keyof typeof CONTRACTS, Contract][]) {
    const address = name === 'legacyEventRegistry' ? addresses.legacy?.eventRegistry : addresses[name];
    if (address !== undefined) watched.set(address, watch(contract));
  }
  return {
    addresses: [...watched.keys()],
    decode(address, topics, data) {
      const { contract, topics: known } = watched.get(address)!;
      const topic = topics[0] === undefined ? undefined : known.get(topics[0]);
      if (topic === undefined) {
        const effect = (contract.isToken && toMetadataEffect(topics, data)) ?? { kind: contract.others };
        return { effect, ownershipOf: NONE, event: undefined, registry: undefined };
      }
      if (topics.length !== topic.topicCount) return undefined;
      const ids = topic.row.kind === 'machines' ? toIds(topics, topic.row.topics) : NONE;
      const event = toEventBody(contract, topic.name, topics, data);
      const registry = toRegistryBody(topic.name, topics, data);
      if (event === MALFORMED || registry === MALFORMED) return undefined;
      return {
        effect: toEffect(topic.row, ids, topics),
        ownershipOf: topic.row.kind === 'machines' && topic.row.isOwnership ? ids : NONE,
        event,
        registry,
      };
    },
  };
}

const [METADATA_UPDATE, BATCH_METADATA_UPDATE] = [
  'MetadataUpdate(uint256)',
  'BatchMetadataUpdate(uint256,uint256)',
].map(hashSignature);
const WORD_DIGITS = 64;
/** First digit of an address in a word with its prefix. */
const ADDRESS_START = 26;

/**
 * Returns the effect of an ERC-4906 log: its machine, or all machines for a range. Returns undefined for any other log;
 * no contract of this deployment guarantees the form.
 */
function toMetadataEffect(topics: readonly Hex[], data: Hex): LogEffect | undefined {
  if (topics.length !== 1) return undefined;
  if (topics[0] === METADATA_UPDATE && data.length === 2 + WORD_DIGITS) return toWordEffect(data);
  if (topics[0] !== BATCH_METADATA_UPDATE || data.length !== 2 + 2 * WORD_DIGITS) return undefined;
  const first = data.slice(0, 2 + WORD_DIGITS) as Hex;
  return data.endsWith(first.slice(2)) ? toWordEffect(first) : { kind: 'all' };
}

/** Returns the effect on the machine whose id is this word. */
function toWordEffect(word: Hex): LogEffect {
  return { kind: 'machines', ids: toIds([word], [0]) };
}

function watch(contract: Contract): WatchedContract {
  const topics = new Map<Hex, Topic>();
  for (const [abi, rows] of [
    [contract.abi, contract.rows],
    [abis.governedEvents as Abi, GOVERNED],
  ] as const) {
    for (const [name, row] of Object.entries(rows)) {
      const event = findEvent(abi, name);
      const topicCount = 1 + event.inputs.filter((input) => input.indexed === true).length;
      topics.set(hashSignature(toEventSignature(event)), { row, topicCount, name });
    }
  }
  return { contract, topics };
}

/** Returns a decoder of the members of an event that are no topics. */
function decoderOf(abi: Abi, name: string) {
  return createDecoder(findEvent(abi, name).inputs.filter((input) => input.indexed !== true));
}

function findEvent(abi: Abi, name: string): AbiEvent {
  return abi.find((item): item is AbiEvent => item.type === 'event' && item.name === name)!;
}

function toEffect(row: Row, ids: readonly MachineId[], topics: readonly Hex[]): LogEffect {
  if (row.kind === 'machines') return { kind: 'machines', ids };
  if (row.kind === 'operator-kyb')
    return { kind: 'operator-kyb', operator: `0x${topics[1]!.slice(ADDRESS_START)}` as Address };
  return { kind: row.kind };
}

const NONE: readonly MachineId[] = [];

/** Returns the machine ids at these places without id 0, which the contracts accept but no machine has. */
function toIds(words: readonly Hex[], places: readonly number[]): MachineId[] {
  const ids: MachineId[] = [];
  for (const place of places) {
    const id = toMachineId(BigInt(words[place]!));
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

function toRegistryBody(
  name: string,
  topics: readonly Hex[],
  data: Hex,
): RegistryLogBody | undefined | typeof MALFORMED {
  if (name === 'ChipAttested' || name === 'ChipRevoked') return toChipBody(name, topics, data);
  const fact = FACTS[name];
  if (fact !== undefined) return toFactBody(fact, topics, data);
  if (name !== 'Transfer' && name !== 'ControllerUpdated' && name !== 'MachineMinted') return undefined;
  const [machineId] = toIds(topics, [name === 'Transfer' ? 3 : 1]);
  if (machineId === undefined) return undefined;
  const [first, second, third] = topics.slice(1).map(toAddress);
  switch (name) {
    case 'Transfer':
      return { kind: 'transfer', machineId, from: first, to: second };
    case 'ControllerUpdated':
      return { kind: 'controller', machineId, from: second, to: third };
    case 'MachineMinted':
      return { kind: 'minted', machineId, to: third };
  }
}

const decodeAttested = decoderOf(abis.attestationRegistryAbi, 'ChipAttested');
const decodeRevoked = decoderOf(abis.attestationRegistryAbi, 'ChipRevoked');

function toChipBody(
  name: 'ChipAttested' | 'ChipRevoked',
  topics: readonly Hex[],
  data: Hex,
): ChipLogBody | undefined | typeof MALFORMED {
  const [machineId] = toIds(topics, [1]);
  if (machineId === undefined) return undefined;
  const body = name === 'ChipAttested' ? decodeAttested(data) : decodeRevoked(data);
  if (body === undefined) return MALFORMED;
  const [first, second] = body as readonly [bigint, bigint?];
  return name === 'ChipAttested'
    ? { kind: 'chip-attested', machineId, issuedAt: first, expiresAt: second! }
    : { kind: 'chip-revoked', machineId, revokedAt: first };
}

/** How a log becomes a fact: its kind, and where the value is. */
interface FactRow {
  readonly kind: FactKind;
  /** Topic of the machine. */
  readonly idTopic: number;
  /** Decodes the members that are no topics. */
  readonly decode?: ReturnType<typeof decoderOf>;
  /** Returns the kind of a log whose kind depends on its members; undefined where it is no fact. */
  readonly kindOf?: (members: readonly unknown[]) => FactKind | undefined;
  /** Place of the value among these members. */
  readonly place?: number;
  /** Topic of the value. */
  readonly valueTopic?: number;
}

const subscription = (name: string) => decoderOf(abis.machineSubscriptionAbi, name);
const TERMINATED_STATUS = 4;

/** Facts by the name of their event, which no two watched contracts share. */
const FACTS: Readonly<Partial<Record<string, FactRow>>> = {
  Activated: { kind: 'bond-period', idTopic: 1, decode: subscription('Activated'), place: 3 },
  Renewed: { kind: 'bond-period', idTopic: 1, decode: subscription('Renewed'), place: 2 },
  SubscriptionStatusChanged: {
    kind: 'bond-period',
    idTopic: 1,
    decode: subscription('SubscriptionStatusChanged'),
    place: 3,
    kindOf: ([, status]) => toStatusKind(Number(status)),
  },
  SubscriptionTerminated: { kind: 'bond-terminated', idTopic: 1 },
  SubscriptionTerminatedForFraud: { kind: 'bond-terminated-for-fraud', idTopic: 1 },
  SubscriptionReissued: { kind: 'bond-reissued', idTopic: 2, valueTopic: 1 },
  MachineFlagged: { kind: 'flagged', idTopic: 1, decode: decoderOf(abis.adminFlagsAbi, 'MachineFlagged'), place: 0 },
  FlagCleared: { kind: 'flag-cleared', idTopic: 1 },
  TrustOverrideSet: {
    kind: 'override-set',
    idTopic: 1,
    decode: decoderOf(abis.adminFlagsAbi, 'TrustOverrideSet'),
    place: 0,
  },
  TrustOverrideCleared: { kind: 'override-cleared', idTopic: 1 },
};

/** A termination has a log of its own; a subscription that never started has no period. */
function toStatusKind(status: number): FactKind | undefined {
  return status > 0 && status < TERMINATED_STATUS ? 'bond-period' : undefined;
}

function toFactBody(row: FactRow, topics: readonly Hex[], data: Hex): FactLogBody | undefined | typeof MALFORMED {
  const [machineId] = toIds(topics, [row.idTopic]);
  if (machineId === undefined) return undefined;
  if (row.valueTopic !== undefined) return { kind: row.kind, machineId, value: BigInt(topics[row.valueTopic]!) };
  if (row.decode === undefined) return { kind: row.kind, machineId, value: undefined };
  const members = row.decode(data) as readonly (bigint | number)[] | undefined;
  if (members === undefined) return MALFORMED;
  const kind = row.kindOf === undefined ? row.kind : row.kindOf(members);
  return kind && { kind, machineId, value: BigInt(members[row.place!]!) };
}

/** Returns undefined for the zero address. */
function toAddress(word: Hex): Address | undefined {
  const address = `0x${word.slice(ADDRESS_START)}` as Address;
  return address === ZERO_ADDRESS ? undefined : address;
}

const MALFORMED = Symbol('malformed');

/** Decodes event type and value; the currency is a topic and only known by its hash. */
const decodeSubmitted = decoderOf(abis.eventRegistryAbi, 'EventSubmitted');

function toEventBody(
  { generation }: Contract,
  name: string,
  topics: readonly Hex[],
  data: Hex,
): EventLogBody | undefined | typeof MALFORMED {
  if (generation === undefined || !(name === 'EventSubmitted' || name === 'MachineEventsImported')) return undefined;
  const [machineId] = toIds(topics, [1]);
  if (machineId === undefined) return undefined;
  if (name === 'MachineEventsImported') return { kind: 'imported', generation, machineId };
  const body = decodeSubmitted(data);
  if (body === undefined) return MALFORMED;
  const [eventType, value] = body as readonly [number, bigint];
  return { kind: 'submitted', generation, machineId, eventIndex: BigInt(topics[2]!), eventType, value };
}
