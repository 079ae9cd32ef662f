/** What happens on both chains while something else goes wrong? Owners and operators change and events come in, as a seed chooses; and what all of it must have come to. */
import { accountOf, type Account } from '../../devnet/accounts.ts';
import { altAccountOf } from '../../devnet/alt-chain/keys.ts';
import { submitEvent as submitAltEvent } from '../../devnet/alt-node/event-transactions.ts';
import { machineAddresses } from '../../devnet/alt-node/program-addresses.ts';
import { REVENUE } from '../../devnet/alt-node/registered-machine.ts';
import type { AltInhabitant } from '../../devnet/personas/alt-persona.ts';
import { placeMachine } from '../../devnet/alt-chain/placements.ts';
import { createChainWriter } from '../../devnet/main-chain/chain-writer.ts';
import { submitEvent, transferMachine } from '../../devnet/main-chain/calls.ts';
import { listAltInhabitants } from '../../devnet/personas/alt-personas.ts';
import { FLEET_OPERATOR } from '../../devnet/personas/fleet-personas.ts';
import type { Devnet } from '../../devnet/start-devnet.ts';
import type { Random } from '../../sim/random.ts';

/** By machine. */
export interface TrafficSums {
  readonly owners: ReadonlyMap<bigint, string>;
  readonly altOperators: ReadonlyMap<bigint, string>;
  /** Values of the events that came, in their order. */
  readonly events: ReadonlyMap<bigint, readonly bigint[]>;
  readonly altEvents: ReadonlyMap<bigint, readonly bigint[]>;
}

export interface Traffic extends TrafficSums {
  /** So many times: a block of the main chain with up to four transactions, and a transaction and a change of an operator on the alt chain. */
  go(steps: number): Promise<void>;
  /** Lets all that came to the main chain be final, and tells the slot after which nothing comes on the alt chain, which goes on by itself. */
  settle(): Promise<number>;
}

const TRADERS = [FLEET_OPERATOR, 'trader one', 'trader two', 'trader three'].map(accountOf);
const FINAL_BLOCKS = 4;
const CREATED_AT = 1_700_000_000;

/** Ends the main chain's own blocks: what comes from now on comes from here. */
export async function openTraffic(devnet: Devnet, random: Random): Promise<Traffic> {
  const { deployment, fixtures, altChain } = devnet;
  const { node } = altChain!;
  const writer = createChainWriter(devnet.rpcUrl);
  await writer.rpc.request('evm_setIntervalMining', [0]);
  const isOfFleet = ({ name }: { readonly name: string }) => /^fleet-\d+$/.test(name);
  const machines = fixtures.machines.filter(isOfFleet).map(({ id }) => BigInt(id));
  const holders = new Map<bigint, Account>(machines.map((id) => [id, accountOf(FLEET_OPERATOR)]));
  const inhabitants = listAltInhabitants().filter(({ persona }) => /^alt-fleet-\d+$/.test(persona.name));
  const altOperators = new Map(inhabitants.map(({ machine }) => [machine.id, accountOf(FLEET_OPERATOR).address]));
  const events = new Map<bigint, bigint[]>(machines.map((id) => [id, []]));
  const altEvents = new Map<bigint, bigint[]>(inhabitants.map(({ machine }) => [machine.id, []]));
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
    const { machine, persona } = random.pick(inhabitants);
    altEvents.get(machine.id)!.push(value);
    const record = { ...REVENUE, value, timestamp: BigInt(fixtures.seededAt) };
    const { seed } = altAccountOf(`${persona.name} owner`);
    await submitAltEvent(node, { machineId: machine.id, signer: seed, record });
    await operate(random.pick(inhabitants), random.pick(TRADERS));
  }

  async function operate(inhabitant: AltInhabitant, operator: Account): Promise<void> {
    const machine = { ...inhabitant.machine, operator };
    const times = { createdAt: CREATED_AT, relocating: false };
    placeMachine(node, { ...inhabitant, machine }, await machineAddresses(machine.id), times);
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
