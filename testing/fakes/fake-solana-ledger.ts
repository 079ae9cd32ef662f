/** Ledger of an imitated Solana node: a block in each slot, with one transaction that its slot names, and those that a test adds. */
import type { ProxyCall, ProxyResponse } from '../harness/rpc-proxy.ts';
import { formatBase58, parseBase58Exactly } from '../../src/domain/identifiers/base58.ts';

const SIGNATURE_BYTES = 64;
/** Fills the bytes of a signature after its slot. */
const FILLER = 0x5b;

const refuse = (code: number, message: string): ProxyResponse => ({ error: { code, message } });

export class FakeSolanaLedger {
  readonly headSlot: number;
  /** Unix seconds of the newest slot. */
  headTime: number;
  /** Number of newest slots that the node has not reached. */
  lagSlots = 0;
  slotSeconds = 0.4;
  /** Older blocks and their transactions were dropped. */
  first = 0;
  isSkipped: (slot: number) => boolean = () => false;
  isEmpty: (slot: number) => boolean = () => false;
  /** Slots of added transactions. */
  readonly added = new Map<string, number>();
  /** Number of slots by which the statuses of other transactions are wrong. */
  shift = 0;

  constructor(headSlot: number, headTime: number) {
    this.headSlot = headSlot;
    this.headTime = headTime;
  }

  get head(): number {
    return this.headSlot - this.lagSlots;
  }

  timeOf(slot: number): number {
    return Math.floor(this.headTime - (this.headSlot - slot) * this.slotSeconds);
  }

  /** Responds to a call about blocks; undefined for other methods. */
  respond({ method, params }: ProxyCall): ProxyResponse | undefined {
    switch (method) {
      case 'getSlot':
        return { result: this.head };
      case 'getFirstAvailableBlock':
        return { result: this.first };
      case 'getBlockTime':
        return this.#readSlot(params[0] as number, (slot) => this.timeOf(slot));
      case 'getBlock':
        return this.#readSlot(params[0] as number, (slot) => this.block(slot));
      case 'getSignatureStatuses': {
        const slots = (params[0] as readonly string[]).map((signature) => this.#findSlot(signature));
        const value = slots.map((slot) => (slot === undefined ? null : { slot, err: null }));
        return { result: { context: { slot: this.head }, value } };
      }
      default:
        return undefined;
    }
  }

  #readSlot(slot: number, read: (slot: number) => unknown): ProxyResponse {
    if (slot < this.first) return refuse(-32_001, `Block ${slot} cleaned up`);
    if (slot > this.head) return refuse(-32_004, `Block not available for slot ${slot}`);
    if (this.isSkipped(slot)) return refuse(-32_007, `Slot ${slot} was skipped`);
    return { result: read(slot) };
  }

  /** Returns the block of a slot as `getBlock` does. */
  block(slot: number): {
    readonly parentSlot: number;
    readonly blockTime: number;
    readonly signatures: readonly string[];
  } {
    let parentSlot = Math.max(0, slot - 1);
    while (parentSlot > 0 && this.isSkipped(parentSlot)) parentSlot -= 1;
    return { parentSlot, blockTime: this.timeOf(slot), signatures: this.isEmpty(slot) ? [] : [signatureInSlot(slot)] };
  }

  #findSlot(signature: string): number | undefined {
    const slot = this.added.get(signature) ?? slotInSignature(signature);
    return slot === undefined || slot < this.first || slot > this.head ? undefined : slot + this.shift;
  }
}

function signatureInSlot(slot: number): string {
  const bytes = Buffer.alloc(SIGNATURE_BYTES, FILLER);
  bytes.writeBigUInt64BE(BigInt(slot));
  return formatBase58(bytes);
}

function slotInSignature(signature: string): number | undefined {
  const bytes = Buffer.from(parseBase58Exactly(signature, SIGNATURE_BYTES)!);
  return bytes.subarray(8).every((byte) => byte === FILLER) ? Number(bytes.readBigUInt64BE()) : undefined;
}
