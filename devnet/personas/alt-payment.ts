/** Planned token transactions of the alt chain: each is in the block of its day before the events of that day, which can cite it. */
import type { AltAccount } from '../alt-chain/keys.ts';
import type { TokenWallet } from '../alt-chain/tokens.ts';
import { approveUnits, transferUnits } from '../alt-node/token-accounts.ts';
import type { PlannedInstruction } from '../alt-node/signed-transaction.ts';
import { TOKEN_DECIMALS } from '../main-chain/payments.ts';

export interface AltPayment {
  /** Name under which events cite it, unique in the devnet. */
  readonly name: string;
  readonly daysAgo: number;
  readonly instructions: readonly PlannedInstruction[];
  /** The first pays the fee. */
  readonly signers: readonly AltAccount[];
}

export function toUnits(cents: bigint): bigint {
  return (cents * 10n ** BigInt(TOKEN_DECIMALS)) / 100n;
}

/** Returns a transfer of cents, which the owner or a delegate signs. */
export function moveTokens(
  from: TokenWallet,
  to: TokenWallet,
  cents: bigint,
  authority: AltAccount = from.wallet,
): PlannedInstruction {
  return transferUnits(from.tokenAccount.key, to.tokenAccount.key, authority.key, toUnits(cents));
}

/** Returns the instruction of the owner that lets a delegate transfer cents. */
export function delegateTokens(
  { wallet, tokenAccount }: TokenWallet,
  delegate: AltAccount,
  cents: bigint,
): PlannedInstruction {
  return approveUnits(tokenAccount.key, delegate.key, wallet.key, toUnits(cents));
}
