/**
 * Fixture file of the devnet: `fixtures.json` in the shape of configuration.md 3, with addresses, keys and the responses expected of the
 * service. Without an alt chain it lists no alt-chain machines and no wallets.
 */
import type { Hex } from 'viem';
import { VERDICTS, type VerdictCode } from '../src/domain/rating/verdict.ts';
import { accountOf } from './accounts.ts';
import type { Account } from './accounts.ts';
import { expectAltResponses, toAltEntry } from './personas/expected-alt-responses.ts';
import type { AltChain } from './alt-chain/alt-chain.ts';
import { formatSeed } from './alt-chain/keys.ts';
import type { SampleAltMachine, ServedAltExpectation } from './personas/alt-persona.ts';
import type { ExpectedRating } from './personas/histories.ts';
import { DEVNET_WALLETS, expectWalletResponses } from './personas/wallets.ts';
import type { DevnetWallet } from './personas/wallets.ts';
import { expectResponses, formatDid } from './personas/expected-responses.ts';
import type { Deployment, MainChainAddresses } from './main-chain/deploy.ts';
import { DEVNET_LEGACY_MACHINES } from './personas/legacy-machines.ts';
import type { Onboarding } from './chips/onboarding.ts';
import type { PaymentContracts } from './main-chain/payments.ts';
import { toSourcesFixture } from './payment-source-files.ts';
import type { SourcesFixture } from './payment-source-files.ts';
import type { ExpectedResponse, ExpectedResponses, ServedExpectation } from './personas/persona.ts';
import type { SampleMachine } from './personas/sample-machines.ts';
import { EMPTY_OPERATOR, FLEET_OPERATOR } from './personas/fleet-personas.ts';

export interface MachineFixture {
  readonly name: string;
  readonly about: string;
  /** Decimal. */
  readonly id: string;
  readonly did: string;
  readonly home: 'main' | 'alt';
  /** Of a machine that no longer exists: its last owner. */
  readonly owner: string;
  /** Main chain: `0x` and 64 hex digits; alt chain: the 64 hex digits of an Ed25519 seed. */
  readonly ownerKey: string;
  readonly controller: string | null;
  readonly controllerKey: string | null;
  /** Null: its account on the alt chain names no operator. */
  readonly operator: string | null;
  readonly expect: ExpectedResponses;
  /** Members of the explanation that hold once all payments are followed; null where none is. */
  readonly settled: SettledRating | null;
}

export interface SettledRating extends Pick<ExpectedRating, 'mcr' | 'mcr_score' | 'summary'> {
  /** Number of events with each verdict. */
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
}

export interface OperatorFixture {
  readonly name: string;
  readonly address: string;
  readonly key: Hex;
  /** Decimal ids in listing order. */
  readonly machines: readonly string[];
  readonly expect: ExpectedResponses;
}

/** Alt-chain address with its binding state. */
export interface WalletFixture {
  readonly name: string;
  readonly address: string;
  readonly state: 'bound' | 'revoked' | 'unbound';
  readonly boundTo: string | null;
  /** Ed25519 seed, 64 hex digits. */
  readonly key: string;
  readonly expect: ExpectedResponses;
}

export interface LegacyMachineFixture {
  readonly id: string;
  readonly address: string;
  readonly key: Hex;
  readonly operator: string;
  /** Members of the rating record at its address. */
  readonly expectedRating: object;
}

export interface Fixtures {
  /** Unix seconds; all times are relative to it. */
  readonly seededAt: number;
  readonly mainChain: {
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly startBlock: number;
    readonly addresses: MainChainAddresses;
    /** Protocol owner and attester. */
    readonly admin: { readonly address: string; readonly key: Hex };
  };
  /** Null: the devnet has no alt chain. */
  readonly altChain: {
    readonly rpcUrl: string;
    readonly genesisHash: string;
    readonly firstSlot: number;
    readonly programs: Readonly<Record<AltProgramName, string>>;
  } | null;
  /** Token, router and wallets of the main chain as a payment source. */
  readonly sources: SourcesFixture;
  readonly onboardingToken: string;
  readonly machines: readonly MachineFixture[];
  readonly operators: readonly OperatorFixture[];
  readonly wallets: readonly WalletFixture[];
  readonly firstGeneration: readonly LegacyMachineFixture[];
  /** Paths of PEM files; further chips can be issued from the folder. */
  readonly trust: Onboarding['trust'];
  /** A certified chip: paths of its certificate and key (PEM). */
  readonly chip: Onboarding['chip'];
}

/** Name of the variable in camelCase without `ALT_` and `_PROGRAM` (configuration.md 3). */
type AltProgramName = Exclude<keyof AltChain['programs'], 'caller'>;

const PAGE_SIZE = 20;

export interface FixtureInput {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly now: number;
  readonly sampleMachines: readonly SampleMachine[];
  /** Undefined: the devnet has no alt chain, and `sampleAltMachines` is empty. */
  readonly altChain: AltChain | undefined;
  readonly sampleAltMachines: readonly SampleAltMachine[];
  readonly onboarding: Onboarding;
  readonly payments: PaymentContracts;
}

