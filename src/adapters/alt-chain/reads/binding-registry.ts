/**
 * To which address is a wallet bound? (chain-svm 3.8: one `getAccountInfo`.) Settled outcomes are kept for a minute; whatever else
 * stands at a binding's address is unreadable, and is neither kept nor taken for an absence.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { BindingRegistry, WalletBinding } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { deriveOperatorBindingAddress } from '../accounts/account-addresses.ts';
import { judgeAccount } from '../accounts/account-verdict.ts';
import { createOperatorBindingLayout } from '../accounts/operator-binding.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import type { AltChainLimits } from '../limits.ts';
import { getAccountInfo } from '../rpc/rpc-methods.ts';
import { createTtlCache } from '../rpc/ttl-cache.ts';

export interface BindingProgram {
  readonly program: AltKey;
  /** First seed of a binding's address. */
  readonly seed: string;
  /** 16 lower-case hex digits. */
  readonly discriminator: string;
}

export interface BindingRegistryOptions {
  readonly binding: BindingProgram;
  readonly endpoints: AltNodes;
  readonly clock: Clock;
  readonly limits: AltChainLimits;
  readonly startRead: () => Deadline;
}

export function createBindingRegistry(options: BindingRegistryOptions): BindingRegistry {
  const { endpoints, clock, limits, startRead } = options;
  const { program, seed, discriminator } = options.binding;
  const layout = createOperatorBindingLayout(discriminator);
  const settled = createTtlCache<AltKey, WalletBinding>({
    clock,
    maxAgeMilliseconds: limits.bindingAgeMilliseconds,
    maxEntries: limits.maxBindings,
  });
  const underWay = new Map<AltKey, Promise<WalletBinding>>();

  async function ask(wallet: AltKey): Promise<WalletBinding> {
    const sinceMilliseconds = clock.nowMilliseconds();
    const binding = await readAccount(wallet);
    settled.keep(wallet, binding, sinceMilliseconds);
    return binding;
  }

  async function readAccount(wallet: AltKey): Promise<WalletBinding> {
    const question = getAccountInfo(deriveOperatorBindingAddress(program, seed, wallet));
    const { account } = await endpoints.askPatiently(question, startRead()).catch((error: unknown) => {
      throw toAltFault(error);
    });
    const binding = judgeAccount(account, layout, { program, subject: wallet });
    if (binding.state === 'unreadable') throw chainUnreadable('alt', binding.cause);
    if (binding.state === 'absent') return { kind: 'not-bound' };
    const { operator } = binding.value;
    return operator === undefined ? { kind: 'revoked' } : { kind: 'bound', operator };
  }

  return {
    async readBinding(wallet) {
      const known = settled.recall(wallet) ?? underWay.get(wallet);
      if (known !== undefined) return known;
      const reading = ask(wallet).finally(() => underWay.delete(wallet));
      underWay.set(wallet, reading);
      return reading;
    },
  };
}
