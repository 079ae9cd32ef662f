/**
 * Renders the TypeScript types of responses from their JSON schemas. The service, the client and the pages share the rendered file;
 * a test compares it with the schemas.
 *
 *     node docs/render-response-types.ts
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { DEFAULT_NAMESPACE, type Namespace } from '../src/domain/identifiers/namespace.ts';
import type { JsonSchema, Properties } from '../src/http/schemas/json-schema.ts';
import { createPartSchemas, createResponseSchemas } from '../src/http/schemas/openapi.ts';

export const RESPONSE_TYPES = new URL('../src/http/wire/response-types.ts', import.meta.url);

const HEADER = `/**
 * Types of the JSON bodies of successful responses, and of their parts. Rendered from \`src/http/schemas\` by
 * \`node docs/render-response-types.ts\`; edit the schemas instead.
 */`;

/** Replaces every word of the namespace: a deployment chooses them, so a type may name none. */
const ANY_WORD = '*';

export async function renderResponseTypes(): Promise<string> {
  const namespace = Object.fromEntries(
    Object.keys(DEFAULT_NAMESPACE).map((name) => [name, ANY_WORD]),
  ) as unknown as Namespace;
  const responses = Object.entries<JsonSchema>(createResponseSchemas(namespace));
  const parts = Object.entries<JsonSchema>(createPartSchemas(namespace));
  const declarations = [
    ...responses.map(([name, schema]) => renderDeclaration(`${name}Response`, schema)),
    ...parts.map(([name, schema]) => renderDeclaration(name, schema)),
  ];
  const filepath = fileURLToPath(RESPONSE_TYPES);
  return format(`${HEADER}\n\n${declarations.join('\n\n')}`, { ...(await resolveConfig(filepath)), filepath });
}

function renderDeclaration(name: string, schema: JsonSchema): string {
  const isInterface = schema['properties'] !== undefined;
  const head = isInterface ? `export interface ${name} ` : `export type ${name} = `;
  return renderComment(schema) + head + renderType(schema);
}

function renderType(schema: JsonSchema): string {
  const { $ref: reference, const: constant, enum: words, anyOf, oneOf, type } = schema;
  if (typeof reference === 'string') return reference.split('/').at(-1)!;
  if (constant !== undefined) return constant === ANY_WORD ? 'string' : JSON.stringify(constant);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ');
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return alternatives.map((each) => renderType(each as JsonSchema)).join(' | ');
  if (type === undefined) return 'unknown';
  return [type]
    .flat()
    .map((each) => renderPlainType(each as string, schema))
    .join(' | ');
}

function renderPlainType(type: string, { properties, required, items, additionalProperties }: JsonSchema): string {
  switch (type) {
    case 'object':
      if (properties !== undefined) return renderMembers(properties as Properties, required as readonly string[]);
      return additionalProperties === undefined
        ? 'object'
        : `Readonly<Record<string, ${renderType(additionalProperties as JsonSchema)}>>`;
    case 'array':
      return `readonly (${renderType(items as JsonSchema)})[]`;
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

/** Leaves out a member whose name the namespace chooses. */
function renderMembers(properties: Properties, required: readonly string[]): string {
  const members = Object.entries(properties)
    .filter(([name]) => name !== ANY_WORD)
    .map(([name, member]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${renderComment(member)}readonly ${name}${mark}: ${renderType(member)};\n`;
    });
  return `{\n${members.join('')}}`;
}

function renderComment({ description }: JsonSchema): string {
  return typeof description === 'string' ? `/** ${description} */\n` : '';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(RESPONSE_TYPES, await renderResponseTypes());
}
