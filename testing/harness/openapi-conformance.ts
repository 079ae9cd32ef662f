/**
 * Compares responses with `/openapi.json`. An undocumented status, header or member fails, and so does a documented one that is missing.
 * The example of a response must have exactly the members of the response.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import type { Ctx } from '../../src/ports/ctx.ts';

interface HeaderDescription {
  readonly required: boolean;
  readonly schema: object;
}

interface ResponseDescription {
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseDescription>> }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ResponseDescription>>;
  };
}

/** A response as received; header names are in lower case, as `fetch`, Node's client and `inject` return them. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly text: string;
}

/** Headers that HTTP itself adds. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

/** The formats of OpenAPI name the size of a number for generators; they restrict no value. */
export const AJV_OPTIONS = { strict: true, strictTypes: false, formats: { double: true } } as const;

const JSON_MEDIA_TYPE = /^application\/(?:(?:\S+\+)?json|did-resolution)$/;

/** Schema id under which the validators know the document. */
const DOCUMENT_ID = 'openapi';

/** By paths and components: compiling the schemas takes far longer than checking a response. */
const conformances = new Map<string, OpenapiConformance>();

/** Returns the checks of a document; documents that differ only in their servers share them. */
export function conformanceOf({ paths, components }: OpenapiDocument): OpenapiConformance {
  const text = JSON.stringify({ paths, components });
  const known = conformances.get(text) ?? new OpenapiConformance(JSON.parse(text) as OpenapiDocument);
  conformances.set(text, known);
  return known;
}

const conformancesOfApps = new Map<string, Promise<OpenapiConformance>>();

/** Returns the checks of an application's document, which depends on the words of its `Ctx` and on which parts exist. */
export function conformanceOfApp(app: FastifyInstance, ctx: Ctx): Promise<OpenapiConformance> {
  const parts = Object.entries(ctx).filter(([, part]) => part !== undefined);
  const key = JSON.stringify([ctx.namespace, ctx.publicUrl, ctx.additions, parts.map(([name]) => name)]);
  const read = async () => conformanceOf((await app.inject('/openapi.json')).json());
  const known = conformancesOfApps.get(key) ?? read();
  conformancesOfApps.set(key, known);
  return known;
}

export class OpenapiConformance {
  readonly #document: OpenapiDocument;
  readonly #ajv = new Ajv2020({ ...AJV_OPTIONS, allErrors: true });
  readonly #validators = new Map<object, ValidateFunction>();
  /** The last accepted text by schema, so that the same text is not validated twice. */
  readonly #accepted = new Map<object, string>();
  readonly #patterns: readonly (readonly string[])[];

