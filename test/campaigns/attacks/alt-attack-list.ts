/** Attacks on the rating of alt-chain machines that cite payments on Solana, with real transactions of the token program. */
import { altAccountOf } from '../../../devnet/alt-chain/keys.ts';
import { toTokenWallet } from '../../../devnet/alt-chain/tokens.ts';
import type { FundedWallet, TokenWallet } from '../../../devnet/alt-chain/tokens.ts';
import { delegateTokens, moveTokens, toUnits } from '../../../devnet/personas/alt-payment.ts';
import type { AltPayment } from '../../../devnet/personas/alt-payment.ts';
import type { AltPersona } from '../../../devnet/personas/alt-persona.ts';
import { signAltPayoutProof } from '../../../devnet/personas/payout-proof.ts';
import type { PlannedEvent } from '../../../devnet/personas/planned-event.ts';
import {
  ACTIVATED_DAYS_AGO,
  FIRST_WEEK,
  idOf,
  PAID_WEEKS,
  paymentOf,
  report,
  reportWeekly,
  ROLES,
  WEEKLY_CENTS,
  WEEKS,
  type Attack,
  type Role,
} from './attack.ts';

const FUNDED_CENTS = 100_000_000n;
const APPROVED_DAYS_AGO = 149;
const LEAST_CENTS = 1_000n;
/** Second dollar token, which the campaign lists. */
export const ALT_POOL_MINT = altAccountOf('USDX mint').key;

const CUSTOMER = toTokenWallet('alt customer');
const POOL = toTokenWallet('alt pool');
const SECOND_POOL = inSecondToken('alt pool');

const accountOf = (attack: string, role: Role) => altAccountOf(`${attack} ${role}`);
const walletOf = (attack: string, role: Role) => toTokenWallet(`${attack} ${role}`);

function inSecondToken(name: string): TokenWallet {
  return { wallet: altAccountOf(name), tokenAccount: altAccountOf(`${name} USDX`), mint: ALT_POOL_MINT };
}

const funded = (wallet: TokenWallet): FundedWallet => ({ ...wallet, units: toUnits(FUNDED_CENTS) });
const empty = (wallet: TokenWallet): FundedWallet => ({ ...wallet, units: 0n });

/** Returns the keys of an attacker's wallets and token accounts. */
export function listAltActors(attack: string): {
  readonly wallets: readonly string[];
  readonly accounts: readonly string[];
} {
  const names = [attack, `${attack} second`].flatMap((name) => ROLES.map((role) => `${name} ${role}`));
  return {
    wallets: names.map((name) => altAccountOf(name).key),
    accounts: names
      .flatMap((name) => [toTokenWallet(name), inSecondToken(name)])
      .map(({ tokenAccount }) => tokenAccount.key),
  };
}

/** Returns a persona whose rating is read, not expected. */
function toAltAttacker(name: string, events: readonly PlannedEvent[], rest: Partial<AltPersona> = {}): AltPersona {
  return {
    ...{ name, about: 'An attack on the rating.', createdDaysAgo: ACTIVATED_DAYS_AGO, origin: { kind: 'linked' } },
    expected: { kind: 'served', bondStatus: 'bonded', eventCount: events.length },
    ...{ events, ...rest },
  };
}

/** Returns the proof of a wallet for a machine under an owner. */
function claimOf(name: string, { wallet }: TokenWallet, owner = altAccountOf(`${name} owner`)): string {
  return signAltPayoutProof(idOf(name), owner, wallet);
}

/** Returns one event a week; the first claims the payout wallet, the others cite the payment of their day. */
function claimAndReport(attack: string, metadata = claimOf(attack, walletOf(attack, 'payout'))): PlannedEvent[] {
  return reportWeekly(attack).map((event) => (event.daysAgo === FIRST_WEEK ? { ...event, metadata } : event));
}

/** Returns a payment a week. */
function weekly(attack: string, toPayment: (day: number) => Omit<AltPayment, 'name' | 'daysAgo'>): AltPayment[] {
  return PAID_WEEKS.map((day) => ({ name: paymentOf(attack, day), daysAgo: day, ...toPayment(day) }));
}

/** Returns weekly payments of one wallet. */
function payFrom(attack: string, from: TokenWallet, to = walletOf(attack, 'payout')): AltPayment[] {
  const instructions = [moveTokens(from, to, WEEKLY_CENTS)];
  return weekly(attack, () => ({ instructions, signers: [from.wallet] }));
}

