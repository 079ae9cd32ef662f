/** How is the form of an answer written down? Helpers for JSON Schema 2020-12; every object is closed. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with these members, all required but those named, and no other. */
export function closedObject(properties: Properties, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** One of these words, or null. */
export function wordOrNull(words: readonly string[]): JsonSchema {
  return { type: ['string', 'null'], enum: [...words, null] };
}

export function word(...words: readonly string[]): JsonSchema {
  return { type: 'string', enum: words };
}

/** Exactly this value. */
export function exactly(value: string | number | boolean): JsonSchema {
  return { type: typeof value, const: value };
}

/** A schema of `components`, by name. */
export function refer(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export const TEXT: JsonSchema = { type: 'string' };
export const NONEMPTY_TEXT: JsonSchema = { type: 'string', minLength: 1 };
export const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
export const FLAG: JsonSchema = { type: 'boolean' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
export const INTEGER: JsonSchema = { type: 'integer' };
export const INTEGER_OR_NULL: JsonSchema = { type: ['integer', 'null'] };
export const COUNT_OR_NULL: JsonSchema = { type: ['integer', 'null'], minimum: 0 };
export const UNIX_SECONDS: JsonSchema = { type: 'integer', minimum: 0, description: 'Unix time in seconds.' };
export const DECIMAL_TEXT: JsonSchema = { type: 'string', pattern: '^(?:0|[1-9][0-9]*)$' };

export const MACHINE_ID: JsonSchema = {
  type: 'string',
  pattern: '^[1-9][0-9]{0,77}$',
  description: 'Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would round it.',
};

export function machineDid(namespace: Namespace): JsonSchema {
  return {
    type: 'string',
    pattern: `^did:${escapePattern(namespace.did_method)}:[1-9][0-9]{0,77}$`,
    description: 'The DID of a machine: its method and the canonical decimal id.',
  };
}

export const ALT_KEY_TEXT: JsonSchema = {
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description: 'An account of the alt chain: base58 of 32 bytes.',
};

export const ADDRESS_TEXT: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };

/** What is named by an address of the main chain: an operator, or a machine of the first generation. */
export function addressDid(namespace: Namespace): JsonSchema {
  return {
    type: 'string',
    pattern: `^did:${escapePattern(namespace.did_method)}:0x[0-9a-fA-F]{40}$`,
    description: 'A DID of an EVM address in EIP-55 spelling.',
  };
}

/** An operator as a path takes it. */
export function operatorText(namespace: Namespace): JsonSchema {
  const prefix = `did:${escapePattern(namespace.did_method)}:`;
  return {
    type: 'string',
    pattern: `^(?:${prefix})?0x[0-9a-fA-F]{40}$`,
    description: 'The DID of an operator or its raw address, in any letter case.',
  };
}

export function operatorDidOrNull(namespace: Namespace): JsonSchema {
  return {
    type: ['string', 'null'],
    pattern: `^did:${escapePattern(namespace.did_method)}:0x[0-9a-fA-F]{40}$`,
    description: 'The DID of the operator, an EVM address in EIP-55 spelling; null: none designated.',
  };
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
