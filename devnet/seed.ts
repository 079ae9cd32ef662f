/**
 * Seeding of the main chain with months of history: real transactions in blocks with set timestamps, one timestamp for each day with
 * activity, from more than a year ago to now. Afterwards the node's clock follows the wall clock.
 */
import { planMainChainSide } from './alt-chain/main-chain-side.ts';
import type { SampleAltMachine } from './personas/alt-persona.ts';
import type { Call, ChainWriter } from './main-chain/chain-writer.ts';
import type { Deployment } from './main-chain/deploy.ts';
import { planLegacyMachines } from './personas/legacy-machines.ts';
import { activateMachine, submitEvent } from './main-chain/calls.ts';
import { credentialsOf } from './personas/persona.ts';
import type { SampleMachine } from './personas/sample-machines.ts';
import { blockTimestamp, DAY_SECONDS, eventTimestamp } from './personas/planned-event.ts';

/** Days before the seeding; earlier than every activation. */
export const GENESIS_DAYS_AGO = 430;
export const DEPLOYED_DAYS_AGO = 429;

/** Finality is two blocks behind the head, so these blocks finalize everything that was seeded. */
const CLOSING_BLOCKS = 3;

/** The node's pool takes quadratic time, so a busy day is split into several blocks with the same timestamp. */
const CALLS_PER_BLOCK = 150;

/** Order within a day. */
type Step = 'activation' | 'act' | 'event';
const STEPS: readonly Step[] = ['activation', 'act', 'event'];

interface PlannedCall {
  readonly daysAgo: number;
  readonly step: Step;
  readonly call: Call;
}

export interface SeedingResult {
  readonly transactions: number;
  readonly blocks: number;
}

/** Seeds a node whose newest block is that of the deployment. `now` (Unix seconds) is the timestamp of the newest seeded block. */
export async function seedMainChain(
  writer: ChainWriter,
  deployment: Deployment,
  sampleMachines: readonly SampleMachine[],
  sampleAltMachines: readonly SampleAltMachine[],
  now: number,
): Promise<SeedingResult> {
  const plan = [
    ...sampleMachines.flatMap((sample) => planMachine(deployment, sample, now)),
    ...sampleAltMachines
      .flatMap((sample) => planMainChainSide(deployment, sample, now))
      .map((planned) => ({ ...planned, step: 'act' as const })),
    ...planLegacyMachines(deployment, now).map((planned) => ({ ...planned, step: 'event' as const })),
  ];
  const byDay = Map.groupBy(plan, ({ daysAgo }) => daysAgo);
  const days = [...byDay.keys()].sort((a, b) => b - a);
  let blocks = 0;
  for (const daysAgo of days) {
    for (const calls of toBlocks(inOrder(byDay.get(daysAgo)!))) {
      await writer.mine(calls, blockTimestamp(now, daysAgo));
      blocks += 1;
    }
  }
  await catchUpWithWallClock(writer, now);
  return { transactions: plan.length, blocks };
}

function planMachine(deployment: Deployment, { persona, machine }: SampleMachine, now: number): PlannedCall[] {
  const { activatedDaysAgo, acts = [], events = [] } = persona;
  const submitter = (machine.controller ?? machine.activator).address;
  const activation: PlannedCall[] =
    activatedDaysAgo === undefined
      ? []
      : [{ daysAgo: activatedDaysAgo, step: 'activation', call: planActivation(deployment, { persona, machine }) }];
  return [
    ...activation,
    ...acts.flatMap(({ daysAgo, calls }) =>
      calls(deployment, machine, now).map((call): PlannedCall => ({ daysAgo, step: 'act', call })),
    ),
    ...events.map((event): PlannedCall => {
      const input = { ...event, from: submitter, machineId: machine.id, timestamp: eventTimestamp(now, event) };
      return { daysAgo: event.daysAgo, step: 'event', call: submitEvent(deployment, input) };
    }),
  ];
}

function planActivation(deployment: Deployment, { persona, machine }: SampleMachine): Call {
  if (persona.activate !== undefined) return persona.activate(deployment, machine);
  const { controller, activator } = machine;
  return activateMachine(deployment, {
    ...credentialsOf(persona.name),
    from: activator.address,
    ...(controller && { controller: controller.address }),
    ...(persona.serviceEndpoints && { serviceEndpoints: persona.serviceEndpoints }),
  });
}

function inOrder(calls: readonly PlannedCall[]): Call[] {
  return STEPS.flatMap((wanted) => calls.filter(({ step }) => step === wanted).map(({ call }) => call));
}

function toBlocks(calls: readonly Call[]): Call[][] {
  const blocks: Call[][] = [];
  for (let from = 0; from < calls.length; from += CALLS_PER_BLOCK)
    blocks.push(calls.slice(from, from + CALLS_PER_BLOCK));
  return blocks;
}

async function catchUpWithWallClock(writer: ChainWriter, now: number): Promise<void> {
  const wallClock = Math.floor(Date.now() / 1000);
  for (let block = 0; block < CLOSING_BLOCKS; block += 1) await writer.mine([], Math.max(now + block, wallClock));
}

/** Returns the timestamp of block 0 (Unix seconds) for a seeding at `now`. */
export function genesisTimestamp(now: number): number {
  return now - GENESIS_DAYS_AGO * DAY_SECONDS;
}
