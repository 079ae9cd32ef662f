/**
 * What does a reader of the devnet need to know? `fixtures.json` in the shape of configuration.md 3: addresses, keys, and what
 * the service must answer. The alt chain's part joins when it exists.
 */
import type { Hex } from 'viem';
import { accountOf } from './accounts.ts';
import type { Account } from './accounts.ts';
import { expectAnswers, formatDid } from './answers.ts';
import type { Deployment, MainChainAddresses } from './deploy.ts';
import { FIRST_GENERATION } from './first-generation.ts';
import type { ExpectedAnswers, Persona } from './persona.ts';
import type { Inhabitant } from './personas.ts';
import { EMPTY_OPERATOR, FLEET_OPERATOR } from './personas-fleet.ts';

export interface MachineFixture {
  readonly name: string;
  readonly about: string;
  /** Decimal. */
  readonly id: string;
  readonly did: string;
  readonly home: Persona['home'];
  /** The last owner, when the machine is gone. */
  readonly owner: string;
  readonly ownerKey: Hex;
  readonly controller: string | null;
  readonly controllerKey: Hex | null;
  readonly operator: string;
  readonly expect: ExpectedAnswers;
}

export interface OperatorFixture {
  readonly name: string;
  readonly address: string;
  readonly key: Hex;
  /** Decimal ids in the order of the listing. */
  readonly machines: readonly string[];
  readonly expect: ExpectedAnswers;
}

/** A bound, revoked or unbound alt-chain address. */
export interface WalletFixture {
  readonly name: string;
  readonly address: string;
  readonly state: 'bound' | 'revoked' | 'unbound';
  readonly boundTo: string | null;
}

export interface FirstGenerationFixture {
  readonly id: string;
  readonly address: string;
  readonly key: Hex;
  readonly operator: string;
  /** Members of the rating record of its address. */
  readonly expectedRating: object;
}

export interface Fixtures {
  /** Unix seconds to which all times are relative. */
  readonly seededAt: number;
  readonly mainChain: {
    readonly rpcUrl: string;
    readonly chainId: number;
    readonly startBlock: number;
    readonly addresses: MainChainAddresses;
    /** Protocol owner and attester. */
    readonly admin: { readonly address: string; readonly key: Hex };
  };
  readonly machines: readonly MachineFixture[];
  readonly operators: readonly OperatorFixture[];
  readonly wallets: readonly WalletFixture[];
  readonly firstGeneration: readonly FirstGenerationFixture[];
}

const PAGE_SIZE = 20;

export interface FixtureScene {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly now: number;
  readonly inhabitants: readonly Inhabitant[];
}

export function toFixtures({ rpcUrl, deployment, now, inhabitants }: FixtureScene): Fixtures {
  const { chainId, startBlock, addresses } = deployment;
  const admin = accountOf('admin');
  const fleet = accountOf(FLEET_OPERATOR);
  const fleetMachines = inhabitants.filter(({ machine }) => machine.owner === fleet);
  return {
    seededAt: now,
    mainChain: { rpcUrl, chainId, startBlock, addresses, admin: { address: admin.address, key: admin.key } },
    machines: inhabitants.map((inhabitant) => toMachineFixture(inhabitant, deployment, now)),
    operators: [toOperatorFixture(fleet, fleetMachines), toOperatorFixture(accountOf(EMPTY_OPERATOR), [])],
    wallets: [],
    firstGeneration: FIRST_GENERATION.map(({ id, machine, operator, history }) => ({
      id: String(id),
      address: machine.address,
      key: machine.key,
      operator: operator.address,
      expectedRating: history.rating,
    })),
  };
}

function toMachineFixture({ persona, machine }: Inhabitant, deployment: Deployment, now: number): MachineFixture {
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
    expect: expectAnswers(persona, { deployment, now, machine }),
  };
}

function toOperatorFixture({ name, address, key }: Account, members: readonly Inhabitant[]): OperatorFixture {
  const sorted = [...members].sort((a, b) => (a.machine.id < b.machine.id ? -1 : 1));
  const path = `/operator/${address}/machines`;
  const lastPage = Math.floor(Math.max(0, sorted.length - 1) / PAGE_SIZE) * PAGE_SIZE;
  return {
    name,
    address,
    key,
    machines: sorted.map(({ machine }) => String(machine.id)),
    expect: {
      [path]: expectPage(address, sorted, 0),
      [`${path}?offset=${lastPage}`]: expectPage(address, sorted, lastPage),
      [`${path}?offset=${sorted.length}`]: expectPage(address, sorted, sorted.length),
    },
  };
}

function expectPage(address: string, sorted: readonly Inhabitant[], offset: number): ExpectedAnswers[string] {
  return {
    status: 200,
    body: {
      operator_did: `did:svc:${address}`,
      machines: sorted.slice(offset, offset + PAGE_SIZE).map(toEntry),
      pagination: { offset, limit: PAGE_SIZE, total: sorted.length },
      unreadable: 0,
    },
  };
}

function toEntry({ persona, machine }: Inhabitant): object {
  if (persona.answer.kind !== 'served') throw new Error(`${persona.name} is not served and cannot be listed`);
  const { mcr_score, mcr, negative_flag } = persona.answer.rating;
  return { did: formatDid(machine.id), machine_id: String(machine.id), mcr_score, mcr, negative_flag };
}
