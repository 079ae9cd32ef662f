/**
 * Request generator for OpenAPI fuzzing: valid, nearly valid and invalid requests to every route of `/openapi.json`, all from one seed. The
 * document determines the requests; the world provides existing ids.
 */
import type { Random } from '../../sim/random.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface FuzzedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Existing ids and addresses as they appear in paths, and tokens. */
export interface FuzzedWorld {
  readonly values: readonly string[];
  readonly tokens: readonly string[];
}

export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const HOSTILE_TEXTS = [
  ...['', '0', '-1', '007', '1e3', '0x10', '1.0', 'NaN', 'null', 'true', ' 5', '5 ', '٥', '\u0000', '\u202e5', '💩'],
  ...['did:svc:', 'did:svc:0', 'DID:SVC:1', 'did:svc:1:2', 'did:web:1', '../..', '..%2f', '%00', '%2535', '%', '%zz'],
  ...["' OR 1=1 --", '<script>', '${7*7}', '{{7*7}}', '__proto__', 'constructor', '$ref', 'http://169.254.169.254/'],
  ...[
    String(2n ** 256n - 1n),
    String(2n ** 256n),
    '9'.repeat(78),
    '9'.repeat(1000),
    `0x${'f'.repeat(40)}`,
    `0x${'0'.repeat(40)}`,
  ],
  ...[
    '1'.repeat(32),
    '1'.repeat(44),
    'z'.repeat(44),
    'NaN',
    'Infinity',
    '2147483648',
    '9007199254740993',
    '18446744073709551616',
  ],
];
const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'accept',
    ['*/*', 'text/html', 'application/json', 'application/json;q=0', ';;;', 'a/b, */*;q=0.1', 'x'.repeat(2000)],
  ],
  ['accept-encoding', ['gzip', 'identity;q=0', 'br, *;q=0', '\u00ff']],
  ['content-type', ['application/json', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '']],
  ['content-encoding', ['gzip', 'identity', 'x']],
  ['if-none-match', ['*', '"x"', 'W/"x"', '"', 'x,'.repeat(500)]],
  ['if-modified-since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday']],
  ['range', ['bytes=0-0', 'bytes=9-1', 'x']],
  ['origin', ['https://a.example', 'null']],
  ['access-control-request-method', ['PUT', 'x']],
  ['x-forwarded-for', ['127.0.0.1', '::1, 10.0.0.1', 'x'.repeat(300)]],
  ['authorization', ['Bearer ', 'Bearer x', 'Basic eDp5', 'bearer', '\u00e9']],
  ['cookie', ['a=b', 'a='.repeat(1000)]],
  ['x-http-method-override', ['DELETE']],
];
const MAX_RANDOM_BYTES = 300;
const OVERLONG_BYTES = 40_000;

