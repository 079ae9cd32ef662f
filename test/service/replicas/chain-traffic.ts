/** Seeded traffic on both chains: changes of owners and operators, and events, with the state that an index of it must reach. */
import { accountOf, type Account } from '../../../devnet/accounts.ts';
import { altAccountOf } from '../../../devnet/alt-chain/keys.ts';
import { submitEvent as submitAltEvent } from '../../../devnet/alt-node/event-transactions.ts';
import { machineAddresses } from '../../../devnet/alt-node/program-addresses.ts';
import { REVENUE } from '../../../devnet/alt-node/registered-machine.ts';
import type { SampleAltMachine } from '../../../devnet/personas/alt-persona.ts';
import { placeMachine } from '../../../devnet/alt-chain/placements.ts';
import { createChainWriter } from '../../../devnet/main-chain/chain-writer.ts';
import { submitEvent, transferMachine } from '../../../devnet/main-chain/calls.ts';
import { listSampleAltMachines } from '../../../devnet/personas/alt-personas.ts';
import { FLEET_OPERATOR } from '../../../devnet/personas/fleet-personas.ts';
import type { Devnet } from '../../../devnet/start-devnet.ts';
import type { Random } from '../../../sim/random.ts';

/** Expected state by machine. */
export interface TrafficSums {
  readonly owners: ReadonlyMap<bigint, string>;
  readonly altOperators: ReadonlyMap<bigint, string>;
  /** Values of the submitted events, in order. */
  readonly events: ReadonlyMap<bigint, readonly bigint[]>;
  readonly altEvents: ReadonlyMap<bigint, readonly bigint[]>;
}

export interface Traffic extends TrafficSums {
  /** Runs steps of one main-chain block with up to four transactions, one alt-chain transaction and one change of an operator. */
  go(steps: number): Promise<void>;
  /** Finalizes the traffic on the main chain and returns the slot of the last change on the alt chain, which keeps producing slots. */
  settle(): Promise<number>;
}

const TRADERS = [FLEET_OPERATOR, 'trader one', 'trader two', 'trader three'].map(accountOf);
const FINAL_BLOCKS = 4;
const CREATED_AT = 1_700_000_000;

/** All further blocks of the main chain come from this traffic: the devnet produces none. */
export function openTraffic(devnet: Devnet, random: Random): Traffic {
  const { deployment, fixtures, altChain } = devnet;
  const { node } = altChain!;
  const writer = createChainWriter(devnet.rpcUrl);
  const isOfFleet = ({ name }: { readonly name: string }) => /^fleet-\d+$/.test(name);
  const machines = fixtures.machines.filter(isOfFleet).map(({ id }) => BigInt(id));
  const holders = new Map<bigint, Account>(machines.map((id) => [id, accountOf(FLEET_OPERATOR)]));
  const fleetMachines = listSampleAltMachines().filter(({ persona }) => /^alt-fleet-\d+$/.test(persona.name));
  const altOperators = new Map(fleetMachines.map(({ machine }) => [machine.id, accountOf(FLEET_OPERATOR).address]));
  const events = new Map<bigint, bigint[]>(machines.map((id) => [id, []]));
  const altEvents = new Map<bigint, bigint[]>(fleetMachines.map(({ machine }) => [machine.id, []]));
  let value = 10_000n;

  async function goOnMain(): Promise<void> {
    const calls = Array.from({ length: random.integer(1, 4) }, () => {
      const id = random.pick(machines);
      const holder = holders.get(id)!;
      if (random.chance(0.5)) {
        const next = random.pick(TRADERS.filter((trader) => trader !== holder));
        holders.set(id, next);
        return transferMachine(deployment, holder.address, next.address, id);
      }
      value += 1n;
      events.get(id)!.push(value);
      const revenue = { eventType: 0, value, currency: 'USD', trustLevel: 1, timestamp: fixtures.seededAt };
      return submitEvent(deployment, { ...revenue, from: holder.address, machineId: id });
    });
    await writer.mine(calls);
  }

  async function goOnAlt(): Promise<void> {
    value += 1n;
    const { machine, persona } = random.pick(fleetMachines);
    altEvents.get(machine.id)!.push(value);
    const record = { ...REVENUE, value, timestamp: BigInt(fixtures.seededAt) };
    const { seed } = altAccountOf(`${persona.name} owner`);
    await submitAltEvent(node, { machineId: machine.id, signer: seed, record });
    await operate(random.pick(fleetMachines), random.pick(TRADERS));
  }

  async function operate(sample: SampleAltMachine, operator: Account): Promise<void> {
    const machine = { ...sample.machine, operator };
    const times = { createdAt: CREATED_AT, relocating: false };
    placeMachine(node, { ...sample, machine }, await machineAddresses(machine.id), times);
    altOperators.set(machine.id, operator.address);
  }

  return {
    get owners() {
      return new Map([...holders].map(([id, { address }]) => [id, address]));
    },
    altOperators,
    events,
    altEvents,
    async go(steps) {
      for (let step = 0; step < steps; step++) await Promise.all([goOnMain(), goOnAlt()]);
    },
    async settle() {
      for (let block = 0; block < FINAL_BLOCKS; block++) await writer.mine([]);
      return node.slot;
    },
  };
}
