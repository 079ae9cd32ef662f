/** The stored results of the attack campaign, and the arithmetic behind them. `npm run campaigns -- attacks` tries the attacks. */
import { describe, expect, it } from 'vitest';
import type { AltTransaction, SentTransaction } from './campaigns/attacks/attack-costs.ts';
import { priceFees, sumAltCosts, sumCosts } from './campaigns/attacks/attack-costs.ts';
import { ATTACKS } from './campaigns/attacks/attack-list.ts';
import { readAttackResults } from './campaigns/attacks/attack-results.ts';
import { rateUnderMcr1 } from './campaigns/attacks/mcr1.ts';
import type { ClaimedEvent } from './campaigns/attacks/mcr1.ts';

const DAY = 86_400;
const NOW = 20_500 * DAY + 43_200;
/** Ratings of machines that a lender accepts. */
const INVESTMENT_GRADE = ['AAA', 'AA', 'A', 'BBB'];

describe('the stored results', () => {
  it('cover every attack of the list', () => {
    const listed = ATTACKS.map(({ name, attempt }) => [name, attempt]);
    expect(readAttackResults().map(({ name, attempt }) => [name, attempt])).toEqual(listed);
  });

  it('contain no investment grade without a verified operator, and many under mcr/1', () => {
    const results = readAttackResults().filter(({ needs }) => needs === null);
    expect(results.filter(({ mcr }) => INVESTMENT_GRADE.includes(mcr))).toEqual([]);
    const before = results.filter(({ underMcr1 }) => INVESTMENT_GRADE.includes(underMcr1.mcr));
    expect(before.length).toBeGreaterThan(results.length / 2);
  });

  it.each([
    ['solana-self-paid', 'self_paid'],
    ['solana-sister-pays', 'self_paid'],
    ['solana-swap', 'self_paid'],
    ['solana-rivals-account', 'wrong_payee'],
    ['solana-foreign-mint', 'wrong_payee'],
    ['solana-copied-proof', 'declared'],
    ['solana-late-claim', 'wrong_payee'],
  ])('contain no paid verdict of %s, whose payments are %s', (attack, code) => {
    const { verdicts } = readAttackResults().find(({ name }) => name === attack)!;
    expect(Object.keys(verdicts).filter((each) => each !== 'declared')).toEqual(code === 'declared' ? [] : [code]);
    expect(verdicts[code]).toBeGreaterThanOrEqual(20);
  });

  it('contain one paid verdict where every payment on Solana is refunded in a cited transaction', () => {
    const { verdicts } = readAttackResults().find(({ name }) => name === 'solana-cited-refunds')!;
    expect([verdicts['paid'], verdicts['circular']]).toEqual([1, 19]);
  });

  it('contain real costs and no open verdict', () => {
    for (const { transactions, gas, lamports, verdicts } of readAttackResults()) {
      expect(gas === 0 ? lamports / transactions : gas / transactions).toBeGreaterThan(gas === 0 ? 4_999 : 21_000);
      expect(verdicts['pending']).toBeUndefined();
    }
  });
});

/** Returns revenue of one level on each day. */
function claim(days: readonly number[], cents: bigint, trust: number): ClaimedEvent[] {
  return days.map((day) => ({ type: 0, value: cents, currency: 'USD', timestamp: NOW - day * DAY, trust }));
}

function everyDay(oldest: number, step: number): number[] {
  return Array.from({ length: Math.floor(oldest / step) + 1 }, (_, i) => oldest - i * step);
}

