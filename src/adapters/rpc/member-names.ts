/** Limits of the member names in JSON of an untrusted node. */

/** Exceeds the different names in all documented results together; `JSON.parse` takes long for each of them. */
const MAX_NAMES = 256;
const BACKSLASH = 0x5c;
const PROTO = Buffer.from('__proto__');

interface MemberName {
  /** Offsets of its first occurrence. */
  readonly from: number;
  readonly end: number;
  readonly hash: number;
  /** Number of the last object with this name, by depth. */
  readonly objects: number[];
  /** Name that followed this one the last time. */
  next: MemberName | undefined;
}

/**
 * Different member names of one text. Each name is compared with at most two others, whatever the text is: with the one
 * that followed the last name before, and with the one that has its hash. Two names with one hash are refused.
 */
export class MemberNames {
  readonly #bytes: Buffer;
  readonly #names: MemberName[] = [];
  #last: MemberName | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Records a name of the object, which is open at this depth; false if the object may not have it. */
  add(from: number, end: number, object: number, depth: number): boolean {
    const last = this.#last;
    const next = last?.next;
    const name = next !== undefined && this.#isAt(next, from, end) ? next : this.#findOrAdd(from, end);
    if (name === undefined || name.objects[depth] === object) return false;
    name.objects[depth] = object;
    if (last !== undefined) last.next = name;
    this.#last = name;
    return true;
  }

  #findOrAdd(from: number, end: number): MemberName | undefined {
    const bytes = this.#bytes;
    let hash = FNV_OFFSET;
    for (let at = from; at < end; at++) {
      if (bytes[at] === BACKSLASH) return undefined;
      hash = Math.imul(hash ^ bytes[at]!, FNV_PRIME);
    }
    for (const name of this.#names) if (name.hash === hash) return this.#isAt(name, from, end) ? name : undefined;
    if (this.#names.length === MAX_NAMES || equals(bytes, from, end, PROTO, 0, PROTO.length)) return undefined;
    const name: MemberName = { from, end, hash, objects: [], next: undefined };
    this.#names.push(name);
    return name;
  }

  #isAt(name: MemberName, from: number, end: number): boolean {
    return equals(this.#bytes, from, end, this.#bytes, name.from, name.end);
  }
}

/** FNV-1a with 32 bits. */
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Compares two ranges. Names of one object often share a prefix, so the comparison starts at the end. */
function equals(a: Buffer, aFrom: number, aEnd: number, b: Buffer, bFrom: number, bEnd: number): boolean {
  const length = aEnd - aFrom;
  if (length !== bEnd - bFrom) return false;
  for (let i = length - 1; i >= 0; i--) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}
