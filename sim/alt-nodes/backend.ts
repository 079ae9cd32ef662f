/** What does one node of the alt chain answer? It follows the chain with its own delay, keeps what it likes, and errs as others decide. */
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

/** How a node is made; none of it is a fault. */
export interface AltCharacter {
  /** Rows of a page at most, whatever is asked for. */
  readonly pageRows: number;
  readonly keepsLogs: boolean;
}

/** What an exchange was about, for those who judge what the service could know. */
export interface AltWitness {
  accounts(slot: number): void;
  /** Rows that were spoiled are told with the ids of their machines. */
  fleet(slot: number, spoiled: readonly SpoiledRow[]): void;
}

export interface SpoiledRow {
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
  readonly #character: AltCharacter;
  /** How far it is behind the others. */
  lagMilliseconds = 0;
  /** What is older is gone; 0: it has everything. */
  firstSlot = 0;
  /** Is left out of every list of all machines: an index of accounts that excludes a key. */
  lostMachine: bigint | undefined;

  constructor(chain: VirtualAltChain, random: Random, character: AltCharacter) {
    this.#chain = chain;
    this.#random = random;
    this.#character = character;
  }

  get slot(): number {
    return this.#chain.slot - Math.floor(this.lagMilliseconds / SLOT_MILLISECONDS);
  }

  answer({ method, params }: RpcCall, fault: AltFault | undefined, witness: AltWitness): RpcResult {
    if (fault === 'callError') return refuse(this.#random.pick([-32_603, -32_005, -32_016, -32_004, -32_010]));
    const isStale = fault === 'staleSlot';
    const slot = isStale ? Math.max(0, this.slot - this.#random.skewed(3_000)) : this.slot;
    const configuration = (params[1] ?? params[0] ?? {}) as Configuration;
    // A stale node does not heed what it is asked for at least.
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
        return this.#answerAccounts(params[0] as readonly string[], slot, fault, witness);
      case 'getProgramAccounts':
        return this.#answerRows(params[0] as string, configuration, slot, fault, witness);
      case 'getSignaturesForAddress':
        return { result: this.#listSignatures(params[0] as string, configuration, slot, fault) };
      case 'getTransaction':
        return { result: this.#findTransaction(params[0] as string, slot, fault) };
      case 'getBlockTime':
        return this.#answerTime(params[0] as number, slot, fault);
      case 'getBlock':
        return this.#answerBlock(params[0] as number, slot, fault);
      default:
        return refuse(-32_601);
    }
  }

  #answerAccounts(keys: readonly string[], slot: number, fault: AltFault | undefined, witness: AltWitness): RpcResult {
    witness.accounts(slot);
    const accounts = accountsOf(this.#chain.worldAt(slot));
    const value: (object | null)[] = keys.map((key) => toJson(accounts.get(key)));
    const there = keys.flatMap((key, place) => (accounts.has(key) ? [place] : []));
    if (fault === 'missingAccount') value.pop();
    if (there.length > 0) {
      const place = this.#random.pick(there);
      value[place] = this.#spoil(accounts.get(keys[place]!)!, fault) ?? value[place]!;
    }
    return { result: { context: { slot }, value } };
  }

  /** Undefined: the fault is another. */
  #spoil(account: SimAccount, fault: AltFault | undefined): object | undefined {
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
        // The id is the first word of every account of a machine; of a singleton, an administrator.
        return toJson({ owner, data: Uint8Array.of(...data.subarray(0, 8), data[8]! ^ 1, ...data.subarray(9)) })!;
      default:
        return undefined;
    }
  }

  #answerRows(
    program: string,
    { dataSlice }: Configuration,
    slot: number,
    fault: AltFault | undefined,
    witness: AltWitness,
  ): RpcResult {
    const world = this.#chain.worldAt(slot);
    const isFleet = program === PROGRAMS.machineRegistry;
    const { offset, length } = dataSlice!;
    const all = isFleet ? this.#listMachines(world) : listEventLogRows(world);
    const rows = all.map(({ address, account: { owner, data } }) => ({
      pubkey: address as string,
      account: toJson({ owner, data: data.subarray(offset, offset + length) })!,
    }));
    const spoiled: SpoiledRow[] = [];
    if (rows.length > 0) {
      const place = this.#random.integer(0, rows.length - 1);
      const { address, account } = all[place]!;
      if (fault === 'omitRows') rows.splice(place, 1);
      if (fault === 'repeatRow') rows.push(rows[place]!);
      if (fault === 'malformedAccount' || fault === 'wrongOwner' || fault === 'otherMachine') {
        const cut = this.#random.chance(0.3);
        const data = account.data.slice(offset, offset + length);
        if (fault === 'otherMachine') data[31]! ^= 1;
        const told = fault === 'malformedAccount' && cut ? data.subarray(0, OPERATOR_OFFSET - 8) : data;
        const isOdd = fault === 'malformedAccount' && !cut;
        const owner = fault === 'wrongOwner' ? WALLETS[0]! : account.owner;
        rows[place] = { ...rows[place]!, account: { ...toJson({ owner, data: told })!, executable: isOdd } };
        spoiled.push({ id: this.#machineAt(world, address), isNamed: told === data });
      }
    }
    if (isFleet) witness.fleet(slot, spoiled);
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
    const rows = all.slice(place, place + Math.min(limit, this.#character.pageRows));
    return this.#spoilRows(
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

  #spoilRows(rows: SignatureJson[], fault: AltFault | undefined): SignatureJson[] {
    if (rows.length === 0) return rows;
    const place = this.#random.integer(0, rows.length - 1);
    switch (fault) {
      case 'omitRows':
        // Half of the time among the newest, which nobody has seen yet.
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
    if (fault === 'nullLogs' || !this.#character.keepsLogs) json.meta.logMessages = null;
    if (fault === 'alienTransaction') {
      return this.#random.pick<TransactionJson>([
        { ...json, slot: json.slot + 1 },
        { ...json, version: 1 as 0 },
        { ...json, transaction: { ...json.transaction, signatures: ['1'.repeat(64)] } },
        { ...json, meta: { ...json.meta, loadedAddresses: { writable: [WALLETS[0]! as never], readonly: [] } } },
        { ...json, meta: null as never },
      ]);
    }
    return json;
  }

  #answerTime(asked: number, slot: number, fault: AltFault | undefined): RpcResult {
    if (asked > slot || asked < this.firstSlot) return refuse(-32_004);
    return { result: fault === 'noBlockTime' ? null : this.#chain.timeOf(asked) };
  }

  #answerBlock(asked: number, slot: number, fault: AltFault | undefined): RpcResult {
    if (asked > slot || asked < this.firstSlot) return refuse(-32_004);
    if (fault === 'nullTransaction') return { result: null };
    const inSlot = this.#chain.transactions.filter((transaction) => transaction.slot === asked);
    const signatures = inSlot.map(({ signature }) => signature);
    if (fault === 'omitRows') signatures.pop();
    return { result: { blockhash: GENESIS_HASH, parentSlot: asked - 1, signatures } };
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
