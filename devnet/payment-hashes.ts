/**
 * Hashes of the payments of one seeding, by name. Both chains are seeded in parallel, and events on the alt chain cite payments on the main
 * chain, so a hash can be awaited before its payment is mined.
 */
import type { Hex } from 'viem';

export interface PaymentHashes {
  /** Resolves once the payment is mined. Rejects when the seeding of its chain failed. */
  hashOf(payment: string): Promise<Hex>;
}

export class MinedPayments implements PaymentHashes {
  readonly #hashes = new Map<string, PromiseWithResolvers<Hex>>();
  #failure: unknown;

  record(payment: string, hash: Hex): void {
    this.#entry(payment).resolve(hash);
  }

  /** Rejects every hash that is not recorded, now and later. */
  fail(cause: unknown): void {
    this.#failure = cause;
    for (const { reject } of this.#hashes.values()) reject(cause);
  }

  hashOf(payment: string): Promise<Hex> {
    return this.#entry(payment).promise;
  }

  #entry(payment: string): PromiseWithResolvers<Hex> {
    let entry = this.#hashes.get(payment);
    if (entry === undefined) {
      entry = Promise.withResolvers<Hex>();
      entry.promise.catch(() => undefined);
      if (this.#failure !== undefined) entry.reject(this.#failure);
      this.#hashes.set(payment, entry);
    }
    return entry;
  }
}
