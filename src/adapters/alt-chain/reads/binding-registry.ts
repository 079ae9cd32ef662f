/**
 * Binding registry: reads the address that a wallet is bound to (chain-svm 3.8: one `getAccountInfo`). Outcomes are cached for a
 * minute. Any other account at a binding's address is unreadable; it is neither cached nor treated as an absence.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { BindingRegistry, WalletBinding } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { deriveOperatorBindingAddress } from '../accounts/account-addresses.ts';
import { decodeAccount } from '../accounts/account-decoder.ts';
import { createOperatorBindingLayout } from '../accounts/operator-binding.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import type { AltChainLimits } from '../limits.ts';
import { getAccountInfo } from '../rpc/rpc-methods.ts';
import { createTtlCache } from '../rpc/ttl-cache.ts';

export interface BindingProgram {
  readonly program: AltKey;
  /** First seed of every binding address. */
  readonly seed: string;
  /** 16 lower-case hex digits. */
  readonly discriminator: string;
}

export interface BindingRegistryOptions {
  readonly binding: BindingProgram;
  readonly nodes: AltNodes;
  readonly clock: Clock;
  readonly limits: AltChainLimits;
  readonly startRead: () => Deadline;
}

export function createBindingRegistry(options: BindingRegistryOptions): BindingRegistry {
  const { nodes, clock, limits, startRead } = options;
  const { program, seed, discriminator } = options.binding;
  const layout = createOperatorBindingLayout(discriminator);
  const outcomes = createTtlCache<AltKey, WalletBinding>({
    clock,
    maxAgeMilliseconds: limits.bindingAgeMilliseconds,
    maxEntries: limits.maxBindings,
  });
  const pending = new Map<AltKey, Promise<WalletBinding>>();

  async function readAndCache(wallet: AltKey): Promise<WalletBinding> {
    const sinceMilliseconds = clock.nowMilliseconds();
    const binding = await readAccount(wallet);
    outcomes.set(wallet, binding, sinceMilliseconds);
    return binding;
  }

  async function readAccount(wallet: AltKey): Promise<WalletBinding> {
    const method = getAccountInfo(deriveOperatorBindingAddress(program, seed, wallet));
    const { account } = await nodes.callWithRetry(method, startRead()).catch((error: unknown) => {
      throw toAltFault(error);
    });
    const binding = decodeAccount(account, layout, { program, subject: wallet });
    if (binding.state === 'unreadable') throw chainUnreadable('alt', binding.cause);
    if (binding.state === 'absent') return { kind: 'not-bound' };
    const { operator } = binding.value;
    return operator === undefined ? { kind: 'revoked' } : { kind: 'bound', operator };
  }

  return {
    async readBinding(wallet) {
      const known = outcomes.get(wallet) ?? pending.get(wallet);
      if (known !== undefined) return known;
      const reading = readAndCache(wallet).finally(() => pending.delete(wallet));
      pending.set(wallet, reading);
      return reading;
    },
  };
}
