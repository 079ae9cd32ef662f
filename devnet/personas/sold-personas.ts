/** Personas that changed hands (design: machines for the local demo chain). */
import { accountOf } from '../accounts.ts';
import { setController, transferMachine } from '../main-chain/calls.ts';
import {
  borrowedWeekly,
  boughtWeekly,
  listCitedDays,
  NEWLY_SOLD_DAY,
  newlySold,
  RECLAIMED_WEEK,
  resoldWeekly,
  SOLD_DAY,
} from './paid-histories.ts';
import type { History } from './histories.ts';
import { claimOf, customerPayments, payoutOf, toPaidPersona } from './paid-persona.ts';
import type { PaidPersona } from './paid-persona.ts';
import type { Act, ExpectedResponse, Persona } from './persona.ts';

const REPEATED_DAY = 8;

/** Transfers the machine from its seller. */
function sell(daysAgo: number): Act {
  return {
    daysAgo,
    calls: (deployment, { activator, owner, id }) => [
      transferMachine(deployment, activator.address, owner.address, id),
    ],
  };
}

/** Accepts the machine: the buyer sets its controller, in a later transaction than the sale. */
const ACCEPT: Act = {
  daysAgo: RECLAIMED_WEEK,
  calls: (deployment, { owner, controller, id }) => [setController(deployment, owner.address, id, controller!.address)],
};

/** Returns the accounts of a machine that was sold; its controller submits the events. */
function soldBy(name: string): Pick<PaidPersona, 'activator' | 'buyer' | 'controller'> {
  return { activator: `${name} seller`, buyer: `${name} owner`, controller: `${name} controller` };
}

/** Returns the expected first page of a listing with `total` machines. */
function listing(total: number): ExpectedResponse {
  return { status: 200, body: { pagination: { offset: 0, limit: 20, total }, unreadable: 0 } };
}

/** Returns a machine that was sold 100 days ago. Its buyer claims an account for it, and is paid from then on. */
function reclaimed(name: string, about: string, history: History, cents: bigint, acts: readonly Act[] = []): Persona {
  return toPaidPersona({
    ...{ name, about, history, ...soldBy(name) },
    payments: customerPayments(name, listCitedDays(history), cents),
    claims: [{ day: RECLAIMED_WEEK, account: payoutOf(name), owner: accountOf(`${name} owner`) }],
    acts: [sell(SOLD_DAY), ...acts],
    kyb: 'verified',
  });
}

const SOLD = 'sold';
const SOLD_HISTORY = newlySold(SOLD);
const SELLER_CLAIM = { ...claimOf(SOLD, SOLD_HISTORY), owner: accountOf(`${SOLD} seller`) };

export const SOLD_PERSONAS: readonly Persona[] = [
  toPaidPersona({
    name: SOLD,
    about:
      'Paid, and sold ten days ago; the buyer repeats the old proof in vain. The controller set by the seller is still authorized.',
    history: SOLD_HISTORY,
    payments: customerPayments(SOLD, listCitedDays(SOLD_HISTORY), 300_000n),
    claims: [SELLER_CLAIM, { ...SELLER_CLAIM, day: REPEATED_DAY }],
    acts: [sell(NEWLY_SOLD_DAY)],
    ...soldBy(SOLD),
    furtherResponses: ({ activator, owner, controller }) => ({
      [`/operator/${activator.address}/machines`]: listing(0),
      [`/operator/${owner.address}/machines`]: listing(1),
      [`/operator/${controller!.address}/machines`]: listing(1),
    }),
  }),
  reclaimed(
    'sold-and-proven',
    'Sold 100 days ago; the buyer accepted it and claimed its own account: small payments since.',
    resoldWeekly('sold-and-proven'),
    10_000n,
    [ACCEPT],
  ),
  reclaimed(
    'borrowed-kyb',
    'Transferred to a verified operator who never accepted it; its controller still reports payments.',
    borrowedWeekly('borrowed-kyb'),
    300_000n,
  ),
  reclaimed(
    'bought-and-accepted',
    'Bought by a verified operator, who set the controller and claimed an account.',
    boughtWeekly('bought-and-accepted'),
    300_000n,
    [ACCEPT],
  ),
];