/** Returns transfers from the payout wallet to the payer, a day after each payment. */
function giveBack(attack: string): AltPayment[] {
  const [payout, payer] = [walletOf(attack, 'payout'), walletOf(attack, 'payer')];
  return PAID_WEEKS.map((day) => ({
    ...{ name: `${attack} back ${day}`, daysAgo: day - 1, signers: [payout.wallet] },
    instructions: [moveTokens(payout, payer, WEEKLY_CENTS)],
  }));
}

function paidOnSolana(
  name: string,
  attempt: string,
  payments: readonly AltPayment[],
  wallets: readonly FundedWallet[],
  rest: Partial<AltPersona> = {},
): Attack<AltPersona> {
  const held = [empty(walletOf(name, 'payout')), ...wallets];
  return { name, attempt, persona: toAltAttacker(name, claimAndReport(name), { payments, wallets: held, ...rest }) };
}

/** Exchanges money of the owner for each payment, and exchanges it back a day later; a delegate and the pool sign both. */
function swapOwnMoney(attack: string): AltPayment[] {
  const [payout, hop] = [walletOf(attack, 'payout'), accountOf(attack, 'hop')];
  const owned = inSecondToken(`${attack} owner`);
  const signers = [hop, POOL.wallet];
  return [
    {
      ...{ name: `${attack} approval`, daysAgo: APPROVED_DAYS_AGO, signers: [owned.wallet, payout.wallet] },
      instructions: [delegateTokens(owned, hop, FUNDED_CENTS), delegateTokens(payout, hop, FUNDED_CENTS)],
    },
    ...weekly(attack, () => ({
      ...{ signers },
      instructions: [moveTokens(POOL, payout, WEEKLY_CENTS), moveTokens(owned, SECOND_POOL, WEEKLY_CENTS, hop)],
    })),
    ...PAID_WEEKS.map((day) => ({
      ...{ name: `${attack} back ${day}`, daysAgo: day - 1, signers },
      instructions: [moveTokens(payout, POOL, WEEKLY_CENTS, hop), moveTokens(SECOND_POOL, owned, WEEKLY_CENTS)],
    })),
  ];
}

/** Returns all but the least amount within the transaction of the payment; a delegate of the payout wallet signs. */
function payNearlyNothing(attack: string): AltPayment[] {
  const [payout, payer, hop] = [walletOf(attack, 'payout'), walletOf(attack, 'payer'), accountOf(attack, 'hop')];
  return [
    {
      ...{ name: `${attack} approval`, daysAgo: APPROVED_DAYS_AGO, signers: [payout.wallet] },
      instructions: [delegateTokens(payout, hop, FUNDED_CENTS)],
    },
    ...weekly(attack, () => ({
      signers: [payer.wallet, hop],
      instructions: [
        moveTokens(payer, payout, WEEKLY_CENTS),
        moveTokens(payout, payer, WEEKLY_CENTS - LEAST_CENTS, hop),
      ],
    })),
  ];
}

const FOREIGN = 'solana-foreign-mint';
const FOREIGN_MINT = altAccountOf(`${FOREIGN} mint`).key;
const inForeignToken = (role: Role): TokenWallet => ({ ...walletOf(FOREIGN, role), mint: FOREIGN_MINT });

const SISTER = 'solana-sister-pays';
const COPIED = 'solana-copied-proof';
const LATE = 'solana-late-claim';
const CITED_REFUNDS = 'solana-cited-refunds';
const RIVALS = 'solana-rivals-account';
const VICTIM = `${COPIED} second`;

/** Each week's account was paid a day before it is claimed. */
function lateAccount(day: number): TokenWallet {
  return toTokenWallet(`${LATE} payout ${day}`);
}

const SWAP = 'solana-swap';
const NET = 'solana-net-refund';

