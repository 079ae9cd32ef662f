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
  const named = new Map([
    ...responses.map(([name, schema]) => [`${name}Response`, schema] as const),
    ...Object.entries<JsonSchema>(createPartSchemas(namespace)),
  ]);
  const interfaces = Array.from(named)
    .filter(([, { properties }]) => properties !== undefined)
    .map(([name, schema]) => ({ name, members: listMembers(schema) }));
  const declarations = Array.from(named, ([name, schema]) => renderDeclaration(name, schema, interfaces));
  const filepath = fileURLToPath(RESPONSE_TYPES);
  return format(`${HEADER}\n\n${declarations.join('\n\n')}`, { ...(await resolveConfig(filepath)), filepath });
}

/** Interface with the texts of its members. */
interface Interface {
  readonly name: string;
  readonly members: readonly string[];
}

function renderDeclaration(name: string, schema: JsonSchema, interfaces: readonly Interface[]): string {
  const comment = renderComment(schema);
  const own = interfaces.find((each) => each.name === name);
  if (own === undefined) return `${comment}export type ${name} = ${renderType(schema)}`;
  const base = findBase(own, interfaces);
  const members = own.members.filter((member) => base?.members.includes(member) !== true);
  return `${comment}export interface ${name}${base === undefined ? '' : ` extends ${base.name}`} {\n${members.join('')}}`;
}

/** Returns the interface with the most members of those whose members are some of its own. */
function findBase({ members }: Interface, interfaces: readonly Interface[]): Interface | undefined {
  return interfaces
    .filter((each) => each.members.length < members.length && each.members.every((member) => members.includes(member)))
    .toSorted((a, b) => b.members.length - a.members.length)[0];
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
      if (properties !== undefined) return `{\n${listMembers({ properties, required }).join('')}}`;
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

/** Renders the members of an object. Leaves out a member whose name the namespace chooses. */
function listMembers({ properties, required }: JsonSchema): string[] {
  return Object.entries(properties as Properties)
    .filter(([name]) => name !== ANY_WORD)
    .map(([name, member]) => {
      const mark = (required as readonly string[]).includes(name) ? '' : '?';
      return `${renderComment(member)}readonly ${name}${mark}: ${renderType(member)};\n`;
    });
}

function renderComment({ description }: JsonSchema): string {
  return typeof description === 'string' ? `/** ${description} */\n` : '';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(RESPONSE_TYPES, await renderResponseTypes());
}
