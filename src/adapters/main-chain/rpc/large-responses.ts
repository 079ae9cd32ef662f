/**
 * Reads JSON-RPC responses in place, so that a large result is never a tree of objects. Each id must have at most one
 * entry; a body of any other form is left to the general parser.
 */
import { IrregularJson, JsonCursor } from './json-cursor.ts';

/** Reads one result at the cursor. Throws `IrregularJson` when it has another form. */
export type ResultReader = (json: JsonCursor) => unknown;

/** Entry of a response: a result that its reader has read, or the JSON text of an error or of another result. */
export type ResponseEntry =
  { readonly kind: 'read'; readonly value: unknown } | { readonly kind: 'result' | 'error'; readonly text: Buffer };

/** Longest text that is parsed afterwards. */
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Returns the entries by id; undefined when the body has another form. `readers` has the reader of each id, undefined
 * for results that are returned as text.
 */
export function readEntries(
  body: Buffer,
  readers: ReadonlyMap<number, ResultReader | undefined>,
): Map<number, ResponseEntry> | undefined {
  const json = new JsonCursor(body);
  const byId = new Map<number, ResponseEntry>();
  try {
    if (readers.size === 1) readEntry(json, readers, byId);
    else {
      json.enterList();
      while (json.nextItem()) readEntry(json, readers, byId);
    }
    return json.isAtEnd ? byId : undefined;
  } catch (error) {
    if (error instanceof IrregularJson) return undefined;
    throw error;
  }
}

const VERSION = Buffer.from('jsonrpc');
const ID = Buffer.from('id');
const RESULT = Buffer.from('result');
const ERROR = Buffer.from('error');
const NAMES = [VERSION, ID, RESULT, ERROR];
const NULL = Buffer.from('null');

function readEntry(
  json: JsonCursor,
  readers: ReadonlyMap<number, ResultReader | undefined>,
  byId: Map<number, ResponseEntry>,
): void {
  let version: string | undefined;
  let id: number | undefined;
  let result: ResponseEntry | undefined;
  let error: Buffer | undefined;
  json.enterObject();
  while (json.nextMember()) {
    if (json.isNamed(VERSION) && version === undefined) version = json.takeText();
    else if (json.isNamed(ID) && id === undefined) id = json.takeId();
    else if (json.isNamed(RESULT) && result === undefined) {
      const read = id === undefined ? undefined : readers.get(id);
      result = read === undefined ? { kind: 'result', text: json.takeSlice() } : { kind: 'read', value: read(json) };
    } else if (json.isNamed(ERROR) && error === undefined) error = json.takeSlice();
    else if (NAMES.some((name) => json.isNamed(name))) throw new IrregularJson();
    else json.skip();
  }
  const entry = chooseMember(result, error);
  if (version !== '2.0' || id === undefined || entry === undefined) throw new IrregularJson();
  if (!readers.has(id) || byId.has(id)) throw new IrregularJson();
  byId.set(id, readDeferred(entry, readers.get(id)));
}

/** Some nodes send both members, of which one is null. Returns undefined where both or none have a value. */
function chooseMember(result: ResponseEntry | undefined, error: Buffer | undefined): ResponseEntry | undefined {
  if (error === undefined || error.equals(NULL)) return result;
  const isEmpty = result === undefined || (result.kind === 'result' && result.text.equals(NULL));
  return isEmpty ? { kind: 'error', text: error } : undefined;
}

/** Reads a result whose id came after it. */
function readDeferred(entry: ResponseEntry, read: ResultReader | undefined): ResponseEntry {
  if (entry.kind === 'read') return entry;
  if (entry.kind === 'result' && read !== undefined) {
    const json = new JsonCursor(entry.text);
    return { kind: 'read', value: read(json) };
  }
  if (entry.text.length > MAX_TEXT_BYTES) throw new IrregularJson();
  return entry;
}
