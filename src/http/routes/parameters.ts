/**
 * What did the caller put into the path and the query? Strict: one spelling per value, no coercion, and the answer for every
 * other spelling (http-facts 3). A 422 item shows the caller's text, cut to 100 characters.
 */
import { Fault, type ParameterIssue } from '../../domain/faults.ts';
import {
  MAX_MACHINE_ID,
  parseMachineDid,
  parseMachineId,
  type MachineId,
} from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';

const MAX_ECHO_CHARACTERS = 100;
const POSITIVE_DECIMAL = /^[1-9][0-9]*$/;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** Throws `MachineDidMalformed` for anything but `did:<method>:<canonical decimal id>`. */
export function requireMachineDid(text: string, namespace: Namespace): MachineId {
  const id = parseMachineDid(text, namespace);
  if (id === undefined) throw new Fault('MachineDidMalformed', {});
  return id;
}

/** Takes the DID of a machine or its bare decimal id. Throws `MachineDidMalformed`. */
export function requireMachineKey(text: string, namespace: Namespace): MachineId {
  return parseMachineId(text) ?? requireMachineDid(text, namespace);
}

/** Reads a path parameter that is a bare decimal id; throws `ParametersInvalid` for anything else. `name` as in the path. */
export function requireMachineId(text: string, name: string): MachineId {
  const id = parseMachineId(text);
  if (id !== undefined) return id;
  const loc = ['path', name];
  if (text === '0') throw invalid(tooSmall(loc, text, 1));
  // A bound that does not fit a JSON number is printed as a string.
  if (POSITIVE_DECIMAL.test(text)) throw invalid(tooLarge(loc, text, String(MAX_MACHINE_ID)));
  throw invalid(notAnInteger(loc, text));
}

/** `maximum` undefined: that of every integer, 2^256 - 1. */
export interface IntegerRule {
  readonly name: string;
  readonly fallback: number;
  readonly minimum: number;
  readonly maximum?: number;
}

/**
 * Reads integers of a query, in the order of the rules; other parameters are ignored. Throws `ParametersInvalid` with all issues.
 * A parameter that is given twice is no integer.
 */
export function requireIntegers(query: string, rules: readonly IntegerRule[]): bigint[] {
  const given = new URLSearchParams(query);
  const issues: ParameterIssue[] = [];
  const values = rules.map((rule) => {
    const texts = given.getAll(rule.name);
    if (texts.length === 0) return BigInt(rule.fallback);
    const issue = texts.length > 1 ? notAnInteger(['query', rule.name], texts.join()) : judgeInteger(texts[0]!, rule);
    if (issue === undefined) return BigInt(texts[0]!);
    issues.push(issue);
    return 0n;
  });
  if (issues.length > 0) throw new Fault('ParametersInvalid', { issues });
  return values;
}

/** A place in a list. No list is longer than a number counts exactly, so what lies beyond is past every end all the same. */
export function toPosition(value: bigint): number {
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}

function judgeInteger(text: string, rule: IntegerRule): ParameterIssue | undefined {
  const loc = ['query', rule.name];
  if (!INTEGER.test(text)) return notAnInteger(loc, text);
  if (Number(text) < rule.minimum) return tooSmall(loc, text, rule.minimum);
  const maximum = rule.maximum ?? MAX_MACHINE_ID;
  if (BigInt(text) <= maximum) return undefined;
  return tooLarge(loc, text, typeof maximum === 'bigint' ? String(maximum) : maximum);
}

/** The body is not JSON. `position` counts characters from the start, `problem` is a fixed text. */
export function jsonInvalid(position: number, problem: string): Fault {
  return invalid({
    type: 'json_invalid',
    loc: ['body', position],
    msg: 'JSON decode error',
    input: {},
    ctx: { error: problem },
  });
}

function invalid(issue: ParameterIssue): Fault {
  return new Fault('ParametersInvalid', { issues: [issue] });
}

function notAnInteger(loc: readonly string[], text: string): ParameterIssue {
  return { type: 'int_parsing', loc, msg: 'Input should be a valid integer', input: cut(text) };
}

function tooSmall(loc: readonly string[], text: string, ge: number): ParameterIssue {
  const msg = `Input should be greater than or equal to ${ge}`;
  return { type: 'greater_than_equal', loc, msg, input: cut(text), ctx: { ge } };
}

function tooLarge(loc: readonly string[], text: string, le: number | string): ParameterIssue {
  const msg = `Input should be less than or equal to ${le}`;
  return { type: 'less_than_equal', loc, msg, input: cut(text), ctx: { le } };
}

function cut(text: string): string {
  return text.slice(0, MAX_ECHO_CHARACTERS);
}
