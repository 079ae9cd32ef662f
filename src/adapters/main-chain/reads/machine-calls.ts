/**
 * Contract calls for one machine and their decoding (chain-evm 3 and 5.1). A machine is absent only by an
 * `ERC721NonexistentToken` with its id from MachineRegistry; any other failure makes only the fact of that call
 * unreadable.
 */
import type { Hex } from 'viem';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import type {
  AdminFlagsRecord,
  AttestationRecords,
  DidDocument,
  MachineSnapshot,
  Subscription,
  SubscriptionStatus,
} from '../../../domain/machine/machine-facts.ts';
import type { AttestationRecord } from '../../../domain/evidence/verify-status.ts';
import * as abis from './abis.ts';
import { contractFunction } from './contract-function.ts';
import { eventPageCall } from './event-pages.ts';
import type { CallResult, ContractCall } from './multicall.ts';
import { valueOf } from './multicall.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';

const ownerOf = contractFunction(abis.machineRegistryAbi, 'ownerOf');
const controllerOf = contractFunction(abis.machineRegistryAbi, 'controllerOf');
const operatorOf = contractFunction(abis.machineRegistryAbi, 'operatorOf');
const didDocument = contractFunction(abis.machineRegistryAbi, 'didDocument');
const subscriptions = contractFunction(abis.machineSubscriptionAbi, 'subscriptions');
const subscriptionStatus = contractFunction(abis.machineSubscriptionAbi, 'subscriptionStatus');
const isMachineAvailable = contractFunction(abis.machineStateAndSyncAbi, 'isMachineAvailable');
const isGeneralPaused = contractFunction(abis.machineStateAndSyncAbi, 'isGeneralPaused');
const isTechnicalPaused = contractFunction(abis.machineStateAndSyncAbi, 'isTechnicalPaused');
const isOperatorPaused = contractFunction(abis.machineStateAndSyncAbi, 'isOperatorPaused');
const isRelocating = contractFunction(abis.machineStateAndSyncAbi, 'isRelocating');
const homeChainOf = contractFunction(abis.crossChainMirrorAbi, 'homeChainOf');
const getEventCount = contractFunction(abis.eventRegistryAbi, 'getEventCount');
const priorEventCount = contractFunction(abis.eventRegistryAbi, 'priorEventCount');
const flagsOf = contractFunction(abis.adminFlagsAbi, 'flagsOf');
const kybOf = contractFunction(abis.attestationRegistryAbi, 'kybOf');
const recordsOf = contractFunction(abis.attestationRegistryAbi, 'recordsOf');
const chipLogCount = contractFunction(abis.attestationRegistryAbi, 'chipLogCount');

/** `ERC721NonexistentToken(uint256)`. */
const NONEXISTENT_TOKEN = '0x7e273289';

const MAX_TRUST_OVERRIDE = 100;

const STATUSES: readonly SubscriptionStatus[] = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];

/** Event pages to read with the machine. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly firstEvents: boolean;
}

export type FactName = keyof typeof UNARY_CALLS | 'flags' | 'attestations' | 'chipLogCount' | 'events' | 'firstEvents';
export type NamedCalls = Readonly<Partial<Record<FactName, ContractCall>>>;
export type NamedResults = Readonly<Partial<Record<FactName, CallResult>>>;

/** Rows 1 to 14 of table 5.1: the contract and its function, which takes the id only. */
const UNARY_CALLS = {
  owner: ['machineRegistry', ownerOf],
  controller: ['machineRegistry', controllerOf],
  operator: ['machineRegistry', operatorOf],
  document: ['machineRegistry', didDocument],
  subscription: ['machineSubscription', subscriptions],
  subscriptionStatus: ['machineSubscription', subscriptionStatus],
  available: ['machineStateAndSync', isMachineAvailable],
  generalPaused: ['machineStateAndSync', isGeneralPaused],
  technicalPaused: ['machineStateAndSync', isTechnicalPaused],
  operatorPaused: ['machineStateAndSync', isOperatorPaused],
  relocating: ['machineStateAndSync', isRelocating],
  homeOrdinal: ['crossChainMirror', homeChainOf],
  eventCount: ['eventRegistry', getEventCount],
  priorEventCount: ['eventRegistry', priorEventCount],
} as const;

