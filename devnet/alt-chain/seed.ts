/**
 * Seeding of the alt chain with months of history: accounts are written on their days, and every event is a signed transaction in a block
 * of its day (chain-svm 9). Afterwards the chain follows the wall clock, and everything seeded is final.
 */
import { keccak256, stringToHex } from 'viem';
import { parseBase58Exactly } from '../../src/domain/identifiers/base58.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { ALT_LIFECYCLE_NAME, altAccountOf } from './keys.ts';
import type { AltNode } from '../alt-node/alt-node.ts';
import { closeLog, importMachine, submitEvent } from '../alt-node/event-transactions.ts';
import { machineAddresses } from '../alt-node/program-addresses.ts';
import type { MachineAddresses } from '../alt-node/program-addresses.ts';
import { moveTokens } from '../personas/alt-payment.ts';
import type { AltPayment } from '../personas/alt-payment.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import { placeBindings, placeMachine, placeSingletons, placeState, placeSubscription } from './placements.ts';
import type { DevnetWallet } from '../personas/wallets.ts';
import { ALT_SHOPPER, ALT_SOURCE_ID, placeTokens } from './tokens.ts';
import { DEVNET_CHAIN_ID } from '../main-chain/anvil.ts';
import { TOKEN_DECIMALS } from '../main-chain/payments.ts';
import { ALT_ORDINAL } from '../main-chain/deploy.ts';
import { blockTimestamp, eventTimestamp } from '../personas/planned-event.ts';
import type { PlannedEvent } from '../personas/planned-event.ts';
import type { PaymentHashes } from '../payment-hashes.ts';
import { DEPLOYED_DAYS_AGO } from '../seed.ts';

export interface AltSeedingResult {
  readonly transactions: number;
  /** First slot that can contain an event of the deployment. */
  readonly firstSlot: number;
}

/** What the seeding depends on. */
export interface AltSeedingInput {
  /** Time of the newest seeded block (Unix seconds). */
  readonly now: number;
  /** Hashes of payments on the main chain, by name. */
  readonly mainChainPayments: PaymentHashes;
}

/** Order within a day: account changes, payments, then events. */
const STEPS = ['account', 'payment', 'event'] as const;

interface PlannedStep {
  readonly daysAgo: number;
  readonly step: (typeof STEPS)[number];
  /** Returns true for a transaction. */
  run(): Promise<boolean>;
}

const BOUND_DAYS_AGO = 60;
const SIGNATURE_BYTES = 64;
const ZERO_HASH = `0x${'00'.repeat(32)}`;

const lifecycleAuthority = altAccountOf(ALT_LIFECYCLE_NAME);

/** Seeds a chain whose newest block is older than the deployment. */
export async function seedAltChain(
  node: AltNode,
  samples: readonly SampleAltMachine[],
  wallets: readonly DevnetWallet[],
  { now, mainChainPayments }: AltSeedingInput,
): Promise<AltSeedingResult> {
  node.advanceTo(blockTimestamp(now, DEPLOYED_DAYS_AGO));
  const firstSlot = node.slot;
  await placeSingletons(node, BigInt(samples.length));
  placeTokens(
    node,
    TOKEN_DECIMALS,
    samples.flatMap(({ persona: { payout, wallets = [] } }) => [
      ...(payout ? [{ ...payout, units: 0n }] : []),
      ...wallets,
    ]),
  );
  const paid = new Map<string, string>();
  const plan = [
    ...samples.flatMap((sample) => planMachine(node, sample, { now, mainChainPayments, paid })),
    toAccountStep(BOUND_DAYS_AGO, () => placeBindings(node, [...wallets, ...listBoundOwners(samples)])),
  ];
  const byDay = Map.groupBy(plan, ({ daysAgo }) => daysAgo);
  let transactions = 0;
  for (const daysAgo of [...byDay.keys()].sort((a, b) => b - a)) {
    node.advanceTo(blockTimestamp(now, daysAgo));
    for (const { run } of inOrder(byDay.get(daysAgo)!)) transactions += (await run()) ? 1 : 0;
  }
  node.followClock();
  return { transactions, firstSlot };
}

function inOrder(steps: readonly PlannedStep[]): PlannedStep[] {
  return STEPS.flatMap((wanted) => steps.filter(({ step }) => step === wanted));
}

function toAccountStep(daysAgo: number, write: () => Promise<unknown>): PlannedStep {
  const run = async () => {
    await write();
    return false;
  };
  return { daysAgo, step: 'account', run };
}

/** Returns the owners whose wallet is bound to the operator. */
function listBoundOwners(samples: readonly SampleAltMachine[]): readonly DevnetWallet[] {
  return samples.flatMap(({ persona, machine: { owner: wallet, operator: boundTo } }) =>
    persona.isVerified && !persona.isUnbound ? [{ name: persona.name, wallet, state: 'bound' as const, boundTo }] : [],
  );
}

/** Sends a payment, and returns its signature. */
async function pay(
  node: AltNode,
  { instructions, signers }: Pick<AltPayment, 'instructions' | 'signers'>,
): Promise<string> {
  const { signature, err } = await node.submit({ instructions, signers: signers.map(({ seed }) => seed) });
  if (err !== null) throw new Error('a payment of the local alt chain failed');
  return signature;
}

