/** Compares a served explanation with the recomputed one, member by member. */
import { asObject, isArray, isObject, showSide, type Json, type JsonObject } from './replay-json.ts';

/** A member that differs; an absent side means that the member is missing there. */
export interface Difference {
  /** For example `factors[0].points_hundredths`. */
  readonly path: string;
  readonly served?: Json;
  readonly recomputed?: Json;
}

/** Objects to which the service may add members. */
const OPEN_OBJECTS: ReadonlySet<string> = new Set(['', 'inputs', 'inputs.block', 'inputs.rates']);
/** Members of the explanation that are not part of the rating. */
const NOT_RATED_MEMBERS: ReadonlySet<string> = new Set(['availability']);

export function compare(served: JsonObject, recomputed: JsonObject) {
  const differences: Difference[] = [];
  const unchecked: string[] = [];
  let compared = 0;

  const visit = (path: string, a: Json | undefined, b: Json | undefined): void => {
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(b), ...Object.keys(a)])) {
        const inner = path === '' ? name : `${path}.${name}`;
        if (NOT_RATED_MEMBERS.has(inner)) continue;
        if (!(name in b) && OPEN_OBJECTS.has(path)) unchecked.push(inner);
        else visit(inner, a[name], b[name]);
      }
    } else if (isArray(a) && isArray(b)) {
      for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
        visit(`${path}[${index}]`, a[index], b[index]);
      }
    } else {
      compared += 1;
      if (a === b) return;
      differences.push({
        path,
        ...(a === undefined ? {} : { served: a }),
        ...(b === undefined ? {} : { recomputed: b }),
      });
    }
  };
  visit('', { ...served, inputs: withLowerCaseHash(served['inputs']) }, recomputed);
  return { compared, differences, unchecked };
}

/** Normalizes the block hash, whose letter case is insignificant. */
function withLowerCaseHash(inputs: Json | undefined): Json {
  const object = asObject(inputs);
  const block = asObject(object['block']);
  return { ...object, block: { ...block, hash: showSide(block['hash']).toLowerCase() } };
}