/** Returns the calls for one machine by the name of their fact, without events when `pages` is undefined. */
export function planMachineCalls(
  id: MachineId,
  addresses: MainChainAddresses,
  pages: PageRequest | undefined,
): NamedCalls {
  const calls: Partial<Record<FactName, ContractCall>> = {};
  for (const [name, [contract, called]] of Object.entries(UNARY_CALLS)) {
    calls[name as FactName] = { target: addresses[contract], data: called.encode([id]) };
  }
  if (addresses.adminFlags !== undefined) calls.flags = { target: addresses.adminFlags, data: flagsOf.encode([id]) };
  if (addresses.attestationRegistry !== undefined) {
    calls.attestations = { target: addresses.attestationRegistry, data: recordsOf.encode([id]) };
    calls.chipLogCount = { target: addresses.attestationRegistry, data: chipLogCount.encode([id]) };
  }
  if (pages === undefined) return calls;
  calls.events = eventPageCall(addresses.eventRegistry, id, pages.offset, pages.limit);
  // A page that begins at 0 holds the first events already.
  if (pages.firstEvents && pages.offset > 0) {
    calls.firstEvents = eventPageCall(addresses.eventRegistry, id, 0, pages.limit);
  }
  return calls;
}

/** Returns the calls for a machine's owner and controller in the order of the results that `decodeHolders` takes. */
export function planHolderCalls(id: MachineId, { machineRegistry: target }: MainChainAddresses): ContractCall[] {
  return [ownerOf, controllerOf].map((called) => ({ target, data: called.encode([id]) }));
}

export function decodeHolders(
  id: MachineId,
  ownerResult: CallResult | undefined,
  controllerResult: CallResult | undefined,
): Pick<MachineFacts, 'owner' | 'controller'> {
  return {
    owner: readToken(id, ownerResult, ownerOf, toOwner),
    controller: noneIfZero(readToken(id, controllerResult, controllerOf, toAddress)),
  };
}

/** Decodes all facts except the events. */
export function decodeMachineFacts(
  id: MachineId,
  addresses: MainChainAddresses,
  results: NamedResults,
): Omit<MachineFacts, 'events' | 'firstEvents'> {
  const hasFlags = addresses.adminFlags !== undefined;
  const hasAttestations = addresses.attestationRegistry !== undefined;
  const owner = readToken(id, results.owner, ownerOf, toOwner);
  const controller = readToken(id, results.controller, controllerOf, toAddress);
  const document = readToken(id, results.document, didDocument, toDocument);
  return {
    owner,
    ...crossCheckController(owner, controller, document),
    operator: noneIfZero(readToken(id, results.operator, operatorOf, toAddress)),
    subscription: readValue(results.subscription, subscriptions, toSubscription),
    subscriptionStatus: readValue(results.subscriptionStatus, subscriptionStatus, toStatus),
    available: readValue(results.available, isMachineAvailable, present),
    generalPaused: readValue(results.generalPaused, isGeneralPaused, present),
    technicalPaused: readValue(results.technicalPaused, isTechnicalPaused, present),
    operatorPaused: readValue(results.operatorPaused, isOperatorPaused, present),
    relocating: readValue(results.relocating, isRelocating, present),
    homeOrdinal: readValue(results.homeOrdinal, homeChainOf, present),
    eventCount: readValue(results.eventCount, getEventCount, present),
    priorEventCount: readValue(results.priorEventCount, priorEventCount, present),
    flags: hasFlags ? readValue(results.flags, flagsOf, toFlags) : ABSENT,
    attestations: hasAttestations ? readValue(results.attestations, recordsOf, toAttestations) : ABSENT,
    chipLogCount:
      hasAttestations && !isUnknownFunction(results.chipLogCount)
        ? readValue(results.chipLogCount, chipLogCount, present)
        : ABSENT,
  };
}

export type MachineFacts = Omit<MachineSnapshot, 'id' | 'block'>;

/** Returns true for a contract that does not have the function. */
function isUnknownFunction(result: CallResult | undefined): boolean {
  return result?.success === false && result.data === '0x' && result.isOfNode !== true;
}

/** Decodes a result of MachineRegistry, the only contract that can report a token as nonexistent. */
function readToken<Raw, T>(
  id: MachineId,
  result: CallResult | undefined,
  called: { decode(data: Hex): Raw | undefined },
  toResult: (value: Raw) => ReadResult<T>,
): ReadResult<T> {
  if (result?.success === false && result.data === nonexistentToken(id)) return ABSENT;
  return readValue(result, called, toResult);
}

