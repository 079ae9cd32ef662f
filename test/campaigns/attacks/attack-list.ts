/** The attacks that design/scoring.md lists under "Why it resists being played", each with real transactions. */
import { encodeDeployData, encodeFunctionData, getContractAddress } from 'viem';
import { loadArtifacts } from '../../../contracts/artifacts.ts';
import { accountOf } from '../../../devnet/accounts.ts';
import { renewSubscription, transferMachine } from '../../../devnet/main-chain/calls.ts';
import { transferTokens } from '../../../devnet/main-chain/payments.ts';
import { attestChip, attestKyb } from '../../../devnet/personas/attestation-acts.ts';
import { STEADY_YEAR } from '../../../devnet/personas/histories.ts';
import type { Act, Persona } from '../../../devnet/personas/persona.ts';
import { signPayoutProof } from '../../../devnet/personas/payout-proof.ts';
import { daysBetween } from '../../../devnet/personas/planned-event.ts';
import type { PlannedEvent } from '../../../devnet/personas/planned-event.ts';
import { customerOf, transferPayment } from '../../../devnet/personas/planned-payment.ts';
import type { PlannedPayment } from '../../../devnet/personas/planned-payment.ts';
import {
  actor,
  callPayment,
  FIRST_WEEK,
  fund,
  idOf,
  launder,
  PAID_WEEKS,
  paymentOf,
  payments,
  report,
  reportWeekly,
  toAttacker,
  WEEKLY_CENTS,
  WEEKS,
  withClaim,
} from './attack.ts';
import type { Attack } from './attack.ts';
import { ALT_CIRCLES, ALT_PREVENTED } from './alt-attack-list.ts';
import { approvePool, fundFromPool, POOL_PAYMENTS, swapPayment } from './swap-pool.ts';

const YEAR_ACTIVATED_DAYS_AGO = 420;
const RENEWED: Act = {
  daysAgo: 100,
  calls: (deployment, { activator, id }) => [renewSubscription(deployment, activator.address, id)],
};
const NEWLY_SOLD_DAY = 10;
const HOURS = 24;
const DUST_CENTS = 1n;
const MERCHANT = accountOf('merchant');
/** A chain that no source names. */
const UNREAD_CHAIN = 424_242n;
const VERIFIED: Act = attestKyb(149);

function sell(daysAgo: number): Act {
  return {
    daysAgo,
    calls: (deployment, { activator, owner, id }) => [
      transferMachine(deployment, activator.address, owner.address, id),
    ],
  };
}

/** Returns a year of reports, daily in the last 15 weeks, without any citation. */
function yearOf(name: string, cents: bigint, trustLevel: number, acts: readonly Act[] = []) {
  return toAttacker(name, {
    activatedDaysAgo: YEAR_ACTIVATED_DAYS_AGO,
    events: STEADY_YEAR.events.map((event) => ({ ...event, value: cents, trustLevel })),
    acts: [RENEWED, ...acts],
  });
}

/** Returns payments of different customers to the payout account of the attack. */
function paidByCustomers(attack: string, to = actor(attack, 'payout')): PlannedPayment[] {
  return payments(PAID_WEEKS, (day) =>
    transferPayment(paymentOf(attack, day), day, customerOf(day), { to: to.address, cents: WEEKLY_CENTS }),
  );
}

/** Returns an attack whose weekly events cite payments, after the claim of an account. */
function citing(
  name: string,
  attempt: string,
  paid: readonly PlannedPayment[],
  rest: Partial<Persona> = {},
): Attack<Persona> {
  return {
    ...{ name, attempt },
    persona: toAttacker(name, { events: withClaim(name, reportWeekly(name)), payments: paid, ...rest }),
  };
}

function laundered(name: string): PlannedPayment[] {
  return launder(name, PAID_WEEKS, () => WEEKLY_CENTS);
}

/** Deploys a token of the same name and pays with it. */
function payInFakeToken(attack: string): PlannedPayment[] {
  const forger = actor(attack, 'forger');
  const token = getContractAddress({ from: forger.address, nonce: 0n });
  const { abi, bytecode } = loadArtifacts().contracts.PaymentToken;
  const mint = (cents: bigint) =>
    encodeFunctionData({ abi, functionName: 'mint', args: [forger.address, cents * 10_000n] });
  return [
    callPayment(`${attack} token`, 149, () => ({
      ...{ label: 'deploy', from: forger.address },
      data: encodeDeployData({ abi, bytecode }),
    })),
    callPayment(`${attack} supply`, 148, () => ({
      ...{ label: 'mint', from: forger.address, to: token, data: mint(100n * WEEKLY_CENTS) },
    })),
    ...payments(PAID_WEEKS, (day) =>
      callPayment(paymentOf(attack, day), day, (contracts) => ({
        ...transferTokens(contracts, forger.address, { to: actor(attack, 'payout').address, cents: WEEKLY_CENTS }),
        to: token,
      })),
    ),
  ];
}

