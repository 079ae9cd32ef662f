/**
 * Seeding of the main chain with months of history: real transactions in blocks with set timestamps, one timestamp for each day with
 * activity, from more than a year ago to now. Afterwards the node's clock follows the wall clock.
 */
import type { Hex } from 'viem';
import { planMainChainSide } from './alt-chain/main-chain-side.ts';
import type { SampleAltMachine } from './personas/alt-persona.ts';
import type { Call, ChainWriter } from './main-chain/chain-writer.ts';
import type { Deployment } from './main-chain/deploy.ts';
import { planLegacyMachines } from './personas/legacy-machines.ts';
import { activateMachine, submitEvent } from './main-chain/calls.ts';
import { approveRouter, mintTokens } from './main-chain/payments.ts';
import type { PaymentContracts } from './main-chain/payments.ts';
import { credentialsOf } from './personas/persona.ts';
import type { MinedPayments } from './payment-hashes.ts';
import { PAYERS } from './personas/planned-payment.ts';
import type { PlannedPayment } from './personas/planned-payment.ts';
import type { SampleMachine } from './personas/sample-machines.ts';
import { blockTimestamp, DAY_SECONDS, eventTimestamp } from './personas/planned-event.ts';

/** Days before the seeding; earlier than every activation. */
export const GENESIS_DAYS_AGO = 430;
export const DEPLOYED_DAYS_AGO = 429;

/** Finality is two blocks behind the head, so these blocks finalize everything that was seeded. */
const CLOSING_BLOCKS = 3;

/** The node's pool takes quadratic time and reorders more than a hundred calls, so a busy day is split into several blocks with the same timestamp. */
const CALLS_PER_BLOCK = 75;

/** Order within a day. */
type Step = 'payment' | 'activation' | 'act' | 'event';
const STEPS: readonly Step[] = ['payment', 'activation', 'act', 'event'];

/** Enough for every payment of an account. */
const FUNDED_CENTS = 1_000_000_000n;

interface PlannedCall {
  readonly daysAgo: number;
  readonly step: Step;
  /** A function where the call cites payments. */
  readonly call: Call | ((hashOf: HashOf) => Call);
  /** Name of the payment that the call makes. */
  readonly payment?: string;
}

/** Returns the transaction hash of a payment that has been sent. */
type HashOf = (payment: string) => Hex;

export interface SeedingResult {
  readonly transactions: number;
  readonly blocks: number;
}

export interface SeedingInput {
  /** Timestamp of the newest seeded block (Unix seconds). */
  readonly now: number;
  /** Receives the hash of each payment. */
  readonly mined: MinedPayments;
}

/** Seeds a node whose newest block is that of the deployment. */
export async function seedMainChain(
  writer: ChainWriter,
  { deployment, payments: contracts }: { readonly deployment: Deployment; readonly payments: PaymentContracts },
  sampleMachines: readonly SampleMachine[],
  sampleAltMachines: readonly SampleAltMachine[],
  { now, mined }: SeedingInput,
): Promise<SeedingResult> {
  const plan: PlannedCall[] = [
    ...fundPayers(contracts),
    ...sampleMachines.flatMap((sample) => planMachine(deployment, contracts, sample, now)),
    ...sampleAltMachines
      .flatMap((sample) => planMainChainSide(deployment, sample, now))
      .map((planned) => ({ ...planned, step: 'act' as const })),
    ...sampleAltMachines.flatMap(({ persona }) => planPayments(contracts, persona.mainChainPayments)),
    ...planLegacyMachines(deployment, now).map((planned) => ({ ...planned, step: 'event' as const })),
  ];
  const byDay = Map.groupBy(plan, ({ daysAgo }) => daysAgo);
  const days = [...byDay.keys()].sort((a, b) => b - a);
  const hashes = new Map<string, Hex>();
  const toCall = ({ call }: PlannedCall) => (typeof call === 'function' ? call(hashOf) : call);
  const hashOf = (payment: string): Hex => {
    const hash = hashes.get(payment);
    if (hash === undefined) throw new Error(`no payment ${payment} before its citation`);
    return hash;
  };
  let blocks = 0;
  for (const daysAgo of days) {
    for (const part of toBlocks(inOrder(byDay.get(daysAgo)!))) {
      const payments = part.filter(({ step }) => step === 'payment');
      const sent = await writer.send(payments.map(toCall));
      payments.forEach(({ payment }, i) => payment !== undefined && hashes.set(payment, sent[i]!.hash));
      await writer.mine(part.slice(payments.length).map(toCall), blockTimestamp(now, daysAgo), sent);
      for (const { payment } of payments) if (payment !== undefined) mined.record(payment, hashOf(payment));
      blocks += 1;
    }
  }
  await catchUpWithWallClock(writer, now);
  return { transactions: plan.length, blocks };
}

/** Mints tokens for everyone who pays and lets the router take them. */
function fundPayers(contracts: PaymentContracts): PlannedCall[] {
  const daysAgo = DEPLOYED_DAYS_AGO - 1;
  const calls = PAYERS.flatMap(({ address }) => [
    mintTokens(contracts, { to: address, cents: FUNDED_CENTS }),
    approveRouter(contracts, address),
  ]);
  return calls.map((call) => ({ daysAgo, step: 'payment', call }));
}

function planPayments(contracts: PaymentContracts, payments: readonly PlannedPayment[] = []): PlannedCall[] {
  return payments.map(({ name, daysAgo, call }) => ({
    ...{ daysAgo, step: 'payment', payment: name },
    call: call(contracts),
  }));
}

function planMachine(
  deployment: Deployment,
  contracts: PaymentContracts,
  { persona, machine }: SampleMachine,
  now: number,
): PlannedCall[] {
  const { activatedDaysAgo, acts = [], events = [], payments } = persona;
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
    ...planPayments(contracts, payments),
    ...events.map((event): PlannedCall => {
      const input = { ...event, from: submitter, machineId: machine.id, timestamp: eventTimestamp(now, event) };
      const { daysAgo, cites, sourceTxHash, sourceChainId = BigInt(deployment.chainId) } = event;
      const call = (hashOf: HashOf) => {
        const cited = cites === undefined ? sourceTxHash : hashOf(cites);
        return submitEvent(deployment, cited === undefined ? input : { ...input, sourceChainId, sourceTxHash: cited });
      };
      return { daysAgo, step: 'event', call };
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

function inOrder(calls: readonly PlannedCall[]): PlannedCall[] {
  return STEPS.flatMap((wanted) => calls.filter(({ step }) => step === wanted));
}

function toBlocks(calls: readonly PlannedCall[]): PlannedCall[][] {
  const blocks: PlannedCall[][] = [];
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
