/** Configuration of the payment source, and the keys of those who are paid. */
import { createFixedRates } from '../../src/adapters/fx/feed-rates.ts';
import { parseSources } from '../../src/adapters/payment-sources/sources-file.ts';
import { createMainChainKey } from '../../src/domain/signatures/account-keys.ts';

export const SOURCE_CHAIN_ID = 8453;
export const SOURCE_NAME = `eip155:${SOURCE_CHAIN_ID}`;
export const TOKEN = 'USDC';
export const TOKEN_DECIMALS = 6;
export const TOKEN_CONTRACT = `0x${'a1'.repeat(20)}`;
/** A token that is not listed. */
export const FAKE_CONTRACT = `0x${'fa'.repeat(20)}`;

/** Accounts that machines claim, and one whose owner pays. */
export const ACCOUNT_KEYS = [1, 2, 3, 4, 5, 6].map((number) => createMainChainKey(new Uint8Array(32).fill(number)));
export const PAYERS = ['c1', 'c2'].map((digits) => `0x${digits.repeat(20)}`);
export const ROUTER = `0x${'77'.repeat(20)}`;

/** Rates of every run: the token is worth one dollar. */
export const RATES = createFixedRates([
  { symbol: TOKEN, decimals: TOKEN_DECIMALS, fixedRate: 10n ** 12n, rates: undefined },
]);

/** Returns the configured source as the service reads it. */
export function configureSources(rpcUrls: readonly string[]) {
  const file = { [SOURCE_NAME]: { rpc: rpcUrls, tokens: { [TOKEN]: TOKEN_CONTRACT } } };
  const { configured, problems } = parseSources(Buffer.from(JSON.stringify(file)), [TOKEN]);
  if (configured === undefined) throw new Error(problems.join('\n'));
  return configured;
}