/** Returns what cites a transaction. */
function toCitation(signature: string): Pick<EventRecord, 'sourceChainId' | 'sourceTxHash' | 'metadata'> {
  return {
    sourceChainId: BigInt(ALT_SOURCE_ID),
    sourceTxHash: keccak256(parseBase58Exactly(signature, SIGNATURE_BYTES)!),
    metadata: stringToHex(JSON.stringify({ sig: signature })),
  };
}

function planMachine(
  node: AltNode,
  sample: SampleAltMachine,
  { now, mainChainPayments, paid }: AltSeedingInput & { readonly paid: Map<string, string> },
): PlannedStep[] {
  const { persona, machine } = sample;
  const { createdDaysAgo, renewedDaysAgo, relocatingDaysAgo, origin, submission, sale } = persona;
  const signer = (machine.controller ?? machine.owner).seed;

  function account(daysAgo: number, write: (addresses: MachineAddresses) => unknown): PlannedStep {
    return toAccountStep(daysAgo, async () => write(await machineAddresses(machine.id)));
  }

  function transaction(step: PlannedStep['step'], daysAgo: number, send: () => Promise<unknown>): PlannedStep {
    const run = async () => {
      await send();
      return true;
    };
    return { daysAgo, step, run };
  }

  function create(daysAgo: number): PlannedStep {
    return account(daysAgo, (addresses) => {
      const createdAt = blockTimestamp(now, daysAgo);
      const owner = sale?.seller ?? machine.owner;
      placeMachine(node, sample, addresses, { createdAt, relocating: false, owner });
      if (origin.kind === 'unlinked') return;
      placeState(node, machine.id, addresses);
      placeSubscription(node, machine.id, addresses, { since: blockTimestamp(now, daysAgo), periods: 1 });
    });
  }

  async function cite(payment: string, cents: bigint): Promise<Partial<EventRecord>> {
    const signature = paid.get(payment);
    if (signature !== undefined) return toCitation(signature);
    if (persona.payout !== undefined) {
      const instructions = [moveTokens(ALT_SHOPPER, persona.payout, cents)];
      return toCitation(await pay(node, { instructions, signers: [ALT_SHOPPER.wallet] }));
    }
    return { sourceChainId: BigInt(DEVNET_CHAIN_ID), sourceTxHash: await mainChainPayments.hashOf(payment) };
  }

  function submit(event: PlannedEvent): PlannedStep {
    return transaction('event', event.daysAgo, async () => {
      const citation = event.cites === undefined ? {} : await cite(event.cites, event.value);
      const record = { ...toRecord(event, now), ...citation };
      await submitEvent(node, { machineId: machine.id, signer, record, ...submission });
    });
  }

  const payments = (persona.payments ?? []).map((payment) =>
    transaction('payment', payment.daysAgo, async () => paid.set(payment.name, await pay(node, payment))),
  );
  const steps = [create(createdDaysAgo), ...payments, ...persona.events.map(submit)];
  if (renewedDaysAgo !== undefined) {
    const since = blockTimestamp(now, createdDaysAgo);
    steps.push(
      account(renewedDaysAgo, (addresses) => placeSubscription(node, machine.id, addresses, { since, periods: 2 })),
    );
  }
  const createdAt = blockTimestamp(now, createdDaysAgo);
  const replace = (relocating: boolean) => (addresses: MachineAddresses) =>
    placeMachine(node, sample, addresses, { createdAt, relocating });
  if (relocatingDaysAgo !== undefined) steps.push(account(relocatingDaysAgo, replace(true)));
  if (sale !== undefined) steps.push(account(sale.daysAgo, replace(false)));
  if (origin.kind === 'recreated') {
    const { firstCreatedDaysAgo, firstEvents, retiredDaysAgo } = origin;
    steps.push(
      create(firstCreatedDaysAgo),
      ...firstEvents.map(submit),
      transaction('account', retiredDaysAgo, () =>
        closeLog(node, { machineId: machine.id, authority: lifecycleAuthority.seed }),
      ),
      account(retiredDaysAgo, ({ machine: record, machineState, subscriptionTerminal }) => {
        for (const { address } of [record, machineState, subscriptionTerminal]) node.removeAccount(address);
      }),
    );
  }
  if (origin.kind === 'arrived') {
    const { eventsThere } = origin;
    const anchor = { ...toRecord(eventsThere.at(-1)!, now), sourceChainId: BigInt(DEVNET_CHAIN_ID) };
    const priorEventCount = BigInt(eventsThere.length);
    const carried = { machineId: machine.id, authority: lifecycleAuthority.seed, priorEventCount, record: anchor };
    steps.push(transaction('account', createdDaysAgo, () => importMachine(node, carried)));
  }
  return steps;
}

function toRecord(event: PlannedEvent, now: number): EventRecord {
  const { eventType, value, trustLevel, currency = '', metadata = '' } = event;
  return {
    eventType,
    value,
    timestamp: BigInt(eventTimestamp(now, event)),
    dataHash: ZERO_HASH,
    trustLevel,
    sourceChainId: BigInt(ALT_ORDINAL),
    sourceTxHash: ZERO_HASH,
    metadata: metadata.startsWith('0x') ? metadata : stringToHex(metadata),
    currency,
  };
}
