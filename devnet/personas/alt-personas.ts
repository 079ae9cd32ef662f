/** Sample machines of the alt chain: the personas of configuration.md 3 and the alt-chain machines of the operator `fleet`. */
import { altAccountOf } from '../alt-chain/keys.ts';
import { toTokenWallet } from '../alt-chain/tokens.ts';
import type { TokenWallet } from '../alt-chain/tokens.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import type { SubmissionOptions } from '../alt-node/event-transactions.ts';
import { toSampleAltMachine } from './alt-persona.ts';
import type { SampleAltMachine, AltPersona } from './alt-persona.ts';
import {
  ANCHORED_WEEKLY_PAYER,
  ANCHOR_EVENTS,
  DECLARED_YEAR,
  NO_HISTORY,
  REPORTING_WEEKLY_PAYER,
  RETIRED_HISTORY,
  SHORT_HISTORY,
  WEEKLY_PAYER,
} from './histories.ts';
import type { History } from './histories.ts';
import {
  listCitedDays,
  NEWLY_SOLD_DAY,
  paidRobot,
  paidWeekly,
  RECLAIMED_WEEK,
  resoldWeekly,
  sellingNow,
  SOLD_DAY,
  unverifiedWeekly,
} from './paid-histories.ts';
import { customerPayments, payoutOf } from './paid-persona.ts';
import { credentialsOf } from './persona.ts';
import { signAltPayoutProof, signPayoutProof } from './payout-proof.ts';
import { FLEET_OPERATOR } from './fleet-personas.ts';
import { endpointsFor, expectedCard, expectedProfile } from './profile-personas.ts';
import { eventTimestamp } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

/** Number of alt-chain machines of the operator `fleet`, independent of its main-chain machines. */
const ALT_FLEET_SIZE = 5;
const FLEET_HISTORIES = [WEEKLY_PAYER, SHORT_HISTORY, NO_HISTORY];

/** Earlier than the first event. */
const CREATED_DAYS_AGO = 150;

function altPersona(
  name: string,
  about: string,
  { events, rating }: History,
  rest: Partial<AltPersona> = {},
): AltPersona {
  return {
    name,
    about,
    createdDaysAgo: CREATED_DAYS_AGO,
    origin: { kind: 'linked' },
    events,
    expected: {
      kind: 'served',
      bondStatus: 'bonded',
      eventCount: rating.event_count,
      ...(rating.event_count > 0 && { rating }),
    },
    ...rest,
  };
}

/** Returns the weekly payer with transactions of one form. */
function submittedAs(
  name: string,
  about: string,
  submission: SubmissionOptions,
  rest: Partial<AltPersona> = {},
): AltPersona {
  return altPersona(name, about, WEEKLY_PAYER, { submission, ...rest });
}

/** Returns revenue events in USD as a profile of visibility `onchain` shows them. */
function toShownRevenue(events: readonly PlannedEvent[], now: number): object[] {
  return events.map((event) => ({
    event_type: 0,
    origin_value: Number(event.value),
    timestamp: eventTimestamp(now, event),
    trust_level: event.trustLevel,
    ...{ metadata: {}, origin_currency: 'USD', usd_value: Number(event.value), origin_subunit: 100 },
    ...{ usd_subunit: 100, amount_status: 'ok' },
  }));
}

/** Metadata of the event of a day. */
interface AltClaim {
  readonly day: number;
  readonly metadata: string;
}

function payoutOfAlt(name: string): TokenWallet {
  return toTokenWallet(`${name} payout`);
}

/** Returns the claim of the token account under the owner, or under another one, with the event of a day. */
function claimOnSolana(name: string, day: number, owner = altAccountOf(`${name} owner`)): AltClaim {
  const id = machineIdOf(credentialsOf(name));
  return { day, metadata: signAltPayoutProof(id, owner, payoutOfAlt(name).wallet) };
}

function oldestDay({ events }: History): number {
  return Math.max(...events.map(({ daysAgo }) => daysAgo));
}

/** Returns a machine whose events cite payments, with its claims. */
function paidAlt(
  name: string,
  about: string,
  history: History,
  claims: readonly AltClaim[],
  rest: Partial<AltPersona>,
): AltPersona {
  const { events, rating, verdicts, isVerified } = history;
  const claimed = events.map((event) => {
    const claim = claims.find(({ day }) => day === event.daysAgo);
    return claim === undefined ? event : { ...event, metadata: claim.metadata };
  });
  return altPersona(
    name,
    about,
    { events: claimed, rating },
    {
      ...(isVerified && { isVerified }),
      expected: {
        kind: 'served',
        bondStatus: 'bonded',
        eventCount: events.length,
        rating,
        ...(verdicts && { verdicts }),
      },
      ...rest,
    },
  );
}

/** Returns a machine that is paid on the alt chain by one customer. */
function paidOnSolana(
  name: string,
  about: string,
  history: History,
  claims: readonly AltClaim[] = [claimOnSolana(name, oldestDay(history))],
  rest: Partial<AltPersona> = {},
): AltPersona {
  return paidAlt(name, about, history, claims, { payout: payoutOfAlt(name), ...rest });
}

/** Returns a machine that is paid on the main chain, where its account is. */
function paidOnMainChain(name: string, about: string, history: History, rest: Partial<AltPersona>): AltPersona {
  const account = payoutOf(name);
  const metadata = signPayoutProof(machineIdOf(credentialsOf(name)), altAccountOf(`${name} owner`).key, account);
  return paidAlt(name, about, history, [{ day: oldestDay(history), metadata }], {
    mainChainPayments: customerPayments(name, listCitedDays(history), 300_000n),
    ...rest,
  });
}

