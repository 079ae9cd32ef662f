/**
 * Renders the response types of the Python package and of the Go module from the JSON schemas of responses. A test compares the files with
 * the schemas.
 *
 *     node docs/render-client-types.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import type { JsonSchema, Properties } from '../src/http/schemas/json-schema.ts';
import { createPartSchemas, createResponseSchemas } from '../src/http/schemas/openapi.ts';

export const PYTHON_TYPES = new URL('../clients/python/svcos_client/responses.py', import.meta.url);
export const GO_TYPES = new URL('../clients/go/responses.go', import.meta.url);

const RENDERED = 'Rendered from the schemas of the service by `node docs/render-client-types.ts`; edit those instead.';

/** Type of a value, in terms that both languages have. */
type ValueType =
  | { readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'any' }
  | { readonly kind: 'words'; readonly words: readonly (string | number | boolean)[] }
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'list' | 'map'; readonly of: ValueType }
  | { readonly kind: 'union'; readonly of: readonly ValueType[] };

interface Member {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: ValueType;
  readonly isOptional: boolean;
}

/** A named type: an object with members, or another name of a value's type. */
interface Model {
  readonly name: string;
  readonly description: string | undefined;
  readonly members?: readonly Member[];
  readonly alias?: ValueType;
}

/** Lists the models of all responses and parts; an object inside another one becomes a model named after its place. */
function listModels(): Model[] {
  const models: Model[] = [];
  const schemas = { ...createPartSchemas(DEFAULT_NAMESPACE), ...createResponseSchemas(DEFAULT_NAMESPACE) };
  for (const [name, schema] of Object.entries<JsonSchema>(schemas)) addModel(name, schema, models);
  return models;
}

function addModel(name: string, schema: JsonSchema, models: Model[]): ValueType {
  const description = schema['description'] as string | undefined;
  if (schema['properties'] === undefined) {
    models.push({ name, description, alias: toType(name, { ...schema, description: undefined }, models) });
  } else {
    const required = (schema['required'] ?? []) as readonly string[];
    const members = Object.entries(schema['properties'] as Properties).map(([member, each]) => ({
      name: member,
      description: each['description'] as string | undefined,
      type: toType(name + toCamel(member), each, models),
      isOptional: !required.includes(member),
    }));
    models.push({ name, description, members });
  }
  return { kind: 'model', name };
}

function toType(place: string, schema: JsonSchema, models: Model[]): ValueType {
  const { $ref: reference, const: constant, enum: words, type, items, properties, additionalProperties } = schema;
  if (typeof reference === 'string') return { kind: 'model', name: reference.split('/').at(-1)! };
  if (constant !== undefined) return { kind: 'words', words: [constant as string] };
  if (Array.isArray(words)) return { kind: 'words', words: words as string[] };
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  if (alternatives !== undefined) {
    const named = alternatives.filter(({ type: each }) => each !== 'null').length > 1;
    return {
      kind: 'union',
      of: alternatives.map((each, at) =>
        toType(named && each['properties'] ? `${place}${at + 1}` : place, each, models),
      ),
    };
  }
  if (properties !== undefined) return addModel(place, schema, models);
  if (type === 'array') return { kind: 'list', of: toType(`${place}Item`, items as JsonSchema, models) };
  if (type === 'object') {
    const of =
      typeof additionalProperties === 'object' ? toType(place, additionalProperties as JsonSchema, models) : ANY;
    return { kind: 'map', of };
  }
  return type === undefined ? ANY : { kind: type as 'string' };
}

const ANY: ValueType = { kind: 'any' };

function toCamel(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Keywords among the names of members. */
const PYTHON_KEYWORDS = ['class', 'from'];

export function renderPythonTypes(): string {
  const blocks = listModels().map(({ name, description, members, alias }) => {
    if (alias !== undefined) return `${comment('# ', description)}${name} = ${toPython(alias)}\n`;
    const isKeyword = members!.some((member) => PYTHON_KEYWORDS.includes(member.name));
    const lines = members!.map((member) => {
      const type = member.isOptional ? `NotRequired[${toPython(member.type)}]` : toPython(member.type);
      const line = isKeyword ? `"${member.name}": ${type},` : `${member.name}: ${type}`;
      return `${comment('    # ', member.description)}    ${line}\n`;
    });
    if (isKeyword) return `${comment('# ', description)}${name} = TypedDict("${name}", {\n${lines.join('')}})\n`;
    return `class ${name}(TypedDict):\n    """${description ?? 'Part of a response.'}"""\n\n${lines.join('')}`;
  });
  return `"""Types of the JSON bodies of responses. ${RENDERED}"""\n\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n\n\n${blocks.join('\n\n')}`;
}

const PYTHON_NAMES = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None', any: 'Any' };

function toPython(type: ValueType): string {
  switch (type.kind) {
    case 'words':
      return `Literal[${type.words.map((word) => (typeof word === 'boolean' ? toCamel(String(word)) : JSON.stringify(word))).join(', ')}]`;
    case 'model':
      return `"${type.name}"`;
    case 'list':
      return `list[${toPython(type.of)}]`;
    case 'map':
      return `dict[str, ${toPython(type.of)}]`;
    case 'union':
      return `Union[${type.of.map(toPython).join(', ')}]`;
    default:
      return PYTHON_NAMES[type.kind];
  }
}

export function renderGoTypes(): string {
  const blocks = listModels().map(({ name, description, members, alias }) => {
    const head = comment(
      '// ',
      description === undefined ? `${name} is part of a response.` : `${name}: ${description}`,
    );
    if (alias !== undefined) return `${head}type ${name} ${toGo(alias)}\n`;
    const lines = members!.map(({ name: member, description: text, type, isOptional }) => {
      const written = isOptional ? pointer(toGo(type)) : toGo(type);
      const tag = `\`json:"${member}${isOptional ? ',omitempty' : ''}"\``;
      return `${comment('\t// ', text)}\t${toCamel(member)} ${written} ${tag}\n`;
    });
    return `${head}type ${name} struct {\n${lines.join('\n')}}\n`;
  });
  return `// ${RENDERED}\n\npackage svcos\n\nimport "encoding/json"\n\n${blocks.join('\n')}`;
}

const GO_NAMES = {
  ...{ string: 'string', integer: 'int64', number: 'float64', boolean: 'bool' },
  ...{ null: 'json.RawMessage', any: 'json.RawMessage' },
};

/** A value of several types stays JSON: Go has no unions. */
function toGo(type: ValueType): string {
  switch (type.kind) {
    case 'words':
      return GO_NAMES[typeof type.words[0] as 'string' | 'number' | 'boolean'].replace('float64', 'int64');
    case 'model':
      return type.name;
    case 'list':
      return `[]${toGo(type.of)}`;
    case 'map':
      return `map[string]${toGo(type.of)}`;
    case 'union': {
      const some = type.of.filter(({ kind }) => kind !== 'null');
      return some.length === 1 ? pointer(toGo(some[0]!)) : GO_NAMES.any;
    }
    default:
      return GO_NAMES[type.kind];
  }
}

function pointer(type: string): string {
  return /^(?:\*|\[|map|json)/.test(type) ? type : `*${type}`;
}

function comment(start: string, text: string | undefined): string {
  return text === undefined ? '' : `${start}${text}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(PYTHON_TYPES, renderPythonTypes());
  writeFileSync(GO_TYPES, renderGoTypes());
}
