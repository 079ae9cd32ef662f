/** Reader of the service's OpenAPI document for the API reference. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface ResponseDescription extends Content {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface OperationDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, ResponseDescription>>;
}

export interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  /** Help texts by error kind. Descriptions of error responses list these kinds. */
  readonly 'x-errors'?: Readonly<Record<string, ErrorHelp>>;
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With parameters as `{name}`. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: readonly OperationResponse[];
  readonly errors: readonly OperationError[];
  /** Whether the route requires the onboarding token. */
  readonly needsToken: boolean;
}

export interface OperationResponse {
  readonly status: number;
  readonly mediaType: string;
  readonly schema: Schema;
}

export interface OperationError {
  readonly status: number;
  /** Error codes and fixed error texts. */
  readonly texts: readonly string[];
  readonly help: readonly ErrorHelp[];
}

const UNGROUPED = 'Routes';

/** Returns groups and operations in the order of the document. */
export function listGroups(document: ApiDocument): readonly (readonly [string, readonly Operation[]])[] {
  const groups = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const operation = toOperation(document, method, path, described);
      groups.set(operation.group, [...(groups.get(operation.group) ?? []), operation]);
    }
  }
  return [...groups];
}

function toOperation(
  document: ApiDocument,
  method: string,
  path: string,
  { operationId, tags, summary, parameters, requestBody, responses }: OperationDescription,
): Operation {
  const described = Object.entries(responses).map(([status, response]) => [Number(status), response] as const);
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    group: tags?.[0] ?? UNGROUPED,
    summary,
    parameters,
    body: requestBody?.content?.['application/json']?.schema,
    responses: described
      .filter(([status]) => status < 300)
      .flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([mediaType, { schema }]) => ({ status, mediaType, schema })),
      ),
    errors: described
      .filter(([status]) => status >= 400)
      .map(([status, response]) => toError(document, status, response)),
    needsToken: responses['401']?.headers?.['WWW-Authenticate'] !== undefined,
  };
}

function toError(document: ApiDocument, status: number, { description, content = {} }: ResponseDescription) {
  const schemas = Object.values(content).flatMap(({ schema }) => schema.anyOf ?? [schema]);
  const known = document['x-errors'] ?? {};
  return {
    status,
    texts: [...new Set(schemas.flatMap(findText))],
    help: description.split(', ').flatMap((kind) => known[kind] ?? []),
  };
}

/** Returns what identifies an error: its code, or its fixed text if it has none. */
function findText({ properties = {} }: Schema): string[] {
  const detail = properties['detail'] ?? properties['error'];
  const text = detail?.properties?.['code'] ?? detail;
  if (typeof text?.const === 'string') return [text.const];
  return text?.pattern === undefined ? [] : [toReadablePattern(text.pattern)];
}

/** Converts the pattern of an error text with numbers to a readable form. */
function toReadablePattern(pattern: string): string {
  return pattern.replaceAll('\\d+', 'N').replaceAll(/^\^|\$$|\\/g, '');
}

/** Resolves a `$ref`. A schema or null becomes that schema with null as one of its types. */
export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const whole = name === undefined ? schema : (document.components.schemas[name] ?? {});
  const [some, none, ...others] = whole.anyOf ?? [];
  if (some === undefined || none?.type !== 'null' || others.length > 0) return whole;
  const { type, enum: values, ...rest } = resolve(document, some);
  if (type === undefined || rest.const !== undefined) return whole;
  const { description = rest.description } = whole;
  return {
    ...rest,
    type: [...[type].flat(), 'null'],
    ...(values && { enum: [...values, null] }),
    ...(description !== undefined && { description }),
  };
}

/** Returns the example of a response; undefined where the document has none. */
export function findExample(document: ApiDocument, schema: Schema): unknown {
  return schema.examples?.[0] ?? resolve(document, schema).examples?.[0];
}

/** Returns a short name of the type, without its members. */
export function nameType({
  type,
  const: constant,
  enum: values,
  minimum,
  maximum,
  items,
  anyOf,
  oneOf,
}: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' or ');
  if ((anyOf ?? oneOf) !== undefined) return 'one of the following';
  if (type === undefined) return 'any value';
  const name = [type].flat().join(' or ');
  if (name === 'array' && items !== undefined) return `array of ${nameType(items)}`;
  if (maximum !== undefined) return `${name}, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined || minimum === 0 ? name : `${name}, at least ${minimum}`;
}

/**
 * Returns the first candidate that matches the schema, or else a placeholder of its type. Leaves out optional members.
 */
export function sampleOf(document: ApiDocument, schema: Schema, candidates: readonly string[]): unknown {
  const {
    type,
    const: constant,
    enum: values,
    default: usual,
    pattern,
    minimum,
    properties = {},
    required = Object.keys(properties),
    items,
  } = resolve(document, schema);
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  if (usual !== undefined) return usual;
  switch ([type].flat()[0]) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, sampleOf(document, properties[name] ?? {}, candidates)]));
    case 'array':
      return items === undefined ? [] : [sampleOf(document, items, candidates)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 0;
    default:
      return pattern === undefined ? '…' : (candidates.find((text) => new RegExp(pattern).test(text)) ?? '…');
  }
}

/**
 * Returns the path with its parameters filled in; undefined if a path parameter is missing. Omits empty query
 * parameters.
 */
export function fillPath(
  { path, parameters }: Operation,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const given = parameters.filter(({ name }) => (values[name] ?? '') !== '');
  if (parameters.some((parameter) => parameter.in === 'path' && !given.includes(parameter))) return undefined;
  const target = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name }) => text.replace(`{${name}}`, () => encodePart(values[name]!)), path);
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => `${encodePart(name)}=${encodePart(values[name]!)}`);
  return query.length === 0 ? target : `${target}?${query.join('&')}`;
}

/** Leaves colons as they are: a path allows them, and DIDs contain two. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%3A', ':');
}

export interface CurlRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly body?: string | undefined;
  readonly hasToken?: boolean;
}

/** Returns the request as a curl command. The token appears as a shell variable only. */
export function formatCurl({ method, url, body, hasToken = false }: CurlRequest): string {
  return [
    'curl -s',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(hasToken ? ['-H "Authorization: Bearer $SVC_ONBOARDING_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-binary ${quote(body)}`]),
    quote(url),
  ].join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
