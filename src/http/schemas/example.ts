/** Composes the example of a response from the examples of its members. */
import type { JsonSchema, Properties } from './json-schema.ts';

/**
 * Returns the example of a schema: its own, else its constant or first word, else one made of its members.
 * An optional member appears where its schema has an example. `parts` resolves references.
 */
export function exampleOf(schema: JsonSchema, parts: Properties): unknown {
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (typeof schema['$ref'] === 'string') return exampleOf(parts[schema['$ref'].split('/').at(-1)!]!, parts);
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return exampleOfAny(alternatives as readonly JsonSchema[], parts);
  if (schema['properties'] !== undefined) return exampleOfObject(schema, parts);
  if (schema['items'] !== undefined) return [exampleOf(schema['items'] as JsonSchema, parts)];
  return schema['minimum'];
}

/** Returns the example of the first alternative; null for a number without one that may be null. */
function exampleOfAny([first, ...others]: readonly JsonSchema[], parts: Properties): unknown {
  const isBareNumber = /^(?:integer|number)$/.test(String(first!['type'])) && first!['examples'] === undefined;
  return isBareNumber && others.some(({ type }) => type === 'null') ? null : exampleOf(first!, parts);
}

function exampleOfObject({ properties, required }: JsonSchema, parts: Properties): object {
  const members = Object.entries(properties as Properties).filter(
    ([name, member]) => (required as readonly string[]).includes(name) || member['examples'] !== undefined,
  );
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, parts)]));
}
