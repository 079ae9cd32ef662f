/** Builders and vocabulary for JSON Schema 2020-12. Every object of the service is closed. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { MAX_URL_LENGTH } from '../../domain/machine/service-directory.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type Properties = Readonly<Record<string, JsonSchema>>;

/** Describes an object with these members and no others. All are required but those named in `optional`. */
export function closedObject(properties: Properties, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Adds a description to a schema, and an example of its value where one is given. */
export function described(schema: JsonSchema, description: string, example?: unknown): JsonSchema {
  return { ...schema, description, ...(example !== undefined && { examples: [example] }) };
}

export function listOf(items: JsonSchema, maxItems?: number): JsonSchema {
  return { type: 'array', items, ...(maxItems !== undefined && { maxItems }) };
}

/** Describes a string that is one of `words`. */
export function word(...words: readonly string[]): JsonSchema {
  return { type: 'string', enum: words };
}

/** Describes exactly this value. */
export function exactly(value: string | number | boolean): JsonSchema {
  return { type: typeof value, const: value };
}

/** Describes a value of `schema`, or null. Generators of clients accept this form, and not all of them a list of types. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Refers to a schema of `components` by name. */
export function refer(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export const TEXT: JsonSchema = { type: 'string' };
export const NONEMPTY_TEXT: JsonSchema = { type: 'string', minLength: 1 };
/** A sentence of the service. A test compares the length with all of them. */
export const SENTENCE: JsonSchema = { ...NONEMPTY_TEXT, maxLength: 300 };
/** A URL that others published; longer ones are not shown. */
export const PUBLISHED_URL: JsonSchema = { type: 'string', maxLength: MAX_URL_LENGTH };
export const FLAG: JsonSchema = { type: 'boolean' };
/** A number with 64 bits; generators that are not instructed choose 32, which lose digits. */
export const NUMBER: JsonSchema = { type: 'number', format: 'double' };
/** An integer that readers with 64-bit floats represent exactly. */
export const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const BYTE: JsonSchema = { ...COUNT, maximum: 255 };
/** Protocol chain ordinal. */
export const ORDINAL: JsonSchema = { ...COUNT, maximum: 65_535 };
/** A uint256 as a JSON number. Generated clients that read it as an integer of 64 bits would refuse the whole response. */
export const UINT256_NUMBER: JsonSchema = { ...NUMBER, minimum: 0, maximum: 2 ** 256 };
export const UNIX_SECONDS: JsonSchema = described(COUNT, 'Unix time in seconds.', 1_772_452_800);
/** A uint256 as text. */
export const DECIMAL_TEXT: JsonSchema = { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,77})$' };
export const HASH: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
export const UTC_DAY: JsonSchema = described(
  { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  'A UTC day.',
  '2026-03-02',
);

const EXAMPLE_ID = '42';
const EXAMPLE_ADDRESS = '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1';
export const EXAMPLE_HASH = `0x${'3f'.repeat(32)}`;

export const MACHINE_ID: JsonSchema = described(
  { type: 'string', pattern: '^[1-9][0-9]{0,77}$' },
  'Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.',
  EXAMPLE_ID,
);

export function machineDid(namespace: Namespace): JsonSchema {
  return described(
    { type: 'string', pattern: `^${didPattern(namespace)}[1-9][0-9]{0,77}$` },
    'The DID of a machine: its method and the canonical decimal id.',
    `did:${namespace.did_method}:${EXAMPLE_ID}`,
  );
}

export const BASE58_KEY: JsonSchema = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' };

export const ALT_KEY_TEXT: JsonSchema = described(
  BASE58_KEY,
  'An account of the alt chain: base58 of 32 bytes.',
  'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
);

/** An address of the main chain, or a key of the alt chain. */
export const ACCOUNT_TEXT: JsonSchema = {
  type: 'string',
  pattern: '^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
};

export const ADDRESS_TEXT: JsonSchema = described(
  { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  'An address of the main chain in EIP-55 spelling.',
  EXAMPLE_ADDRESS,
);

/** Describes the DID of an operator or of a legacy machine. */
export function addressDid(namespace: Namespace): JsonSchema {
  return described(
    { type: 'string', pattern: `^${didPattern(namespace)}0x[0-9a-fA-F]{40}$` },
    'The DID of an address of the main chain in EIP-55 spelling.',
    `did:${namespace.did_method}:${EXAMPLE_ADDRESS}`,
  );
}

/** Describes an operator as a path accepts it. */
export function operatorText(namespace: Namespace): JsonSchema {
  return described(
    { type: 'string', pattern: `^(?:${didPattern(namespace)})?0x[0-9a-fA-F]{40}$` },
    'The DID of an operator or its raw address, in any letter case.',
    `did:${namespace.did_method}:${EXAMPLE_ADDRESS}`,
  );
}

function didPattern({ did_method: method }: Namespace): string {
  return `did:${escapePattern(method)}:`;
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