  constructor(document: OpenapiDocument) {
    // References name the document, so that each component is compiled once, whichever schemas refer to it.
    const text = JSON.stringify(document).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT_ID}#/`);
    this.#document = JSON.parse(text) as OpenapiDocument;
    this.#ajv.addKeyword('components');
    this.#ajv.addSchema({ components: this.#document.components }, DOCUMENT_ID);
    this.#patterns = Object.keys(document.paths).map((pattern) => pattern.split('/'));
  }

  /** Throws an error with all differences. `path` is as sent, percent-encoded or not; the query is ignored. */
  expectDocumented(method: string, path: string, response: ReceivedResponse): void {
    const described = this.#find(method, path.split('?')[0]!, response.status);
    const problems =
      described === undefined
        ? [`status ${response.status} is not documented`]
        : [...this.#checkHeaders(described, response), ...this.#checkBody(method, described, response)];
    if (problems.length > 0) throw new Error(`${method} ${path}, ${response.status}:\n${problems.join('\n')}`);
  }

  /** Throws an error when the documented example of this response has other members than the response itself. */
  expectExampleShape(method: string, path: string, { status, text }: Pick<ReceivedResponse, 'status' | 'text'>): void {
    const { schema } = this.#find(method, path.split('?')[0]!, status)?.content?.['application/json'] ?? {};
    const name = (schema as { readonly $ref?: string } | undefined)?.$ref?.split('/').at(-1);
    const component = this.#document.components.schemas[name ?? ''] as { readonly examples?: readonly unknown[] };
    const differences = findShapeDifferences(component.examples?.[0], JSON.parse(text), name ?? '');
    if (differences.length > 0) throw new Error(`${method} ${path}, ${status}:\n${differences.join('\n')}`);
  }

  #find(method: string, path: string, status: number): ResponseDescription | undefined {
    const { paths, components } = this.#document;
    const segments = path.split('/');
    const known = this.#patterns.find((pattern) => matches(pattern, segments))?.join('/');
    const isVerify = path.startsWith('/v1/verify/');
    const named = (name: string) => components.responses[isVerify ? `Verify${name}` : name];
    if (known === undefined)
      return status === 404 ? named('RouteUnknown') : status === 429 ? named('RateLimited') : undefined;
    // HEAD is GET without the body, except under Verify.
    const operation = paths[known]![method === 'HEAD' && !isVerify ? 'get' : method.toLowerCase()];
    if (operation !== undefined) return operation.responses[status];
    return status === 405 ? named('MethodNotAllowed') : status === 429 ? named('RateLimited') : undefined;
  }

  #checkHeaders({ headers = {} }: ResponseDescription, response: ReceivedResponse): string[] {
    const described = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
    const unknown = Object.keys(response.headers).filter(
      (name) => !TRANSPORT_HEADERS.has(name) && !described.has(name),
    );
    const problems = unknown.map((name) => `header ${name} is not documented`);
    for (const [name, { required, schema }] of described) {
      const value = response.headers[name];
      if (value === undefined && required) problems.push(`header ${name} is missing`);
      if (value !== undefined) problems.push(...this.#validate(schema, String(value), `header ${name}`));
    }
    return problems;
  }

  #checkBody(method: string, { content }: ResponseDescription, { headers, text }: ReceivedResponse): string[] {
    const type = headers['content-type'];
    if (content === undefined) return text === '' && type === undefined ? [] : ['a body that is not documented'];
    const [mediaType, ...parameters] = String(type).split('; ');
    const media = content[mediaType!];
    if (media === undefined) return [`content type ${String(type)} is not documented`];
    if (mediaType === 'application/json' && parameters.join() !== 'charset=utf-8') return ['no charset'];
    if (method === 'HEAD') return text === '' ? [] : ['a body after HEAD'];
    if (this.#accepted.get(media.schema) === text) return [];
    const problems = this.#validate(media.schema, JSON_MEDIA_TYPE.test(mediaType!) ? JSON.parse(text) : text, 'body');
    if (problems.length === 0) this.#accepted.set(media.schema, text);
    return problems;
  }

  #validate(schema: object, value: unknown, what: string): string[] {
    let validator = this.#validators.get(schema);
    if (validator === undefined) {
      validator = this.#ajv.compile(schema);
      this.#validators.set(schema, validator);
    }
    if (validator(value)) return [];
    return validator.errors!.map(({ instancePath, message, params }) => {
      return `${what}${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }
}

/** Lists where the members or types of two JSON values differ. Null has any type; each item of an example needs a counterpart. */
export function findShapeDifferences(example: unknown, actual: unknown, path: string): string[] {
  if (example === null || actual === null) return [];
  if (Array.isArray(example) && Array.isArray(actual)) {
    return example.flatMap((item, index) => {
      const attempts = actual.map((other) => findShapeDifferences(item, other, `${path}/${index}`));
      if (attempts.some((differences) => differences.length === 0)) return [];
      return attempts[0] ?? [`${path}/${index}: there is no item`];
    });
  }
  if (typeof example !== typeof actual) return [`${path}: ${typeof example} in the example, ${typeof actual} sent`];
  if (typeof example !== 'object') return [];
  const [documented, sent] = [example, actual].map((each) => Object.keys(each as object).join(', '));
  if (documented !== sent) return [`${path}: members ${documented} in the example, ${sent} sent`];
  const members = actual as Readonly<Record<string, unknown>>;
  return Object.entries(example).flatMap(([name, value]) =>
    findShapeDifferences(value, members[name], `${path}/${name}`),
  );
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((segment, index) => (segment.startsWith('{') ? segments[index] !== '' : segment === segments[index]))
  );
}
