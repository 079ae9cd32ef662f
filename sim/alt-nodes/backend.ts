/** Virtual node of the alt chain. It follows the chain with its own lag and retention; the caller decides its faults. */
import { accountsOf, listEventLogRows, listMachineRows, type SimAccount } from '../alt-chain/accounts.ts';
import { addressesOf, GENESIS_HASH, PROGRAMS, SLOT_MILLISECONDS, WALLETS } from '../alt-chain/deployment.ts';
import type { AltWorld } from '../alt-chain/machine-state.ts';
import {
  mentionsLog,
  toTransactionJson,
  type AltTransaction,
  type TransactionJson,
} from '../alt-chain/transactions.ts';
import type { VirtualAltChain } from '../alt-chain/virtual-alt-chain.ts';
import type { RpcCall, RpcResult } from '../transport/network.ts';
import type { Random } from '../random.ts';
import type { AltFault } from './faults.ts';

/** Properties of a node; none of them is a fault. */
export interface AltNodeProperties {
  /** Maximum rows of a page, whatever the requested limit. */
  readonly pageRows: number;
  readonly retainsLogs: boolean;
}

/** Receives what a response contains, for the oracle's record of what the service could know. */
export interface AltResponseObserver {
  accounts(slot: number): void;
  /** `corrupted`: corrupted rows with the ids of their machines. */
  fleet(slot: number, corrupted: readonly CorruptedRow[]): void;
}

export interface CorruptedRow {
  readonly id: bigint;
  /** Whether the row still names its operator. */
  readonly isNamed: boolean;
}

interface Configuration {
  readonly minContextSlot?: number;
  readonly before?: string;
  readonly limit?: number;
  readonly dataSlice?: { readonly offset: number; readonly length: number };
}

type SignatureJson = ReturnType<AltBackend['toRow']>;

const refuse = (code: number): RpcResult => ({ error: { code, message: 'something went wrong' } });
const OPERATOR_OFFSET = 8 + 138;

export class AltBackend {
  readonly #chain: VirtualAltChain;
  readonly #random: Random;
  readonly #properties: AltNodeProperties;
  /** Lag behind the chain. */
  lagMilliseconds = 0;
  /** Slot at which it has stopped; it still responds. */
  stoppedAtSlot: number | undefined;
  /** First retained slot; 0: the node retains everything. */
  firstSlot = 0;
  /** Machine missing from every list of all machines, as in an account index that excludes a key. */
  lostMachine: bigint | undefined;

  constructor(chain: VirtualAltChain, random: Random, properties: AltNodeProperties) {
    this.#chain = chain;
    this.#random = random;
    this.#properties = properties;
  }

  get slot(): number {
    const slot = this.#chain.slot - Math.floor(this.lagMilliseconds / SLOT_MILLISECONDS);
    return Math.min(slot, this.stoppedAtSlot ?? slot);
  }