/** Sends money to the payer a day before each payment. */
function feedPayer(attack: string): PlannedPayment[] {
  const [payer, payout] = [actor(attack, 'payer'), actor(attack, 'payout')];
  return [
    fund(payer),
    ...payments(PAID_WEEKS, (day) => [
      transferPayment(paymentOf(attack, day), day, payer, { to: payout.address, cents: WEEKLY_CENTS }),
      transferPayment(`${attack} fed ${day}`, day - 1, payout, { to: payer.address, cents: WEEKLY_CENTS }),
    ]),
  ];
}

/** Sends money of the owner to the payer a day before each payment, and returns it to the owner a day after. */
function feedFromOwner(attack: string): PlannedPayment[] {
  const [owner, payer, payout] = [actor(attack, 'owner'), actor(attack, 'payer'), actor(attack, 'payout')];
  const cents = WEEKLY_CENTS;
  return [
    fund(owner),
    ...payments(PAID_WEEKS, (day) => [
      transferPayment(`${attack} fed ${day}`, day + 1, owner, { to: payer.address, cents }),
      transferPayment(paymentOf(attack, day), day, payer, { to: payout.address, cents }),
      transferPayment(`${attack} back ${day}`, day - 1, payout, { to: owner.address, cents }),
    ]),
  ];
}

/** Exchanges money of the owner for each payment, and exchanges it back a day later; a wallet that has not signed sends both. */
function swapOwnMoney(attack: string): PlannedPayment[] {
  const [owner, payout, hop] = [actor(attack, 'owner'), actor(attack, 'payout'), actor(attack, 'hop')];
  const cents = WEEKLY_CENTS;
  return [
    ...POOL_PAYMENTS,
    fundFromPool(attack, owner.address, cents),
    ...[owner, payout].flatMap(approvePool),
    ...payments(PAID_WEEKS, (day) => [
      swapPayment(paymentOf(attack, day), day, hop, { into: 'listed', from: owner, to: payout, cents }),
      swapPayment(`${attack} back ${day}`, day - 1, hop, { into: 'second', from: payout, to: owner, cents }),
    ]),
  ];
}

/** Exchanges what the account was paid for money of another wallet, which pays with it through the pool. */
function swapInCircle(attack: string): PlannedPayment[] {
  const [payout, hop] = [actor(attack, 'payout'), actor(attack, 'hop')];
  const cents = WEEKLY_CENTS;
  return [
    fundFromPool(attack, hop.address, cents),
    ...[payout, hop].flatMap(approvePool),
    ...payments(PAID_WEEKS, (day) => [
      swapPayment(paymentOf(attack, day), day, hop, { into: 'listed', from: hop, to: payout, cents }),
      swapPayment(`${attack} back ${day}`, day - 1, payout, { into: 'second', from: payout, to: hop, cents }),
    ]),
  ];
}

/** Sends what the account was paid to another wallet, which exchanges it and pays with it through the pool. */
function launderThroughPool(attack: string): PlannedPayment[] {
  const [payout, hop] = [actor(attack, 'payout'), actor(attack, 'hop')];
  const cents = WEEKLY_CENTS;
  return [
    fundFromPool(attack, hop.address, cents),
    ...approvePool(hop),
    ...payments(PAID_WEEKS, (day) => [
      swapPayment(paymentOf(attack, day), day, hop, { into: 'listed', from: hop, to: payout, cents }),
      transferPayment(`${attack} out ${day}`, day - 1, payout, { to: hop.address, cents }),
      swapPayment(`${attack} back ${day}`, day - 1, hop, { into: 'second', from: hop, to: hop, cents }),
    ]),
  ];
}

const SISTER = 'sister-pays second';

function splitWeekly(attack: string): PlannedEvent[] {
  return reportWeekly(attack).flatMap((event) => Array.from({ length: 10 }, () => ({ ...event, value: 10_000n })));
}

/**
 * Pushes dust at the accounts of the machine and its payers, repeats its proof in events of a machine of the rival, names its account as
 * controller of another one, and sends that to its owner.
 */
const RIVALED = 'rival-pushes';
const RIVALS_MACHINE = `${RIVALED} second`;
const RIVAL = actor(RIVALED, 'rival');
const PUSHED: readonly PlannedPayment[] = [
  fund(RIVAL),
  ...payments(PAID_WEEKS, (day) =>
    [actor(RIVALED, 'payout'), actor(RIVALED, 'owner'), customerOf(day)].map((to, i) =>
      transferPayment(`${RIVALED} dust ${i} ${day}`, day, RIVAL, { to: to.address, cents: DUST_CENTS }),
    ),
  ),
];

