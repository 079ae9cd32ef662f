/**
 * Sequential reader for the fields of a DER sequence, each of the type it must have (RFC 5280, appendix A).
 * Every method throws `DerInvalid` when the next element is of another type.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DerInvalid, requireDer, TAG, type DerElement } from './der.ts';

/** Content of a bit string, and how many of its last bits are unused. */
export interface BitString {
  readonly unusedBits: number;
  readonly bytes: Uint8Array;
}

export class DerFields {
  readonly #elements: readonly DerElement[];
  #at = 0;

  constructor(elements: readonly DerElement[]) {
    this.#elements = elements;
  }

  /** Returns the next element, which must have the tag. */
  take(tag: number): DerElement {
    const element = this.takeAny();
    requireDer(element.tag === tag);
    return element;
  }

  takeAny(): DerElement {
    const element = this.#elements[this.#at++];
    if (element === undefined) throw new DerInvalid();
    return element;
  }

  /** Returns the next element if it has the tag. */
  takeIf(tag: number): DerElement | undefined {
    const element = this.#elements[this.#at];
    if (element?.tag !== tag) return undefined;
    this.#at++;
    return element;
  }

  /** Returns a reader for the sequence that comes next. */
  sequence(): DerFields {
    return new DerFields(this.take(TAG.sequence).children);
  }

  /** Returns the content of an object identifier as hex; `object-identifiers.ts` has the names. */
  objectIdentifier(): string {
    return bytesToHex(this.take(TAG.objectIdentifier).content);
  }

  bitString(): BitString {
    return toBitString(this.take(TAG.bitString).content);
  }

  /** Reads an optional boolean that defaults to false. Rejects an explicit `FALSE`. */
  flag(): boolean {
    const element = this.takeIf(TAG.boolean);
    requireDer(element?.content[0] !== 0x00);
    return element !== undefined;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#elements.length;
  }

  /** Throws when fields are left. */
  finish(): void {
    requireDer(this.isAtEnd);
  }
}

/** Returns a reader for an element that must be a sequence. */
export function fieldsOf(element: DerElement): DerFields {
  return new DerFields([element]).sequence();
}

/** Reads each element of a list that must not be empty. */
export function readList<T>(element: DerElement, readItem: (item: DerElement) => T): readonly T[] {
  requireDer(element.children.length > 0);
  return element.children.map(readItem);
}

/** Converts content that is known to be a valid bit string. */
export function toBitString(content: Uint8Array): BitString {
  return { unusedBits: content[0]!, bytes: content.subarray(1) };
}
