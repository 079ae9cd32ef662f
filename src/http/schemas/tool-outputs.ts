/** Schemas of what the tools for language models return: a response of the API with its block, or an error of the client. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { COUNT, DECIMAL_TEXT, described, NONEMPTY_TEXT, type JsonSchema, type Properties } from './json-schema.ts';
import { createPartSchemas, createResponseSchemas } from './openapi.ts';

/** Returns the schema of the output of a tool with this response, and everything that it refers to. */
export function describeToolOutput(namespace: Namespace, response: string): JsonSchema {
  const responses: Properties = createResponseSchemas(namespace);
  const answer = responses[response];
  if (answer === undefined) throw new Error(`no response is called ${response}`);
  const parts: Properties = createPartSchemas(namespace);
  const definitions = new Map<string, JsonSchema>();
  const collect = (schema: JsonSchema): JsonSchema => {
    const text = JSON.stringify(schema);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (definitions.has(name!)) continue;
      definitions.set(name!, {});
      definitions.set(name!, collect(parts[name!]!));
    }
    return JSON.parse(text, toOpenSchema) as JsonSchema;
  };
  const properties = { answer: collect(nameFacts(answer, namespace)), block: BLOCK, error: ERROR };
  return { type: 'object', properties, ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) };
}

const BLOCK: JsonSchema = {
  type: 'object',
  description: 'The block that the answer was computed at; absent where none applies.',
  properties: { number: DECIMAL_TEXT, age_seconds: COUNT },
  required: ['number', 'age_seconds'],
};
const ERROR: JsonSchema = {
  type: 'object',
  description: 'Present instead of an answer.',
  properties: {
    kind: described(NONEMPTY_TEXT, 'Only machine-not-found says something about a machine.', 'machine-not-found'),
    text: NONEMPTY_TEXT,
  },
  required: ['kind', 'text'],
};

/** A client of an older release accepts members that a newer one adds. Examples would lengthen every list of tools. */
function toOpenSchema(this: unknown, key: string, value: unknown): unknown {
  if (key === 'examples' || (key === 'additionalProperties' && value === false)) return undefined;
  return key === '$ref' ? (value as string).replace('#/components/schemas/', '#/$defs/') : value;
}

/** The client names the object `facts` that deployments name differently. */
function nameFacts(schema: JsonSchema, { profile_object: word }: Namespace): JsonSchema {
  const { properties, required } = schema as { readonly properties: Properties; readonly required: readonly string[] };
  if (properties[word] === undefined) return schema;
  const { [word]: facts, ...rest } = properties;
  return {
    ...schema,
    properties: { ...rest, facts },
    required: required.map((name) => (name === word ? 'facts' : name)),
  };
}
