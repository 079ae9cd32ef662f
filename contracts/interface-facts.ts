/** Parser for `interface-facts.md`: the functions, events and errors that the specification requires of each contract. */
import { readFileSync } from 'node:fs';
import type { AbiParameter } from 'viem';

export interface FunctionFact {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  readonly outputs: readonly AbiParameter[];
  readonly stateMutability: string;
  /** Selector in the specification; absent where the specification leaves the choice open. */
  readonly selector: string | undefined;
}

export interface EventFact {
  readonly name: string;
  readonly inputs: readonly (AbiParameter & { readonly indexed: boolean })[];
}

export interface ErrorFact {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  readonly selector: string | undefined;
}

export interface ContractFacts {
  readonly contract: string;
  readonly functions: readonly FunctionFact[];
  readonly events: readonly EventFact[];
  readonly errors: readonly ErrorFact[];
}

const FACTS_URL = new URL('interface-facts.md', import.meta.url);

/** A function ends at the end of its line, where its selector may follow as a comment. */
const FUNCTION =
  /function (\w+)\(([^)]*)\)\s*(view|pure)?\s*(?:returns \(([^)]*)\))?;[ \t]*(?:\/\/ *(0x[0-9a-f]{8}))?/g;
const EVENT = /event (\w+)\(([^)]*)\);/g;
const ERROR = /`(\w+)\(([^)]*)\)`(?: (0x[0-9a-f]{8}))?/g;
const STRUCT = /struct (\w+)\s*\{([^}]*)\}/g;
const ENUM = /enum (\w+)/g;
const HEADING = /^### 2\.\d+ (\w+)/m;
/** In a block with several contracts, a comment names the contract that follows. */
const NAMED_IN_BLOCK = /^\/\/ (IdentityRegistry|IdentityStaking|DidStore)\b/m;

/** Returns all contracts of the specification in order. */
export function readInterfaceFacts(): ContractFacts[] {
  const text = readFileSync(FACTS_URL, 'utf8');
  const toParameter = createParameterReader(text);
  const sections = text.split(/^(?=### )/m).slice(1);
  return sections.flatMap((section) => {
    const heading = HEADING.exec(section)?.[1];
    if (heading === undefined) throw new Error(`no contract heading in: ${section.slice(0, 40)}`);
    const code = [...section.matchAll(/^```solidity\n(.*?)^```/gms)].map((match) => match[1]!).join('\n');
    const errors = [...(/^Errors:.*$/m.exec(section)?.[0] ?? '').matchAll(ERROR)].map(([, name, inputs, selector]) => ({
      name: name!,
      inputs: toParameters(inputs!, toParameter),
      selector,
    }));
    return splitContracts(heading, code).map(({ contract, part }) => ({
      contract,
      functions: readFunctions(part, toParameter),
      events: readEvents(part, toParameter),
      errors,
    }));
  });
}

function splitContracts(heading: string, code: string): { contract: string; part: string }[] {
  const parts = code.split(/^(?=\/\/ \w)/m).filter((part) => NAMED_IN_BLOCK.test(part));
  if (parts.length === 0) return [{ contract: heading, part: code }];
  return parts.map((part) => ({ contract: NAMED_IN_BLOCK.exec(part)![1]!, part }));
}

type ParameterReader = (text: string) => AbiParameter & { indexed?: boolean };

function readFunctions(code: string, toParameter: ParameterReader): FunctionFact[] {
  return [...code.matchAll(FUNCTION)].map(([, name, inputs, mutability, outputs, selector]) => ({
    name: name!,
    inputs: toParameters(inputs!, toParameter),
    outputs: toParameters(outputs ?? '', toParameter),
    stateMutability: mutability ?? 'nonpayable',
    selector,
  }));
}

function readEvents(code: string, toParameter: ParameterReader): EventFact[] {
  return [...code.matchAll(EVENT)].map(([, name, inputs]) => ({
    name: name!,
    inputs: toParameters(inputs!, toParameter).map((input) => ({
      ...input,
      indexed: 'indexed' in input && input.indexed === true,
    })),
  }));
}

function toParameters(list: string, toParameter: ParameterReader): AbiParameter[] {
  return list.trim() === '' ? [] : list.split(',').map((text) => toParameter(text.trim()));
}

/** Parses `type [indexed] [name]`, with structs as tuples and enums as `uint8`. */
function createParameterReader(text: string): ParameterReader {
  const enums = new Set([...text.matchAll(ENUM)].map((match) => match[1]!));
  const structs = new Map([...text.matchAll(STRUCT)].map((match) => [match[1]!, match[2]!]));

  function toParameter(written: string): AbiParameter & { indexed?: boolean } {
    const [type = '', ...rest] = written.split(/\s+/);
    const isIndexed = rest[0] === 'indexed';
    const name = rest.at(isIndexed ? 1 : 0) ?? '';
    const [, base = '', array = ''] = /^(\w+)((?:\[\])*)$/.exec(type) ?? [];
    const members = structs.get(base);
    const indexed = isIndexed ? { indexed: true } : {};
    if (members === undefined) return { name, type: `${enums.has(base) ? 'uint8' : base}${array}`, ...indexed };
    return { name, type: `tuple${array}`, components: readMembers(members), ...indexed };
  }

  function readMembers(members: string): AbiParameter[] {
    return members
      .replaceAll(/\/\/.*$/gm, '')
      .split(';')
      .map((member) => member.trim())
      .filter((member) => member !== '')
      .map(toParameter);
  }

  return toParameter;
}