function nonexistentToken(id: MachineId): string {
  return NONEXISTENT_TOKEN + id.toString(16).padStart(64, '0');
}

export function readValue<Raw, T>(
  result: CallResult | undefined,
  called: { decode(data: Hex): Raw | undefined },
  toResult: (value: Raw) => ReadResult<T>,
): ReadResult<T> {
  const value = valueOf(result, called);
  return value === undefined ? unreadable('undecodable') : toResult(value);
}

/**
 * Cross-checks the controller, which the registry and the document both name. A token that has an owner but no
 * controller or document is contradictory as well.
 */
function crossCheckController(
  owner: ReadResult<Address>,
  controller: ReadResult<Address>,
  document: ReadResult<DidDocument>,
): Pick<MachineFacts, 'controller' | 'document'> {
  const differ =
    controller.state === 'present' &&
    document.state === 'present' &&
    toOptional(controller.value) !== document.value.controller;
  const check = <T>(reading: ReadResult<T>): ReadResult<T> =>
    differ || (owner.state === 'present' && reading.state === 'absent') ? unreadable('contradiction') : reading;
  return { controller: noneIfZero(check(controller)), document: check(document) };
}

function toOwner(value: Hex): ReadResult<Address> {
  // The call reverts for a token without an owner, so zero is invalid.
  return value === ZERO_ADDRESS ? unreadable('undecodable') : present(value as Address);
}

export function toAddress(value: Hex): ReadResult<Address> {
  return present(value as Address);
}

export function noneIfZero(reading: ReadResult<Address>): ReadResult<Address> {
  return reading.state === 'present' && reading.value === ZERO_ADDRESS ? ABSENT : reading;
}

function toOptional(value: Hex): Address | undefined {
  return value === ZERO_ADDRESS ? undefined : (value as Address);
}

function toDocument(raw: NonNullable<ReturnType<typeof didDocument.decode>>): ReadResult<DidDocument> {
  const { controller, verificationMethods, authentication, serviceEndpoints } = raw;
  return present({ controller: toOptional(controller), verificationMethods, authentication, serviceEndpoints });
}

function toSubscription(raw: NonNullable<ReturnType<typeof subscriptions.decode>>): ReadResult<Subscription> {
  const { tier, periodStart, periodEnd, bondedAmount } = raw;
  return present({ tier, periodStart, periodEnd, bondedAmount });
}

function toStatus(value: number): ReadResult<SubscriptionStatus> {
  const status = STATUSES[value];
  return status === undefined ? unreadable('undecodable') : present(status);
}

function toFlags(raw: readonly [bigint, boolean, number]): ReadResult<AdminFlagsRecord> {
  const [flaggedAt, isOverridden, trustOverride] = raw;
  if (isOverridden && trustOverride > MAX_TRUST_OVERRIDE) return unreadable('undecodable');
  return present({ flaggedAt, trustOverride: isOverridden ? trustOverride : undefined });
}

type RawAttestation = NonNullable<ReturnType<typeof recordsOf.decode>>[1];

function toAttestations([operator, kyb, chip]: NonNullable<
  ReturnType<typeof recordsOf.decode>
>): ReadResult<AttestationRecords> {
  return present({ operator: toOptional(operator), kyb: toRecord(kyb), chip: toRecord(chip) });
}

/** Returns the call for the KYB record of an operator, which `decodeKyb` decodes. */
export function planKybCall(operator: Address, attestationRegistry: Address): ContractCall {
  return { target: attestationRegistry, data: kybOf.encode([operator]) };
}

export function decodeKyb(result: CallResult | undefined): ReadResult<AttestationRecord> {
  return readValue(result, kybOf, (raw) => {
    const record = toRecord(raw);
    return record === undefined ? ABSENT : present(record);
  });
}

/** Decodes a record; zero means no record, no expiry or not revoked. */
function toRecord({ issuedAt, expiresAt, revokedAt }: RawAttestation): AttestationRecord | undefined {
  if (issuedAt === 0n) return undefined;
  return {
    issuedAt,
    expiresAt: expiresAt === 0n ? undefined : expiresAt,
    revokedAt: revokedAt === 0n ? undefined : revokedAt,
  };
}
