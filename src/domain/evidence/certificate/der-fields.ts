/**
 * How are the fields of a sequence read? One after another, each with the type it must have (RFC 5280, appendix A).
 * Every method throws `DerInvalid` when the next element is something else.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DerInvalid, requireDer, TAG, type DerElement } from './der.ts';

/** Bits as they are written, and how many at the end stand for nothing. */
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

  /** The next element, which has the tag. */
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

  /** The next element if it has the tag. */
  takeIf(tag: number): DerElement | undefined {
    const element = this.#elements[this.#at];
    if (element?.tag !== tag) return undefined;
    this.#at++;
    return element;
  }

  /** The fields of the sequence that comes next. */
  sequence(): DerFields {
    return new DerFields(this.take(TAG.sequence).children);
  }

  /** Hex of the content of an identifier; `object-identifiers.ts` has the names. */
  objectIdentifier(): string {
    return bytesToHex(this.take(TAG.objectIdentifier).content);
  }

  bitString(): BitString {
    return toBitString(this.take(TAG.bitString).content);
  }

  /** A boolean whose default is false: `FALSE` must not be written out. */
  flag(): boolean {
    const element = this.takeIf(TAG.boolean);
    requireDer(element?.content[0] !== 0x00);
    return element !== undefined;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#elements.length;
  }

  /** Nothing may be left. */
  finish(): void {
    requireDer(this.isAtEnd);
  }
}

/** The fields of one sequence and nothing else. */
export function fieldsOf(element: DerElement): DerFields {
  return new DerFields([element]).sequence();
}

/** Reads each element of a sequence that has at least one. */
export function readList<T>(element: DerElement, readItem: (item: DerElement) => T): readonly T[] {
  requireDer(element.children.length > 0);
  return element.children.map(readItem);
}

/** Of a content that is known to be a bit string's. */
export function toBitString(content: Uint8Array): BitString {
  return { unusedBits: content[0]!, bytes: content.subarray(1) };
}
