/** Metadata of events as a strict JSON object (design/scoring.md, Payout proof). */
import { parseStrictJson } from '../../json/strict-json.ts';

/** Returns the members whose values are texts; undefined unless the bytes are one strict JSON object of at most 32 levels. */
export function parseMetadataTexts(metadata: Uint8Array): ReadonlyMap<string, string> | undefined {
  const { value } = parseStrictJson(metadata);
  if (!(value instanceof Map)) return undefined;
  const members: ReadonlyMap<string, unknown> = value;
  return new Map([...members].filter((member): member is [string, string] => typeof member[1] === 'string'));
}