const PREVENTED: readonly Attack<Persona>[] = [
  {
    name: 'words',
    attempt: 'declares USD 400 a day for a year',
    persona: yearOf('words', 40_000n, 0),
  },
  {
    name: 'level-two',
    attempt: 'declares the same with trust level 2',
    persona: yearOf('level-two', 40_000n, 2),
  },
  {
    name: 'level-two-weekly',
    attempt: 'writes trust level 2 on 13 events',
    persona: toAttacker('level-two-weekly', {
      events: daysBetween(0, 84, 7).map((day) => report(day, WEEKLY_CENTS)),
    }),
  },
  {
    name: 'false-hash',
    attempt: 'cites transactions that do not exist',
    persona: toAttacker('false-hash', {
      events: withClaim(
        'false-hash',
        WEEKS.map((day) => report(day, WEEKLY_CENTS, { sourceTxHash: `0x${day.toString(16).padStart(64, 'e')}` })),
      ),
    }),
  },
  citing('strangers-payment', 'cites payments to a merchant', paidByCustomers('strangers-payment', MERCHANT)),
  {
    name: 'unread-chain',
    attempt: 'cites a chain that is not followed',
    persona: toAttacker('unread-chain', {
      events: withClaim(
        'unread-chain',
        WEEKS.map((day) =>
          report(day, WEEKLY_CENTS, { sourceTxHash: `0x${'ab'.repeat(32)}`, sourceChainId: UNREAD_CHAIN }),
        ),
      ),
    }),
  },
  citing('fake-token', 'pays itself in its own token named USDC', payInFakeToken('fake-token')),
  {
    ...citing('merchant-owned', '', paidByCustomers('merchant-owned', MERCHANT), {
      ...{ activator: 'merchant-owned seller', buyer: MERCHANT.name, controller: 'merchant-owned controller' },
      events: reportWeekly('merchant-owned'),
      acts: [sell(149)],
    }),
    attempt: 'sends its token to a merchant and cites the income of the merchant',
  },
  {
    ...citing('borrowed-operator', '', laundered('borrowed-operator'), {
      ...{ activator: 'borrowed-operator seller', buyer: 'borrowed-operator owner' },
      controller: 'borrowed-operator controller',
      acts: [sell(149), VERIFIED],
    }),
    attempt: 'sends its token to a verified operator, and has its own money paid in a circle',
  },
  citing('self-paid', 'pays itself from the account of its owner', [
    fund(actor('self-paid', 'owner')),
    ...payments(PAID_WEEKS, (day) =>
      transferPayment(paymentOf('self-paid', day), day, actor('self-paid', 'owner'), {
        ...{ to: actor('self-paid', 'payout').address, cents: WEEKLY_CENTS },
      }),
    ),
  ]),
  {
    ...citing('sister-pays', 'pays itself from the account of a sister machine', [
      fund(actor('sister-pays', 'payer')),
      ...payments(PAID_WEEKS, (day) =>
        transferPayment(paymentOf('sister-pays', day), day, actor('sister-pays', 'payer'), {
          ...{ to: actor('sister-pays', 'payout').address, cents: WEEKLY_CENTS },
        }),
      ),
    ]),
    others: [
      toAttacker(SISTER, {
        activator: actor('sister-pays', 'owner').name,
        events: [
          report(FIRST_WEEK + 1, WEEKLY_CENTS, {
            metadata: signPayoutProof(
              idOf(SISTER),
              actor('sister-pays', 'owner').address,
              actor('sister-pays', 'payer'),
            ),
          }),
        ],
      }),
    ],
  },
  citing('swap', 'pays itself by a swap that another wallet sends', swapOwnMoney('swap')),
  citing('swap-circle', 'has what it was paid go round through an exchange pool', swapInCircle('swap-circle')),
  citing('fed-payer', 'feeds its payer, or refunds what it takes', feedPayer('fed-payer')),
  citing('fed-by-owner', 'feeds its payer from the account of its owner', feedFromOwner('fed-by-owner')),
  {
    ...citing('counted-twice', '', laundered('counted-twice'), {
      events: withClaim(
        'counted-twice',
        reportWeekly('counted-twice').flatMap((event) => [event, event]),
      ),
    }),
    attempt: 'claims twice what was paid',
  },
  {
    ...citing('shared-account', '', laundered('shared-account')),
    attempt: 'uses one account for several machines',
    others: [
      toAttacker('shared-account second', {
        activator: actor('shared-account', 'owner').name,
        events: [
          report(FIRST_WEEK - 1, WEEKLY_CENTS, {
            metadata: signPayoutProof(
              idOf('shared-account second'),
              actor('shared-account', 'owner').address,
              actor('shared-account', 'payout'),
            ),
          }),
        ],
      }),
    ],
  },
  {
    ...citing('bought', '', paidByCustomers('bought'), {
      ...{ activator: 'bought seller', buyer: 'bought owner', controller: 'bought controller' },
      events: withClaim('bought', withClaim('bought', reportWeekly('bought'), { owner: actor('bought', 'seller') }), {
        ...{ owner: actor('bought', 'seller'), day: 8 },
      }),
      acts: [sell(NEWLY_SOLD_DAY)],
    }),
    attempt: 'buys a good machine and repeats its proof',
    needs: 'the price of the machine',
  },
  {
    name: 'heartbeats',
    attempt: 'reports activity every hour for 14 weeks, with trust level 2',
    persona: toAttacker('heartbeats', {
      events: daysBetween(1, 98).flatMap((day) =>
        Array.from({ length: HOURS }, () => ({ daysAgo: day, eventType: 1, value: 1n, trustLevel: 2 })),
      ),
    }),
  },
  {
    ...citing(
      'burst',
      '',
      launder('burst', PAID_WEEKS, (day) => (day === 1 ? 10_000_000n : 1_000n)),
      {
        events: withClaim('burst', reportWeekly('burst', 1_000n)).map((event) =>
          event.daysAgo === 1 ? { ...event, value: 10_000_000n } : event,
        ),
      },
    ),
    attempt: 'has USD 10 a week paid, and USD 100,000 once before a loan',
  },
  {
    ...citing(
      'split',
      '',
      launder('split', PAID_WEEKS, () => 100_000n),
      { events: withClaim('split', splitWeekly('split')) },
    ),
    attempt: 'splits each payment of USD 1,000 into ten events',
  },
  {
    name: 'shelf',
    attempt: 'leaves a good attested machine on the shelf for 100 days',
    needs: 'a verified operator and a chip',
    persona: toAttacker('shelf', {
      activatedDaysAgo: 360,
      events: daysBetween(100, 345, 7).map((day) => report(day, WEEKLY_CENTS)),
      acts: [attestKyb(360), attestChip(360)],
    }),
  },
  {
    ...citing(
      'young',
      '',
      launder('young', daysBetween(1, 31), () => 40_000n),
      {
        events: withClaim(
          'young',
          daysBetween(1, 32).map((day) => report(day, 40_000n, day === 32 ? {} : { cites: paymentOf('young', day) })),
          { day: 32 },
        ),
        acts: [VERIFIED],
      },
    ),
    attempt: 'rates a machine after its best 32 days',
    needs: 'a verified operator',
  },
  {
    name: 'giant',
    attempt: 'declares every week, and has one event of USD 1,000,000 attested',
    needs: 'a verified operator and a chip',
    persona: toAttacker('giant', {
      events: WEEKS.map((day) => ({
        ...report(day, WEEKLY_CENTS),
        ...(day === 1 ? { value: 100_000_000n } : { trustLevel: 0 }),
      })),
      acts: [VERIFIED, attestChip(149)],
    }),
  },
  {
    name: 'junk-currency',
    attempt: 'reports revenue in a currency without a rate',
    persona: toAttacker('junk-currency', {
      events: WEEKS.map((day) => report(day, 10n ** 30n, { currency: 'ZZZ' })),
    }),
  },
  {
    ...citing(RIVALED, '', [...paidByCustomers(RIVALED), ...PUSHED], { acts: [VERIFIED] }),
    attempt: 'as a rival, pushes dust, a machine and a name at an honest machine, and repeats its proof',
    needs: 'shows the rating of the honest machine, and the cost of the rival',
    others: [
      toAttacker(RIVALS_MACHINE, {
        activator: RIVAL.name,
        events: WEEKS.map((day) =>
          report(day, WEEKLY_CENTS, {
            metadata: signPayoutProof(idOf(RIVALED), actor(RIVALED, 'owner').address, actor(RIVALED, 'payout')),
          }),
        ),
      }),
      toAttacker(`${RIVALED} third`, {
        ...{ activator: RIVAL.name, buyer: actor(RIVALED, 'owner').name, controller: actor(RIVALED, 'payout').name },
        acts: [sell(NEWLY_SOLD_DAY)],
      }),
    ],
  },
];

/** Money that goes in a circle through a wallet that has not signed. */
const CIRCLES: readonly Attack<Persona>[] = [
  citing('circle', 'has its own money paid in a circle through a wallet that has not signed', laundered('circle')),
  citing('circle-pool', 'does the same, and pays through an exchange pool', launderThroughPool('circle-pool')),
  {
    ...citing('circle-verified', '', laundered('circle-verified'), { acts: [VERIFIED] }),
    attempt: 'has its own money paid in such a circle under a verified operator',
    needs: 'a verified operator',
  },
];

/** The last five are not prevented. */
export const ATTACKS: readonly Attack[] = [...PREVENTED, ...ALT_PREVENTED, ...CIRCLES, ...ALT_CIRCLES];
