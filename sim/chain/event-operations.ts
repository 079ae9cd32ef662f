/** Random event submissions: revenue and activity of all trust levels, on time and late, some of which no rule counts. */
import type { Random } from '../random.ts';
import { uint } from './abi-words.ts';
import type { BlockDraft } from './block-draft.ts';
import { keccakOf } from './keccak.ts';
import { isInForce, type Machine, type SimEvent } from './machine-state.ts';

const DAY_SECONDS = 86_400;
const CURRENCIES = ['USD', 'USD', 'USD', 'EUR', 'TOK'] as const;
const METADATA = ['', Buffer.from('{"kwh":4}').toString('hex'), 'ff00'] as const;

/** Machine that cites payments: its owner signs what it claims. */
export type Citing = Pick<Machine, 'id' | 'owner'>;

/** Adds citations and payout proofs to events. */
export interface CitationActor {
  decorate(event: SimEvent, block: { readonly timestamp: number }, machine: Citing): SimEvent;
}

/** Submits one event, or sometimes several in one transaction. */
export function submitEvents(draft: BlockDraft, machine: Machine, random: Random, citations?: CitationActor): void {
  const count = random.chance(0.2) ? random.integer(2, 8) : 1;
  for (let i = 0; i < count; i++) submitEvent(draft, draft.machine(machine.id), random, citations);
}

export function submitEvent(draft: BlockDraft, machine: Machine, random: Random, citations?: CitationActor): void {
  const event = drawEvent(draft.timestamp, random);
  storeEvent(draft, machine.id, citations?.decorate(event, draft, machine) ?? event);
}

/** Stores an event with the time of the block under construction. */
export function storeEvent(draft: BlockDraft, id: bigint, submitted: SimEvent): void {
  const { prior, events, chip, owner } = draft.machine(id);
  const isAttested = submitted.trust === 2 && isInForce(chip, draft.timestamp);
  const origin = { logIndex: draft.nextLogIndex, owner };
  const event = { ...submitted, blockTimestamp: draft.timestamp, isAttested, origin };
  const eventIndex = prior + events.length;
  draft.change(id, { events: [...events, event] });
  draft.noteSubmission(id, event);
  draft.log(
    'eventRegistry',
    'EventSubmitted(uint256,uint256,uint8,uint256,string)',
    [uint(id), uint(eventIndex), keccakOf(event.currency)],
    [uint(event.type), uint(event.value)],
  );
  draft.note(`${id} event ${eventIndex}: ${event.type} ${event.value} ${event.currency}`);
}

export function drawEvent(blockTimestamp: number, random: Random): SimEvent {
  const isRevenue = random.chance(0.7);
  const age = random.chance(0.1) ? random.integer(6 * DAY_SECONDS, 9 * DAY_SECONDS) : random.skewed(3 * DAY_SECONDS);
  return {
    type: isRevenue ? 0 : 1,
    value: BigInt(isRevenue ? random.pick([999, 1_000, 25_000]) : random.integer(0, 2)),
    currency: isRevenue ? random.pick(CURRENCIES) : '',
    timestamp: blockTimestamp - age,
    trust: random.integer(0, 2),
    metadata: random.pick(METADATA),
    blockTimestamp,
    isAttested: false,
  };
}