/** Returns a function that creates the next request; the same seed gives the same sequence. A stream, which does not end, is not requested. */
export function createFuzz(document: FuzzedDocument, world: FuzzedWorld, random: Random): () => FuzzedRequest {
  const isStream = ({ responses }: Operation) => responses['200']?.content?.['text/event-stream'] !== undefined;
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

  function text(schema: Schema | undefined): string {
    switch (random.weigh({ existing: 6, described: 3, hostile: 3, spoilt: 3, noise: 1 })) {
      case 'existing':
        return random.pick(world.values);
      case 'described':
        return String(describedValue(schema ?? {}));
      case 'hostile':
        return random.pick(HOSTILE_TEXTS);
      case 'spoilt':
        return spoilText(random.pick(world.values));
      case 'noise':
        return noise(random.skewed(MAX_RANDOM_BYTES)).toString('latin1');
    }
  }

  function noise(bytes: number): Buffer {
    return Buffer.from(random.hex(bytes), 'hex');
  }

  /** Inserts, removes or replaces one letter, or changes the whole text. */
  function spoilText(whole: string): string {
    const at = random.integer(0, whole.length);
    const letter = random.pick([...Array.from('0aFz:/ %.é'), '\n', '\u0000']);
    return random.pick([
      whole.slice(0, at) + letter + whole.slice(at),
      whole.slice(0, at) + whole.slice(at + 1),
      whole.slice(0, at) + letter + whole.slice(at + 1),
      whole.toUpperCase(),
      whole + whole,
    ]);
  }

  /** Returns a value of the schema or close to it. */
  function describedValue(schema: Schema): unknown {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return random.pick(schema.enum);
    if (schema.anyOf !== undefined) return describedValue(random.pick(schema.anyOf));
    switch ([schema.type].flat()[0]) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, each]) => [name, describedValue(each)]),
        );
      case 'integer':
        return random.pick([
          schema.minimum ?? -5,
          schema.maximum ?? 2 ** 40,
          random.integer(-5, 200),
          Math.floor(Date.now() / 1000),
        ]);
      case 'boolean':
        return random.chance(0.5);
      case 'string':
        return matchingText(schema.pattern);
      default:
        return random.pick(world.values);
    }
  }

  /** Returns hex of the right length where the pattern requires it, else an existing value. */
  function matchingText(pattern: string | undefined): string {
    const digits = /\[0-9a-fA?-?F?\]\{(\d+)\}/.exec(pattern ?? '')?.[1];
    if (digits !== undefined) return `0x${random.hex(Math.ceil(Number(digits) / 2)).slice(0, Number(digits))}`;
    return random.pick(world.values);
  }

  function body(schema: Schema): Buffer {
    const value = describedValue(schema);
    switch (random.weigh({ whole: 6, spoilt: 4, hostile: 3, noise: 2, overlong: 1 })) {
      case 'whole':
        return Buffer.from(JSON.stringify(value));
      case 'spoilt':
        return Buffer.from(spoilText(JSON.stringify(value)));
      case 'hostile':
        return Buffer.from(JSON.stringify(spoilMember(value)));
      case 'noise':
        return noise(random.skewed(MAX_RANDOM_BYTES));
      case 'overlong':
        return Buffer.from(JSON.stringify({ ...(value as object), more: 'x'.repeat(OVERLONG_BYTES) }));
    }
  }

  /** Replaces, removes or adds one member. */
  function spoilMember(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return random.pick([null, 1, [], {}, 'x', true]);
    const members = Object.entries(value);
    if (members.length === 0 || random.chance(0.1)) return { ...value, [text(undefined)]: text(undefined) };
    const [name, old] = random.pick(members);
    const other = random.pick([
      null,
      -1,
      1.5,
      1e300,
      [],
      {},
      '',
      random.pick(HOSTILE_TEXTS),
      spoilMember(old),
      undefined,
    ]);
    return { ...value, [name]: other };
  }

  function query(parameters: readonly Parameter[]): string {
    if (random.chance(0.6)) return '';
    const parts = Array.from({ length: random.integer(1, 3) }, () => {
      const known = parameters.filter((each) => each.in === 'query');
      if (known.length === 0 || random.chance(0.2)) return `${encode(text(undefined))}=${encode(text(undefined))}`;
      const { name, schema } = random.pick(known);
      return random.chance(0.05) ? name : `${name}=${encode(text(schema))}`;
    });
    return `?${parts.join('&')}`;
  }

  /** Percent-encodes a value, sometimes not where a path may contain it raw. */
  function encode(value: string): string {
    const encoded = encodeURIComponent(value.toWellFormed());
    return random.chance(0.3) && /^[\x21\x24-\x3e\x40-\x7e]*$/.test(value) ? value : encoded;
  }

  return () => {
    const { path, method, operation } = random.pick(routes);
    const { parameters = [], requestBody } = operation;
    const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(text(schemas.get(name))));
    const target = random.chance(0.02) ? `${filled}/${encode(text(undefined))}` : filled;
    const used = random.chance(0.9) ? method : random.pick(METHODS);
    const headers: Record<string, string> = {};
    if (random.chance(0.4)) {
      for (let count = random.integer(1, 3); count > 0; count--) {
        const [name, values] = random.pick(HEADERS);
        headers[name] = random.pick(values);
      }
    }
    const schema = requestBody?.content['application/json']?.schema;
    if (schema !== undefined && random.chance(0.9)) {
      headers['authorization'] ??= `Bearer ${random.pick(world.tokens)}`;
      headers['content-type'] ??= 'application/json';
    }
    const hasBody = used !== 'GET' && used !== 'HEAD' && random.chance(0.95);
    return { method: used, path: target + query(parameters), headers, body: hasBody ? body(schema ?? {}) : undefined };
  };
}
