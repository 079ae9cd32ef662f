/** Second listed dollar token, and the pool that exchanges it for the local token: both are public and cost an attacker nothing but gas. */
import { readFileSync, writeFileSync } from 'node:fs';
import { encodeDeployData, encodeFunctionData, getContractAddress, maxUint256 } from 'viem';
import type { Address } from 'viem';
import { abiOf, loadArtifacts } from '../../../contracts/artifacts.ts';
import type { ContractName } from '../../../contracts/artifacts.ts';
import { accountOf } from '../../../devnet/accounts.ts';
import type { Account } from '../../../devnet/accounts.ts';
import { mintTokens, TOKEN_DECIMALS } from '../../../devnet/main-chain/payments.ts';
import type { PlannedPayment } from '../../../devnet/personas/planned-payment.ts';
import { callPayment } from './attack.ts';

/** Deploys both contracts, the token first. */
const DEPLOYER = accountOf('pool deployer').address;
export const POOL_TOKEN = getContractAddress({ from: DEPLOYER, nonce: 0n });
const POOL = getContractAddress({ from: DEPLOYER, nonce: 1n });
const SYMBOL = 'USDX';
const UNITS_PER_CENT = 10_000n;
const DEPLOYED_DAYS_AGO = 149;
const FUNDED_DAYS_AGO = 148;
const LIQUIDITY_CENTS = 100_000_000n;

/** Deploys the pool and fills it with both tokens. */
export const POOL_PAYMENTS: readonly PlannedPayment[] = [
  deployment('PaymentToken'),
  deployment('PaymentPool'),
  callPayment('pool liquidity', FUNDED_DAYS_AGO, (contracts) =>
    mintTokens(contracts, { to: POOL, cents: LIQUIDITY_CENTS }),
  ),
  fundFromPool('pool', POOL, LIQUIDITY_CENTS),
];

/** Mints the second token for an address. */
export function fundFromPool(name: string, to: Address, cents: bigint): PlannedPayment {
  return callPayment(`${name} ${SYMBOL}`, FUNDED_DAYS_AGO, () =>
    callToken(POOL_TOKEN, DEPLOYER, 'mint', [to, toUnits(cents)]),
  );
}

/** Lets the pool take both tokens of an account. */
export function approvePool({ name, address }: Account): PlannedPayment[] {
  return [
    callPayment(`${name} approves`, FUNDED_DAYS_AGO, ({ token }) =>
      callToken(token, address, 'approve', [POOL, maxUint256]),
    ),
    callPayment(`${name} approves ${SYMBOL}`, FUNDED_DAYS_AGO, () =>
      callToken(POOL_TOKEN, address, 'approve', [POOL, maxUint256]),
    ),
  ];
}

interface Swap {
  /** The token that is taken out. */
  readonly into: 'listed' | 'second';
  readonly from: Account;
  readonly to: Account;
  readonly cents: bigint;
}

/** Exchanges tokens of an account; the sender pays the gas. */
export function swapPayment(
  name: string,
  day: number,
  sender: Account,
  { into, from, to, cents }: Swap,
): PlannedPayment {
  return callPayment(name, day, ({ token }) => {
    const pair = into === 'listed' ? [POOL_TOKEN, token] : [token, POOL_TOKEN];
    const args = [...pair, toUnits(cents), from.address, to.address];
    return {
      ...{ label: 'swap', from: sender.address, to: POOL },
      data: encodeFunctionData({ abi: abiOf('PaymentPool'), functionName: 'swap', args }),
    };
  });
}

/** Adds the second token to the token file, and its address to each named source. */
export function listPoolToken(
  tokensFile: string,
  sourcesFile: string,
  addresses: Readonly<Record<string, string>>,
): void {
  const tokens = JSON.parse(readFileSync(tokensFile, 'utf8')) as object[];
  writeFileSync(tokensFile, JSON.stringify([...tokens, { symbol: SYMBOL, decimals: TOKEN_DECIMALS, usd_rate: '1' }]));
  const sources = JSON.parse(readFileSync(sourcesFile, 'utf8')) as Record<string, { readonly tokens: object }>;
  const listed = Object.entries(sources).map(([name, source]) => {
    const address = addresses[name];
    return [name, address === undefined ? source : { ...source, tokens: { ...source.tokens, [SYMBOL]: address } }];
  });
  writeFileSync(sourcesFile, JSON.stringify(Object.fromEntries(listed)));
}

function deployment(name: ContractName): PlannedPayment {
  const { abi, bytecode } = loadArtifacts().contracts[name];
  const data = encodeDeployData({ abi, bytecode });
  return callPayment(`pool ${name}`, DEPLOYED_DAYS_AGO, () => ({ label: `deploy ${name}`, from: DEPLOYER, data }));
}

function callToken(to: Address, from: Address, functionName: string, args: readonly unknown[]) {
  const data = encodeFunctionData({ abi: abiOf('PaymentToken'), functionName, args });
  return { label: functionName, from, to, data };
}

function toUnits(cents: bigint): bigint {
  return cents * UNITS_PER_CENT;
}