  respond({ method, params }: RpcCall, fault: AltFault | undefined, observer: AltResponseObserver): RpcResult {
    if (fault === 'callError') return refuse(this.#random.pick([-32_603, -32_005, -32_016, -32_004, -32_010]));
    const isStale = fault === 'staleSlot';
    const slot = isStale ? Math.max(0, this.slot - this.#random.skewed(3_000)) : this.slot;
    const configuration = (params[1] ?? params[0] ?? {}) as Configuration;
    // A stale node ignores `minContextSlot`.
    if (!isStale && typeof configuration === 'object' && (configuration.minContextSlot ?? 0) > slot) {
      return refuse(-32_016);
    }
    switch (method) {
      case 'getGenesisHash':
        return { result: GENESIS_HASH };
      case 'getSlot':
        return { result: slot };
      case 'getFirstAvailableBlock':
        return { result: this.firstSlot };
      case 'getMultipleAccounts':
        return this.#readAccounts(params[0] as readonly string[], slot, fault, observer);
      case 'getProgramAccounts':
        return this.#readRows(params[0] as string, configuration, slot, fault, observer);
      case 'getSignaturesForAddress':
        return { result: this.#listSignatures(params[0] as string, configuration, slot, fault) };
      case 'getTransaction':
        return { result: this.#findTransaction(params[0] as string, slot, fault) };
      case 'getBlockTime':
        return this.#readTime(params[0] as number, slot, fault);
      case 'getBlock':
        return this.#readBlock(params[0] as number, slot, fault);
      default:
        return refuse(-32_601);
    }
  }

  #readAccounts(
    keys: readonly string[],
    slot: number,
    fault: AltFault | undefined,
    observer: AltResponseObserver,
  ): RpcResult {
    observer.accounts(slot);
    const accounts = accountsOf(this.#chain.worldAt(slot));
    const value: (object | null)[] = keys.map((key) => toJson(accounts.get(key)));
    const there = keys.flatMap((key, place) => (accounts.has(key) ? [place] : []));
    if (fault === 'missingAccount') value.pop();
    else if (there.length > 0) {
      const place = this.#random.pick(there);
      value[place] = this.#corrupt(accounts.get(keys[place]!)!, fault) ?? value[place]!;
    }
    return { result: { context: { slot }, value } };
  }

  /** Returns the corrupted account; undefined for other faults. */
  #corrupt(account: SimAccount, fault: AltFault | undefined): object | undefined {
    const { owner, data } = account;
    switch (fault) {
      case 'malformedAccount':
        return this.#random.pick<() => object>([
          () => toJson({ owner, data: data.subarray(0, this.#random.integer(1, Math.max(1, data.length - 1))) })!,
          () => toJson({ owner, data: Uint8Array.of(...data, 0) })!,
          () => ({ ...toJson(account)!, data: ['not base64!', 'base64'] }),
          () => ({ ...toJson(account)!, executable: true }),
          () => ({}),
        ])();
      case 'wrongOwner':
        return toJson({ owner: WALLETS[0]!, data })!;
      case 'otherMachine':
        // The first word of an account is the machine id; of a singleton, an administrator.
        return toJson({ owner, data: Uint8Array.of(...data.subarray(0, 8), data[8]! ^ 1, ...data.subarray(9)) })!;
      default:
        return undefined;
    }
  }

  #readRows(
    program: string,
    { dataSlice }: Configuration,
    slot: number,
    fault: AltFault | undefined,
    observer: AltResponseObserver,
  ): RpcResult {
    const world = this.#chain.worldAt(slot);
    const isFleet = program === PROGRAMS.machineRegistry;
    const { offset, length } = dataSlice!;
    const all = isFleet ? this.#listMachines(world) : listEventLogRows(world);
    const rows = all.map(({ address, account: { owner, data } }) => ({
      pubkey: address,
      account: toJson({ owner, data: data.subarray(offset, offset + length) })!,
    }));
    const corrupted: CorruptedRow[] = [];
    if (rows.length > 0) {
      const place = this.#random.integer(0, rows.length - 1);
      const { address, account } = all[place]!;
      if (fault === 'omitRows') rows.splice(place, 1);
      if (fault === 'repeatRow') rows.push(rows[place]!);
      if (fault === 'malformedAccount' || fault === 'wrongOwner' || fault === 'otherMachine') {
        const cut = this.#random.chance(0.3);
        const data = account.data.slice(offset, offset + length);
        if (fault === 'otherMachine') data[31]! ^= 1;
        const sent = fault === 'malformedAccount' && cut ? data.subarray(0, OPERATOR_OFFSET - 8) : data;
        const isOdd = fault === 'malformedAccount' && !cut;
        const owner = fault === 'wrongOwner' ? WALLETS[0]! : account.owner;
        rows[place] = { ...rows[place]!, account: { ...toJson({ owner, data: sent })!, executable: isOdd } };
        corrupted.push({ id: this.#machineAt(world, address), isNamed: sent === data });
      }
    }
    if (isFleet) observer.fleet(slot, corrupted);
    return { result: { context: { slot }, value: rows } };
  }

  #listMachines(world: AltWorld): ReturnType<typeof listMachineRows> {
    const lost = this.lostMachine === undefined ? undefined : addressesOf(this.lostMachine).machine.address;
    return listMachineRows(world).filter(({ address }) => address !== lost);
  }

  #machineAt(world: AltWorld, address: string): bigint {
    return [...world.machines.keys()].find((id) => addressesOf(id).machine.address === address) ?? 0n;
  }

  #listSignatures(
    address: string,
    { before, limit = 1_000 }: Configuration,
    slot: number,
    fault: AltFault | undefined,
  ): SignatureJson[] {
    const { transactions } = this.#chain;
    const id =
      address === PROGRAMS.eventRegistry
        ? undefined
        : [...this.#chain.world.machines.keys()].find((each) => addressesOf(each).eventLog.address === address);
    const isListed = (transaction: AltTransaction) =>
      transaction.slot <= slot &&
      transaction.slot >= this.firstSlot &&
      (address === PROGRAMS.eventRegistry || (id !== undefined && mentionsLog(transaction, id)));
    const all = transactions.filter(isListed).toReversed();
    const place = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
    if (before !== undefined && (place === 0 || fault === 'unknownBefore')) return [];
    const rows = all.slice(place, place + Math.min(limit, this.#properties.pageRows));
    return this.#corruptRows(
      rows.map((row) => this.toRow(row)),
      fault,
    );
  }

  toRow({ signature, slot, hasFailed }: AltTransaction) {
    return {
      signature,
      slot,
      err: hasFailed ? { InstructionError: [0, { Custom: 6000 }] } : null,
      memo: null,
      blockTime: this.#chain.timeOf(slot) as number | null,
      confirmationStatus: 'finalized',
    };
  }

  #corruptRows(rows: SignatureJson[], fault: AltFault | undefined): SignatureJson[] {
    if (rows.length === 0) return rows;
    const place = this.#random.integer(0, rows.length - 1);
    switch (fault) {
      case 'omitRows':
        // Half of the time among the newest rows, which the service has not read yet.
        return rows.toSpliced(this.#random.chance(0.5) ? this.#random.skewed(3) : place, 1 + this.#random.skewed(3));
      case 'repeatRow':
        return rows.toSpliced(place, 0, rows[place]!);
      case 'reorderRows':
        return rows.toReversed();
      case 'untimedRows':
        return rows.map((row) => ({ ...row, blockTime: null }));
      default:
        return rows;
    }
  }

  #findTransaction(signature: string, slot: number, fault: AltFault | undefined): TransactionJson | null {
    const transaction = this.#chain.bySignature.get(signature);
    if (transaction === undefined || transaction.slot > slot || transaction.slot < this.firstSlot) return null;
    if (fault === 'nullTransaction') return null;
    const json = toTransactionJson(transaction, this.#chain.timeOf(transaction.slot));
    if (fault === 'nullLogs' || !this.#properties.retainsLogs) json.meta.logMessages = null;
    if (fault === 'alienTransaction') {
      return this.#random.pick<TransactionJson>([
        { ...json, slot: json.slot + 1 },
        { ...json, version: 1 },
        { ...json, transaction: { ...json.transaction, signatures: ['1'.repeat(64)] } },
        { ...json, meta: { ...json.meta, loadedAddresses: { writable: [WALLETS[0]! as never], readonly: [] } } },
        { ...json, meta: null as never },
      ]);
    }
    return json;
  }

  #readTime(requested: number, slot: number, fault: AltFault | undefined): RpcResult {
    if (requested > slot || requested < this.firstSlot) return refuse(-32_004);
    return { result: fault === 'noBlockTime' ? null : this.#chain.timeOf(requested) };
  }

  #readBlock(requested: number, slot: number, fault: AltFault | undefined): RpcResult {
    if (requested > slot || requested < this.firstSlot) return refuse(-32_004);
    if (fault === 'nullTransaction') return { result: null };
    const inSlot = this.#chain.transactions.filter((transaction) => transaction.slot === requested);
    const signatures = inSlot.map(({ signature }) => signature);
    if (fault === 'omitRows') signatures.pop();
    return { result: { blockhash: GENESIS_HASH, parentSlot: requested - 1, signatures } };
  }
}

function toJson(account: SimAccount | undefined) {
  if (account === undefined) return null;
  const { owner, data } = account;
  return {
    lamports: 1_000_000,
    owner: owner as string,
    executable: false,
    data: [Buffer.from(data).toString('base64'), 'base64'],
    rentEpoch: 0,
    space: data.length,
  };
}