/** Builds the content of `fixtures.json`. */
export function toFixtures(input: FixtureInput): Fixtures {
  const { rpcUrl, deployment, now, sampleMachines, altChain, sampleAltMachines, onboarding, payments } = input;
  const { chainId, startBlock, addresses } = deployment;
  const admin = accountOf('admin');
  const fleet = accountOf(FLEET_OPERATOR);
  const listed = [
    ...sampleMachines.filter(({ machine }) => machine.owner === fleet).map(toListed),
    ...sampleAltMachines.filter(({ machine }) => machine.operator === fleet).map(toAltListed),
  ];
  return {
    seededAt: now,
    mainChain: { rpcUrl, chainId, startBlock, addresses, admin: { address: admin.address, key: admin.key } },
    altChain: altChain === undefined ? null : toAltChainFixture(altChain),
    sources: toSourcesFixture(payments, altChain),
    onboardingToken: onboarding.token,
    machines: [
      ...sampleMachines.map((sample) => toMachineFixture(sample, deployment, now)),
      ...(altChain === undefined ? [] : sampleAltMachines.map((sample) => toAltMachineFixture(sample, altChain, now))),
    ],
    operators: [toOperatorFixture(fleet, listed), toOperatorFixture(accountOf(EMPTY_OPERATOR), [])],
    wallets: altChain === undefined ? [] : DEVNET_WALLETS.map((wallet) => toWalletFixture(wallet, now)),
    firstGeneration: DEVNET_LEGACY_MACHINES.map(({ id, machine, operator, history }) => ({
      id: String(id),
      address: machine.address,
      key: machine.key,
      operator: operator.address,
      expectedRating: history.rating,
    })),
    trust: onboarding.trust,
    chip: onboarding.chip,
  };
}

function toAltChainFixture({ rpcUrl, genesisHash, firstSlot, programs }: AltChain): NonNullable<Fixtures['altChain']> {
  const { machineRegistry, stateAndSync, subscription, eventRegistry, infoDesk, binding } = programs;
  return {
    ...{ rpcUrl, genesisHash, firstSlot },
    programs: { machineRegistry, stateAndSync, subscription, eventRegistry, infoDesk, binding },
  };
}

function toMachineFixture({ persona, machine }: SampleMachine, deployment: Deployment, now: number): MachineFixture {
  const { id, owner, controller } = machine;
  return {
    name: persona.name,
    about: persona.about,
    id: String(id),
    did: formatDid(id),
    home: persona.home,
    owner: owner.address,
    ownerKey: owner.key,
    controller: controller?.address ?? null,
    controllerKey: controller?.key ?? null,
    operator: owner.address,
    expect: expectResponses(persona, { deployment, now, machine }),
    settled: toSettled(persona.expected),
  };
}

function toSettled(
  expected: ServedExpectation | ServedAltExpectation | { readonly kind: Exclude<string, 'served'> },
): SettledRating | null {
  if (!('rating' in expected) || expected.verdicts === undefined) return null;
  const { mcr, mcr_score, summary } = expected.rating;
  const none = Object.fromEntries(VERDICTS.map((code) => [code, 0])) as Record<VerdictCode, number>;
  return { mcr, mcr_score, summary, verdicts: { ...none, ...expected.verdicts } };
}

function toAltMachineFixture(sample: SampleAltMachine, altChain: AltChain, now: number): MachineFixture {
  const { persona, machine } = sample;
  const { id, owner, controller, operator } = machine;
  const { genesisHash, programs } = altChain;
  return {
    name: persona.name,
    about: persona.about,
    id: String(id),
    did: formatDid(id),
    home: 'alt',
    owner: owner.key,
    ownerKey: formatSeed(owner),
    controller: controller?.key ?? null,
    controllerKey: controller === undefined ? null : formatSeed(controller),
    operator: operator?.address ?? null,
    expect: expectAltResponses(sample, { genesisHash, machineRegistry: programs.machineRegistry, now }),
    settled: toSettled(persona.expected),
  };
}

function toWalletFixture(devnetWallet: DevnetWallet, now: number): WalletFixture {
  const { name, wallet, state, boundTo } = devnetWallet;
  return {
    name,
    address: wallet.key,
    state,
    boundTo: boundTo?.address ?? null,
    key: formatSeed(wallet),
    expect: expectWalletResponses(devnetWallet, now),
  };
}

/** Machine in an operator's listing, on either chain. */
interface Listed {
  readonly id: bigint;
  readonly entry: object;
}

function toOperatorFixture({ name, address, key }: Account, members: readonly Listed[]): OperatorFixture {
  const sorted = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  const path = `/operator/${address}/machines`;
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE));
  const offsets = Array.from({ length: pages }, (_, page) => page * PAGE_SIZE);
  return {
    name,
    address,
    key,
    machines: sorted.map(({ id }) => String(id)),
    expect: {
      [path]: expectPage(address, sorted, 0),
      ...Object.fromEntries(
        [...new Set([...offsets, sorted.length])].map((offset) => [
          `${path}?offset=${offset}`,
          expectPage(address, sorted, offset),
        ]),
      ),
    },
  };
}

function expectPage(address: string, sorted: readonly Listed[], offset: number): ExpectedResponse {
  return {
    status: 200,
    body: {
      operator_did: `did:svc:${address}`,
      machines: sorted.slice(offset, offset + PAGE_SIZE).map(({ entry }) => entry),
      pagination: { offset, limit: PAGE_SIZE, total: sorted.length },
      unreadable: 0,
    },
  };
}

function toListed({ persona, machine: { id } }: SampleMachine): Listed {
  if (persona.expected.kind !== 'served') throw new Error(`${persona.name} is not served and cannot be listed`);
  const { mcr_score, mcr, negative_flag, bond_status, event_count } = persona.expected.rating;
  const entry = {
    did: formatDid(id),
    machine_id: String(id),
    ...{ mcr_score, mcr, negative_flag, bond_status, event_count },
  };
  return { id, entry };
}

function toAltListed(sample: SampleAltMachine): Listed {
  const entry = toAltEntry(sample);
  if (entry === undefined) throw new Error(`${sample.persona.name} is not served and cannot be listed`);
  return { id: sample.machine.id, entry };
}
