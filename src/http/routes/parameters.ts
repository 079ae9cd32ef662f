/**
 * Path and query parameters: strict parsing with one spelling per value and no coercion, and the error for every other spelling (http-facts 3).
 * A 422 item shows the caller's text, cut to 100 characters.
 */
import type { IncomingMessage } from 'node:http';
import { Fault, type InvalidParameter } from '../../domain/faults.ts';
import {
  MAX_MACHINE_ID,
  parseMachineDid,
  parseMachineId,
  type MachineId,
} from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';

const POSITIVE_DECIMAL = /^[1-9][0-9]*$/;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** Throws `MachineDidMalformed` for anything but `did:<method>:<canonical decimal id>`. */
export function requireMachineDid(text: string, namespace: Namespace): MachineId {
  const id = parseMachineDid(text, namespace);
  if (id === undefined) throw new Fault('MachineDidMalformed', {});
  return id;
}

/** Parses the DID of a machine or its bare decimal id. Throws `MachineDidMalformed`. */
export function requireMachineKey(text: string, namespace: Namespace): MachineId {
  return parseMachineId(text) ?? requireMachineDid(text, namespace);
}

/** Parses a path parameter that is a bare decimal id. Throws `ParametersInvalid`. `name` is that of the path. */
export function requireMachineId(text: string, name: string): MachineId {
  const id = parseMachineId(text);
  if (id !== undefined) return id;
  const at = ['path', name];
  if (text === '0') throw invalid(belowMinimum(at, text, 1));
  // A bound that a JSON number cannot hold is sent as a string.
  if (POSITIVE_DECIMAL.test(text)) throw invalid(aboveMaximum(at, text, String(MAX_MACHINE_ID)));
  throw invalid(notAnInteger(at, text));
}

/** Range and default of an integer parameter. The default `maximum` is 2^256 - 1. */
export interface IntegerRule {
  readonly name: string;
  readonly fallback: number;
  readonly minimum: number;
  readonly maximum?: number;
}

export interface DescribedIntegerRule extends IntegerRule {
  readonly description: string;
  /** Whether the description explains the default instead of its value. */
  readonly hidesFallback?: boolean;
}

/** The largest JSON number that a reader with 64-bit floats converts to an integer below 2^256. */
const LARGEST_FLOAT_PARAMETER = 2 ** 256 - 2 ** 203;

/** Describes the parameters that `requireIntegers` parses, for the OpenAPI document. */
export function describeIntegers(rules: readonly DescribedIntegerRule[]): Record<string, JsonSchema> {
  const describe = ({ description, fallback, hidesFallback = false, minimum, maximum }: DescribedIntegerRule) => ({
    ...{ type: 'integer', minimum, maximum: maximum ?? LARGEST_FLOAT_PARAMETER },
    ...(!hidesFallback && { default: fallback }),
    description,
  });
  return Object.fromEntries(rules.map((rule) => [rule.name, describe(rule)]));
}

/**
 * Parses integers of a query, in the order of the rules; ignores other parameters. Throws `ParametersInvalid` with all that are invalid.
 * A repeated parameter is not an integer.
 */
export function requireIntegers(query: string, rules: readonly IntegerRule[]): bigint[] {
  const given = new URLSearchParams(query);
  const parameters: InvalidParameter[] = [];
  const values = rules.map((rule) => {
    const texts = given.getAll(rule.name);
    if (texts.length === 0) return BigInt(rule.fallback);
    const problem = texts.length > 1 ? notAnInteger(['query', rule.name], texts.join()) : judgeInteger(texts[0]!, rule);
    if (problem === undefined) return BigInt(texts[0]!);
    parameters.push(problem);
    return 0n;
  });
  if (parameters.length > 0) throw new Fault('ParametersInvalid', { parameters });
  return values;
}

/** Parses an integer header; undefined when the request has none. Throws `ParametersInvalid`. */
export function requireIntegerHeader(
  { headers }: IncomingMessage,
  name: string,
  minimum: number,
  maximum: number,
): number | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  const at = ['header', name];
  if (typeof value !== 'string' || !INTEGER.test(value)) throw invalid(notAnInteger(at, String(value)));
  if (Number(value) < minimum) throw invalid(belowMinimum(at, value, minimum));
  if (BigInt(value) > maximum) throw invalid(aboveMaximum(at, value, maximum));
  return Number(value);
}

/**
 * Parses a comma list of words, each once; undefined when the parameter is absent or empty. Throws `ParametersInvalid` for any other word, and for a
 * repeated parameter.
 */
export function requireWords<const W extends string>(
  query: string,
  name: string,
  words: readonly W[],
): W[] | undefined {
  const texts = new URLSearchParams(query).getAll(name);
  const text = texts.join();
  if (text === '') return undefined;
  const given = text.split(',');
  const isWord = (word: string): word is W => (words as readonly string[]).includes(word);
  if (texts.length > 1 || !given.every(isWord)) {
    throw invalid({ at: ['query', name], problem: { kind: 'not-a-word', text, words } });
  }
  return [...new Set(given)];
}

/** Parses a text parameter; undefined when it is absent or empty. Throws `ParametersInvalid` where `parse` returns undefined, and for a repeated parameter. */
export function requireText<T>(
  query: string,
  name: string,
  expected: string,
  parse: (text: string) => T | undefined,
): T | undefined {
  const texts = new URLSearchParams(query).getAll(name);
  const text = texts.join();
  if (text === '') return undefined;
  const value = texts.length === 1 ? parse(text) : undefined;
  if (value === undefined) throw invalid({ at: ['query', name], problem: { kind: 'malformed', text, expected } });
  return value;
}

/** Converts to a position in a list. No list is longer than the largest safe integer, so larger values become that. */
export function toPosition(value: bigint): number {
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}

function judgeInteger(text: string, rule: IntegerRule): InvalidParameter | undefined {
  const at = ['query', rule.name];
  if (!INTEGER.test(text)) return notAnInteger(at, text);
  if (Number(text) < rule.minimum) return belowMinimum(at, text, rule.minimum);
  const maximum = rule.maximum ?? MAX_MACHINE_ID;
  if (BigInt(text) <= maximum) return undefined;
  return aboveMaximum(at, text, typeof maximum === 'bigint' ? String(maximum) : maximum);
}

/** Returns the fault for a body that is not JSON. `position` counts characters from the start, `reason` is a fixed text. */
export function jsonInvalid(position: number, reason: string): Fault {
  return invalid({ at: ['body', position], problem: { kind: 'not-json', reason } });
}

function invalid(parameter: InvalidParameter): Fault {
  return new Fault('ParametersInvalid', { parameters: [parameter] });
}

function notAnInteger(at: readonly string[], text: string): InvalidParameter {
  return { at, problem: { kind: 'not-an-integer', text } };
}

function belowMinimum(at: readonly string[], text: string, minimum: number): InvalidParameter {
  return { at, problem: { kind: 'below-minimum', text, minimum } };
}

function aboveMaximum(at: readonly string[], text: string, maximum: number | string): InvalidParameter {
  return { at, problem: { kind: 'above-maximum', text, maximum } };
}