describe('mcr/1', () => {
  it('rated USD 1,000 a week, claimed as signed by hardware for 52 weeks, AAA', () => {
    expect(rateUnderMcr1(claim(everyDay(363, 1), 14_300n, 2), NOW)).toEqual({ mcr: 'AAA', score: 97 });
  });

  it('gave declared revenue half', () => {
    expect(rateUnderMcr1(claim(everyDay(105, 1), 1_000n, 0), NOW)).toEqual({ mcr: 'B', score: 43 });
  });

  it('halved the points for every 30 idle days after 30', () => {
    const days = everyDay(363, 1).map((day) => day + 60);
    const sum = 600 + 2_000 + 1_000;
    expect(rateUnderMcr1(claim(days, 40_000n, 2), NOW).score).toBeLessThan(sum / 100);
  });

  it('needed ten events', () => {
    expect(rateUnderMcr1(claim([40, 20, 0], 40_000n, 2), NOW)).toEqual({ mcr: 'Provisioned', score: 0 });
  });

  it('rejects activity of level 1, which it has no class for', () => {
    expect(() => rateUnderMcr1([{ type: 1, value: 1n, currency: '', timestamp: NOW, trust: 1 }], NOW)).toThrow(
      RangeError,
    );
  });
});

describe('the cost of an attack', () => {
  const TOKEN = `0x${'70'.repeat(20)}` as const;
  const OTHER_TOKEN = `0x${'71'.repeat(20)}` as const;
  const [PAYER, PAYOUT, STRANGER] = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}` as const);
  const ZERO = `0x${'00'.repeat(20)}` as const;
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const toTopic = (address: string) => `0x${address.slice(2).padStart(64, '0')}` as const;

  function transfer(sender: `0x${string}`, from: string, to: string, cents: number, token = TOKEN): SentTransaction {
    return {
      ...{ from: sender, transactionHash: '0x', status: '0x1', blockNumber: '0x1', contractAddress: null },
      gasUsed: '0x2710',
      logs: [
        {
          address: token,
          topics: [TRANSFER, toTopic(from), toTopic(to)],
          data: `0x${(cents * 10_000).toString(16).padStart(64, '0')}`,
        },
      ],
    };
  }

  it('is the gas of its accounts, and the most that its wallets have to hold', () => {
    const transactions = [
      transfer(STRANGER!, ZERO, PAYER!, 9_000),
      transfer(PAYER!, PAYER!, PAYOUT!, 500),
      transfer(PAYOUT!, PAYOUT!, PAYER!, 500),
      transfer(PAYER!, PAYER!, PAYOUT!, 700),
      transfer(PAYER!, PAYER!, PAYOUT!, 8_000, OTHER_TOKEN),
      transfer(STRANGER!, STRANGER!, PAYOUT!, 10_000),
    ];
    expect(sumCosts(transactions, [PAYER!, PAYOUT!], [TOKEN])).toEqual({
      transactions: 4,
      gas: 40_000,
      lamports: 0,
      capitalCents: 700,
    });
    expect(priceFees({ gas: 40_000_000, lamports: 0 })).toBe(200);
  });

  it('on the alt chain is the fees of its wallets, and the most that they have to hold', () => {
    const [mint, other] = ['mint', 'other mint'];
    const move = (payer: string, from: string, to: string, cents: number, of = mint): AltTransaction => {
      const row = (owner: string, held: number) => ({
        ...{ mint: of, owner, uiTokenAmount: { amount: String(held * 10_000) } },
      });
      return {
        ...{ slot: 1, transaction: { message: { accountKeys: [payer, from] } } },
        meta: { fee: 5_000, preTokenBalances: [row(from, cents)], postTokenBalances: [row(from, 0), row(to, cents)] },
      };
    };
    const transactions = [
      move('payer', 'payer', 'payout', 500),
      move('payout', 'payout', 'payer', 500),
      move('payer', 'payer', 'payout', 700),
      move('payer', 'payer', 'payout', 8_000, other),
      move('stranger', 'stranger', 'payout', 10_000),
    ];
    expect(sumAltCosts(transactions, ['payer', 'payout'], [mint])).toEqual({
      ...{ transactions: 4, gas: 0, lamports: 20_000, capitalCents: 700 },
    });
    expect(priceFees({ gas: 0, lamports: 2_000_000_000 })).toBe(30_000);
  });
});
