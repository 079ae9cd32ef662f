/**
 * Reads the results of large JSON-RPC responses in place. Every id must have exactly one result; anything else is left
 * to the general parser.
 */
import { IrregularJson, JsonCursor } from './json-cursor.ts';

/** Reads one result at the cursor. Throws `IrregularJson` when it has another form. */
export type ResultReader = (json: JsonCursor) => unknown;

/** Returns the results in the order of the ids; undefined when the body holds an error or anything unexpected. */
export function readResults(body: Buffer, ids: readonly number[], read: ResultReader): unknown[] | undefined {
  const json = new JsonCursor(body);
  const byId = new Map<number, unknown>();
  try {
    if (ids.length === 1) readResponse(json, read, byId);
    else {
      json.enterList();
      while (json.nextItem()) readResponse(json, read, byId);
    }
    if (!json.isAtEnd || byId.size !== ids.length) return undefined;
  } catch (error) {
    if (error instanceof IrregularJson) return undefined;
    throw error;
  }
  return ids.every((id) => byId.has(id)) ? ids.map((id) => byId.get(id)) : undefined;
}

const VERSION = Buffer.from('jsonrpc');
const ID = Buffer.from('id');
const RESULT = Buffer.from('result');

function readResponse(json: JsonCursor, read: ResultReader, byId: Map<number, unknown>): void {
  let version: string | undefined;
  let id: number | undefined;
  let results = 0;
  let result: unknown;
  json.enterObject();
  while (json.nextMember()) {
    if (json.isNamed(VERSION)) version = json.takeText();
    else if (json.isNamed(ID)) id = json.takeInteger();
    else if (json.isNamed(RESULT)) {
      result = read(json);
      results += 1;
    } else throw new IrregularJson();
  }
  if (version !== '2.0' || id === undefined || results !== 1 || byId.has(id)) throw new IrregularJson();
  byId.set(id, result);
}