/** Returns a machine whose account has got another owner than the one who claimed first. */
function soldOnSolana(name: string, about: string, history: History, daysAgo: number, claims: readonly AltClaim[]) {
  const sale = { daysAgo, seller: altAccountOf(`${name} seller`) };
  return paidOnSolana(name, about, history, claims, { hasController: true, sale });
}

const SELLING = 'alt-sold';
const RESOLD = 'alt-resold';

export const ALT_PERSONAS: readonly AltPersona[] = [
  paidOnMainChain(
    'alt-rated',
    'Paid on the main chain, which its events cite; its owner is bound to a verified operator.',
    paidWeekly('alt-rated'),
    { hasController: true },
  ),
  altPersona(
    'alt-declared',
    'History of rated-aaa, submitted on the alt chain by its controller: reports only.',
    DECLARED_YEAR,
    {
      createdDaysAgo: 420,
      renewedDaysAgo: 100,
      hasController: true,
    },
  ),
  paidOnSolana(
    'alt-paid-solana',
    'Paid on the alt chain, which its events cite; its owner is bound to a verified operator.',
    paidRobot('alt-paid-solana', 1_500n),
  ),
  paidOnSolana(
    'alt-unbound',
    'Names a verified operator, to which the wallet of its owner is not bound.',
    unverifiedWeekly('alt-unbound'),
    undefined,
    { isVerified: true, isUnbound: true },
  ),
  soldOnSolana(
    SELLING,
    'Paid; its account has another owner than the one that its newest claim names.',
    sellingNow(SELLING),
    NEWLY_SOLD_DAY,
    [claimOnSolana(SELLING, oldestDay(sellingNow(SELLING)), altAccountOf(`${SELLING} seller`))],
  ),
  soldOnSolana(
    RESOLD,
    'Sold 100 days ago; a newer proof names the new owner, who is bound to a verified operator.',
    resoldWeekly(RESOLD),
    SOLD_DAY,
    [
      claimOnSolana(RESOLD, oldestDay(resoldWeekly(RESOLD)), altAccountOf(`${RESOLD} seller`)),
      claimOnSolana(RESOLD, RECLAIMED_WEEK),
    ],
  ),
  altPersona('alt-new', 'Bonded and linked, without events.', NO_HISTORY),
  altPersona('alt-relocating', 'Relocating from the alt chain; its account still exists.', SHORT_HISTORY, {
    relocatingDaysAgo: 1,
    expected: { kind: 'relocating' },
  }),
  altPersona('alt-no-operator', 'Its account names no operator, so it is in no listing.', SHORT_HISTORY, {
    operator: null,
  }),
  altPersona(
    'alt-arrived',
    'Arrived from the main chain with its last event, which is too old to earn points.',
    ANCHORED_WEEKLY_PAYER,
    {
      createdDaysAgo: 143,
      origin: { kind: 'arrived', activatedDaysAgo: 175, eventsThere: ANCHOR_EVENTS },
      events: WEEKLY_PAYER.events,
    },
  ),
  {
    ...altPersona('alt-unlinked', 'Created a week ago; the main chain has neither its home nor a bond.', NO_HISTORY, {
      createdDaysAgo: 7,
      origin: { kind: 'unlinked' },
    }),
    expected: { kind: 'served', bondStatus: 'unbonded', eventCount: 0 },
  },
  altPersona(
    'alt-truncated-logs',
    'Two events in one block every week, after an instruction that fills the log.',
    REPORTING_WEEKLY_PAYER,
    { submission: { noisyLogs: true } },
  ),
  submittedAs('alt-cpi', 'Its events are submitted through another program (CPI).', { via: 'cpi' }),
  submittedAs(
    'alt-v0',
    'Its events are in version 0 messages with a lookup table, and are published.',
    { via: 'v0-lookup-table' },
    {
      serviceEndpoints: endpointsFor('onchain'),
      expected: {
        kind: 'served',
        rating: WEEKLY_PAYER.rating,
        bondStatus: 'bonded',
        eventCount: WEEKLY_PAYER.rating.event_count,
        profile: (now) => ({ ...expectedProfile('onchain'), event_data: toShownRevenue(WEEKLY_PAYER.events, now) }),
        card: expectedCard('onchain'),
      },
    },
  ),
  altPersona(
    'alt-recreated',
    'Retired and created again with the same id: its earlier events are gone.',
    WEEKLY_PAYER,
    {
      createdDaysAgo: 145,
      origin: {
        kind: 'recreated',
        firstCreatedDaysAgo: 200,
        firstEvents: RETIRED_HISTORY.events,
        retiredDaysAgo: 150,
      },
    },
  ),
  ...Array.from({ length: ALT_FLEET_SIZE }, (_, index) => {
    const history = FLEET_HISTORIES[index % FLEET_HISTORIES.length]!;
    return altPersona(
      `alt-fleet-${index + 1}`,
      'One of the many machines of one operator, on the alt chain.',
      history,
      {
        operator: FLEET_OPERATOR,
      },
    );
  }),
];

export function listSampleAltMachines(): readonly SampleAltMachine[] {
  return ALT_PERSONAS.map(toSampleAltMachine);
}
