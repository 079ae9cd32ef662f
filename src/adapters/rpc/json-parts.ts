/**
 * Parsing of long JSON in parts, so that no call of `JSON.parse` takes long. Every part is a run of whole items of one
 * object or list, parsed in brackets of its own; a container that is open where a part ends is parsed by itself. The
 * parts are accepted only when `JSON.parse` accepts the whole text, and give an equal value.
 */
import { parseJson } from '../../domain/json/json-values.ts';
import type { JsonScan, OpenContainer } from './json-scan.ts';

/** Replaces an item that is parsed by itself, in the text of the items around it. */
const PLACEHOLDER = '[]';

/**
 * Values of a text up to the position of its scan, which has accepted all that is parsed. The names are unique and have
 * no escapes.
 */
export class JsonParts {
  readonly #bytes: Buffer;
  readonly #scan: JsonScan;
  /** The text as a list of one value, and the containers that are open since the last part. */
  readonly #open: PartialContainer[];

  constructor(bytes: Buffer, scan: JsonScan) {
    this.#bytes = bytes;
    this.#scan = scan;
    this.#open = [new PartialContainer(bytes, scan.containerAt(0))];
  }

  /** Scans and parses the text up to this offset, as far as its items are whole. Returns false when it is refused. */
  moveTo(end: number): boolean {
    const scan = this.#scan;
    const open = this.#open;
    while (scan.at < end && !scan.isAtEnd) {
      const depth = open.length - 1;
      if (!scan.moveTo(end, depth)) return false;
      if (scan.depth < depth && !this.#close()) return false;
    }
    return scan.isAtEnd || this.#takeWholeItems();
  }

  /** Returns the value of the text whose scan has ended; undefined when it is not JSON. */
  finish(): unknown {
    const [text] = this.#open;
    if (this.#scan.depth > 0 || !text!.takeLast(this.#bytes.length)) return undefined;
    return (text!.value as unknown[])[0];
  }

  #close(): boolean {
    const closed = this.#open.pop()!;
    const { at } = this.#scan;
    this.#open.at(-1)!.insert(closed.value, at);
    return closed.takeLast(at - 1);
  }

  /** Parses the whole items of each open container. */
  #takeWholeItems(): boolean {
    const open = this.#open;
    for (let depth = open.length - 1; ; depth += 1) {
      const container = open[depth]!;
      if (!container.take(this.#scan.containerAt(depth).comma)) return false;
      if (depth === this.#scan.depth) return true;
      const inner = this.#scan.containerAt(depth + 1);
      if (!container.leaveOut(inner.from - 1)) return false;
      open.push(new PartialContainer(this.#bytes, inner));
    }
  }
}

/** An object or list of which some items are parsed. */
class PartialContainer {
  readonly value: unknown[] | Record<string, unknown>;
  readonly #bytes: Buffer;
  readonly #isObject: boolean;
  /** Offset of the text that is not parsed. */
  #from: number;
  #isStarted = false;
  /** Text before `#from`: of an item that is parsed by itself. */
  #lead = '';
  #item: unknown;

  constructor(bytes: Buffer, { isObject, from }: OpenContainer) {
    this.#bytes = bytes;
    this.#isObject = isObject;
    this.#from = from;
    this.value = isObject ? {} : [];
  }

  /** Parses the items up to this comma, none if it comes before them. Returns false when the text is not that of items. */
  take(comma: number): boolean {
    if (comma < this.#from) return true;
    const hasItems = this.#parse(comma);
    this.#from = comma + 1;
    this.#isStarted = true;
    return hasItems === true;
  }

  /** Parses the items up to the end. Returns false when the text is not that of items. */
  takeLast(end: number): boolean {
    const hasItems = this.#parse(end);
    return hasItems === true || (hasItems === false && !this.#isStarted);
  }

  /** Leaves out the next item, whose value begins at this offset. Returns false when no comma is between two of them. */
  leaveOut(at: number): boolean {
    if (this.#lead !== '') return false;
    this.#lead = this.#bytes.toString('utf8', this.#from, at) + PLACEHOLDER;
    return true;
  }

  /** Inserts the value of the item that was left out, which ends at this offset. */
  insert(item: unknown, end: number): void {
    this.#item = item;
    this.#from = end;
  }

  /** Parses items up to this offset. Returns whether there are any; undefined when the text is not that of items. */
  #parse(end: number): boolean | undefined {
    const text = this.#lead + this.#bytes.toString('utf8', this.#from, end);
    const items = parseJson(this.#isObject ? `{${text}}` : `[${text}]`) as typeof this.value | undefined;
    if (items === undefined) return undefined;
    if (this.#lead !== '') this.#replacePlaceholder(items);
    if (Array.isArray(items)) {
      for (const item of items) (this.value as unknown[]).push(item);
      return items.length > 0;
    }
    Object.assign(this.value, items);
    return Object.keys(items).length > 0;
  }

  #replacePlaceholder(items: unknown[] | Record<string, unknown>): void {
    if (Array.isArray(items)) items[0] = this.#item;
    else items[this.#lead.slice(this.#lead.indexOf('"') + 1, this.#lead.lastIndexOf('"'))] = this.#item;
    this.#lead = '';
    this.#item = undefined;
  }
}
