/**
 * Binding registry: reads the address that a wallet is bound to (chain-svm 3.8). Reads of one tick share a call of up to 100
 * accounts, or as many as the node accepts. Outcomes are cached for a minute. Any other account at a binding's address is unreadable; it is neither cached nor treated as an absence.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { BindingRegistry, WalletBinding } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { CallBudget, CallPurpose } from '../../rpc/call-budget.ts';
import { latestDeadline, withPurpose, type Deadline } from '../../rpc/deadline.ts';
import { joinRead } from '../../rpc/join-read.ts';
import { createKnownKeys } from '../../rpc/known-keys.ts';
import { createSharedTurns } from '../../rpc/shared-turns.ts';
import type { RawAccount } from '../rpc/rpc-account.ts';
import { deriveOperatorBindingAddress } from '../accounts/account-addresses.ts';
import { decodeAccount } from '../accounts/account-decoder.ts';
import { createOperatorBindingLayout } from '../accounts/operator-binding.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import type { AltChainLimits } from '../limits.ts';
import { getAccountInfo, getMultipleAccounts } from '../rpc/rpc-methods.ts';
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
  readonly budget: CallBudget;
  readonly startRead: (isKnown: boolean) => Deadline;
}

/** Read of one account that waits for a call. */
interface PendingAccount {
  readonly address: AltKey;
  readonly deadline: Deadline;
  readonly resolve: (account: ReadResult<RawAccount>) => void;
  readonly reject: (error: unknown) => void;
}

export function createBindingRegistry(options: BindingRegistryOptions): BindingRegistry {
  const { nodes, clock, limits, budget, startRead } = options;
  const { program, seed, discriminator } = options.binding;
  const layout = createOperatorBindingLayout(discriminator);
  const outcomes = createTtlCache<AltKey, WalletBinding>({
    clock,
    maxAgeMilliseconds: limits.bindingAgeMilliseconds,
    maxEntries: limits.maxBindings,
  });
  const pending = new Map<AltKey, Promise<WalletBinding>>();

  async function readAndCache(wallet: AltKey, deadline: Deadline): Promise<WalletBinding> {
    const sinceMilliseconds = clock.nowMilliseconds();
    const binding = await readAccount(wallet, deadline);
    outcomes.set(wallet, binding, sinceMilliseconds);
    return binding;
  }

  const known = createKnownKeys<AltKey>();
  const turns = createSharedTurns<PendingAccount>({
    budget,
    send(lead, { purpose }) {
      let room = nodes.accountsPerCall - 1;
      void readAccounts([lead, ...turns.take(() => room-- > 0)], purpose);
    },
    refuse: ({ reject }, error) => reject(error),
  });

  /** Settles every read. Never rejects. */
  async function readAccounts(reads: readonly PendingAccount[], purpose: CallPurpose): Promise<void> {
    const deadline = withPurpose(latestDeadline(reads.map((each) => each.deadline)), purpose);
    const [{ address }] = reads as [PendingAccount];
    try {
      const accounts =
        reads.length === 1
          ? [(await nodes.callWithRetry(getAccountInfo(address), deadline)).account]
          : (await nodes.callWithRetry(getMultipleAccounts(reads.map((each) => each.address)), deadline)).accounts;
      reads.forEach(({ resolve }, i) => resolve(accounts[i]!));
    } catch (error) {
      const fault = toAltFault(error);
      for (const { reject } of reads) reject(fault);
    }
  }

  function join(address: AltKey, deadline: Deadline): Promise<ReadResult<RawAccount>> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadResult<RawAccount>>();
    turns.add({ address, deadline, resolve, reject });
    return promise;
  }

  async function readAccount(wallet: AltKey, deadline: Deadline): Promise<WalletBinding> {
    const account = await join(deriveOperatorBindingAddress(program, seed, wallet), deadline);
    const binding = decodeAccount(account, layout, { program, subject: wallet });
    if (binding.state === 'unreadable') throw chainUnreadable('alt', binding.cause);
    if (binding.state === 'absent') return { kind: 'not-bound' };
    known.add(wallet);
    const { operator, updatedAt } = binding.value;
    return operator === undefined ? { kind: 'revoked' } : { kind: 'bound', operator, since: Number(updatedAt) };
  }

  return {
    async readBinding(wallet) {
      const cached = outcomes.get(wallet);
      if (cached !== undefined) return cached;
      const deadline = startRead(known.has(wallet));
      const shared = pending.get(wallet);
      if (shared !== undefined) return joinRead(shared, () => readAndCache(wallet, deadline));
      const reading = readAndCache(wallet, deadline).finally(() => pending.delete(wallet));
      pending.set(wallet, reading);
      return reading;
    },
  };
}