export const ALT_PREVENTED: readonly Attack<AltPersona>[] = [
  paidOnSolana(
    'solana-self-paid',
    'pays itself on Solana from the account of its owner',
    payFrom('solana-self-paid', walletOf('solana-self-paid', 'owner')),
    [funded(walletOf('solana-self-paid', 'owner'))],
  ),
  {
    ...paidOnSolana(
      SISTER,
      'pays itself on Solana from the account of a sister machine',
      payFrom(SISTER, walletOf(SISTER, 'payer')),
      [funded(walletOf(SISTER, 'payer'))],
    ),
    others: [
      toAltAttacker(
        `${SISTER} second`,
        [
          report(FIRST_WEEK + 1, WEEKLY_CENTS, {
            metadata: claimOf(`${SISTER} second`, walletOf(SISTER, 'payer'), accountOf(SISTER, 'owner')),
          }),
        ],
        { owner: `${SISTER} owner` },
      ),
    ],
  },
  paidOnSolana(SWAP, 'pays itself on Solana by a swap that a delegate sends', swapOwnMoney(SWAP), [
    funded(inSecondToken(`${SWAP} owner`)),
    funded(POOL),
    funded(SECOND_POOL),
  ]),
  paidOnSolana(
    RIVALS,
    'cites payments on Solana to the account of a rival',
    payFrom(RIVALS, CUSTOMER, walletOf(RIVALS, 'rival')),
    [empty(walletOf(RIVALS, 'rival')), funded(CUSTOMER)],
  ),
  paidOnSolana(NET, 'returns all but USD 10 of each payment in the same transaction', payNearlyNothing(NET), [
    funded(walletOf(NET, 'payer')),
  ]),
  paidOnSolana(
    CITED_REFUNDS,
    'refunds what it takes on Solana in transactions that it cites',
    [...payFrom(CITED_REFUNDS, walletOf(CITED_REFUNDS, 'payer')), ...giveBack(CITED_REFUNDS)],
    [funded(walletOf(CITED_REFUNDS, 'payer'))],
    {
      events: claimAndReport(CITED_REFUNDS).flatMap((event) =>
        // The window of an event of today is still open.
        event.cites === undefined || event.daysAgo === 1
          ? [event]
          : [event, report(event.daysAgo - 1, LEAST_CENTS, { cites: `${CITED_REFUNDS} back ${event.daysAgo}` })],
      ),
    },
  ),
  paidOnSolana(
    FOREIGN,
    'pays itself on Solana in its own token named USDC',
    payFrom(FOREIGN, inForeignToken('payer'), inForeignToken('payout')),
    [],
    { wallets: [empty(inForeignToken('payout')), funded(inForeignToken('payer'))] },
  ),
  {
    name: COPIED,
    attempt: 'copies the proof of another machine on Solana and cites its payments',
    persona: toAltAttacker(COPIED, claimAndReport(COPIED, claimOf(VICTIM, walletOf(VICTIM, 'payout'))), {
      payments: payFrom(COPIED, CUSTOMER, walletOf(VICTIM, 'payout')),
      wallets: [empty(walletOf(VICTIM, 'payout'))],
    }),
    others: [
      toAltAttacker(VICTIM, [
        report(FIRST_WEEK, WEEKLY_CENTS, { metadata: claimOf(VICTIM, walletOf(VICTIM, 'payout')) }),
      ]),
    ],
  },
  {
    name: LATE,
    attempt: 'claims an account on Solana after its payment, every week another one',
    persona: toAltAttacker(
      LATE,
      WEEKS.flatMap((day) => [
        report(day, WEEKLY_CENTS, { metadata: claimOf(LATE, lateAccount(day)) }),
        report(day, WEEKLY_CENTS, day === FIRST_WEEK ? {} : { cites: paymentOf(LATE, day) }),
      ]),
      {
        payments: PAID_WEEKS.map((day) => ({
          ...{ name: paymentOf(LATE, day), daysAgo: day + 1, signers: [CUSTOMER.wallet] },
          instructions: [moveTokens(CUSTOMER, lateAccount(day), WEEKLY_CENTS)],
        })),
        wallets: WEEKS.map((day) => empty(lateAccount(day))),
      },
    ),
  },
];

const CIRCLE = 'solana-circle';
const VERIFIED_CIRCLE = 'solana-circle-verified';

function circleOnSolana(name: string, attempt: string, rest: Partial<AltPersona> = {}): Attack<AltPersona> {
  const payer = walletOf(name, 'payer');
  return paidOnSolana(name, attempt, [...payFrom(name, payer), ...giveBack(name)], [funded(payer)], rest);
}

/** Money that goes back in transactions that no event cites. */
export const ALT_CIRCLES: readonly Attack<AltPersona>[] = [
  circleOnSolana(CIRCLE, 'refunds what it takes on Solana in transactions that no event cites'),
  {
    ...circleOnSolana(VERIFIED_CIRCLE, 'does the same on Solana under a verified operator', { isVerified: true }),
    needs: 'a verified operator',
  },
];
