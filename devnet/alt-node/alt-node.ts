/**
 * Local alt chain (chain-svm 9): a real SVM in this process behind a JSON-RPC server. Its clock can be set, so that a machine can have
 * months of history, and every event is a signed transaction that a program executed.
 */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { Chain } from './chain.ts';
import { createNodeFaults } from './node-faults.ts';
import type { NodeFaults } from './node-faults.ts';
import { ALT_PROGRAMS, installPrograms } from './installed-programs.ts';
import type { AltNodePrograms } from './installed-programs.ts';
import { COMMITMENT_LAG_SLOTS, createRpcMethods } from './rpc-methods.ts';
import { startRpcServer, stopRpcServer, urlOf } from './rpc-server.ts';
import { keyOfSeed, signPlan } from './signed-transaction.ts';
import type { TransactionPlan } from './signed-transaction.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

export interface AltNodeOptions {
  /** 0 or absent = any free port. */
  readonly port?: number | undefined;
  /** Unix seconds of slot 0; absent = now. The genesis hash is derived from it. */
  readonly genesisTimestamp?: number | undefined;
  /** The wall clock in milliseconds; read only after `followClock`. */
  readonly now?: (() => number) | undefined;
}

export interface NewAccount {
  readonly owner: AltKey;
  readonly data: Uint8Array;
  /** Absent = the rent-exempt minimum for this length. */
  readonly lamports?: bigint;
}

/** Transaction that is in a block, where it succeeded or failed. */
export interface SubmittedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** In the format of `getTransaction`; null: success. */
  readonly err: unknown;
  readonly logs: readonly string[];
}

/** Running chain. Every method acts in the open block, which is that of the newest slot. */
export interface AltNode {
  readonly rpcUrl: string;
  readonly genesisHash: string;
  readonly programs: AltNodePrograms;
  /** Newest slot, with commitment `processed`. */
  readonly slot: number;
  /** Unix seconds of the newest slot. */
  readonly unixTime: number;
  readonly faults: NodeFaults;
  /** Writes an account without a program. Throws for the address of a program. */
  setAccount(address: AltKey, account: NewAccount): void;
  removeAccount(address: AltKey): void;
  /**
   * Opens the block of a later second, one slot for every 400 ms in between and at least one. The current second opens
   * another block. Throws `RangeError` for an earlier time.
   */
  advanceTo(unixSeconds: number): void;
  /** Opens the block `count` slots later. */
  advanceSlots(count: number): void;
  /**
   * Makes the chain follow the wall clock, with a slot every 400 ms, and finalizes all existing blocks. Call it after seeding;
   * `advanceTo` and `advanceSlots` then throw.
   */
  followClock(): void;
  /**
   * Signs and executes a transaction. Throws when the chain rejects it: unsigned, without a payer, or with an unknown
   * blockhash. A transaction that fails in its block is returned with its `err`.
   */
  submit(plan: TransactionPlan): Promise<SubmittedTransaction>;
  /** Stops the server and resolves when it is closed. Idempotent. */
  stop(): Promise<void>;
}

/** Balance that a payer receives when it has less than `LEAST_LAMPORTS`. */
const FIRST_LAMPORTS = 1_000_000_000_000n;
const LEAST_LAMPORTS = 1_000_000_000n;

/** Starts the chain in this process. Throws when the port is in use. */
export async function startAltNode(options: AltNodeOptions = {}): Promise<AltNode> {
  // A harness may replace `Date.now` later.
  const now = options.now ?? (() => Date.now());
  const chain = new Chain(options.genesisTimestamp ?? Math.floor(now() / 1000), now);
  installPrograms(chain);
  const faults = createNodeFaults();
  const server = await startRpcServer(createRpcMethods(chain, faults), faults, options.port ?? 0);
  let stopped: Promise<void> | undefined;

  return {
    rpcUrl: urlOf(server),
    genesisHash: chain.genesisHash,
    programs: ALT_PROGRAMS,
    faults,
    get slot() {
      return chain.clock.slot;
    },
    get unixTime() {
      return chain.clock.timeOf(chain.clock.slot);
    },
    setAccount: (address, { owner, data, lamports }) => chain.setAccount(address, owner, data, lamports),
    removeAccount: (address) => chain.removeAccount(address),
    advanceTo: (unixSeconds) => chain.clock.advanceTo(unixSeconds),
    advanceSlots: (count) => chain.clock.advanceSlots(count),
    followClock: () => chain.clock.follow(COMMITMENT_LAG_SLOTS.finalized + 1),
    async submit(plan) {
      const payer = await keyOfSeed(plan.signers[0]!);
      if (chain.balanceOf(payer) < LEAST_LAMPORTS) {
        chain.setAccount(payer, SYSTEM_PROGRAM, new Uint8Array(), FIRST_LAMPORTS);
      }
      const { signatures, slot, err, logs } = chain.execute(await signPlan(plan, chain.createBlockhash()));
      return { signature: signatures[0]!, slot, err, logs };
    },
    stop: () => (stopped ??= stopRpcServer(server)),
  };
}
