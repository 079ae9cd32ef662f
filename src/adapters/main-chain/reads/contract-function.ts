/**
 * Strict ABI codec of a contract function. Viem ignores dirty upper bits of addresses and small integers, so every word
 * is decoded as uint256 and narrowed here. Text that is not UTF-8 becomes U+FFFD, because anyone can write strings to a
 * chain.
 */
import type {
  Abi,
  AbiFunction,
  AbiParameter,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionReturnType,
  Hex,
} from 'viem';
import { concatHex, decodeAbiParameters, encodeAbiParameters, toFunctionSignature } from 'viem/utils';
import { keccak256 } from '../../../domain/index-rules/keccak.ts';
import { requireLayout, toLayout } from './abi-layout.ts';

export interface ContractFunction<Args, Result> {
  readonly selector: Hex;
  encode(args: Args): Hex;
  /** Returns undefined when the data does not have the form of the ABI. */
  decode(data: Hex): Result | undefined;
}

/**
 * Returns the function `name` of `abi`. Integers above 48 bits decode to bigint, addresses to lower case, structs to
 * objects.
 */
export function contractFunction<const abi extends Abi, name extends ContractFunctionName<abi>>(
  abi: abi,
  name: name,
): ContractFunction<
  ContractFunctionArgs<abi, 'view' | 'payable', name>,
  ContractFunctionReturnType<abi, 'view' | 'payable', name>
> {
  const item = abi.find((entry): entry is AbiFunction => entry.type === 'function' && entry.name === name)!;
  const selector = hashSignature(toFunctionSignature(item)).slice(0, SELECTOR_DIGITS) as Hex;
  const decodeOutputs = createDecoder(item.outputs);
  const takesOneNumber = item.inputs.length === 1 && item.inputs[0]!.type === 'uint256';
  return {
    selector,
    encode: (args) =>
      takesOneNumber
        ? `${selector}${encodeNumber((args as readonly [bigint])[0])}`
        : concatHex([selector, encodeAbiParameters(item.inputs, args as readonly unknown[])]),
    decode(data) {
      const values = decodeOutputs(data);
      return (values?.length === 1 ? values[0] : values) as
        ContractFunctionReturnType<abi, 'view' | 'payable', name> | undefined;
    },
  };
}

/** `0x` and four bytes. */
const SELECTOR_DIGITS = 2 + 8;

/** Returns the Keccak-256 hash that identifies a function or an event on the chain. */
export function hashSignature(signature: string): Hex {
  return `0x${Buffer.from(keccak256(Buffer.from(signature))).toString('hex')}`;
}

/** Returns a decoder of exactly these values; it returns undefined when the data does not have their form. */
export function createDecoder(parameters: readonly AbiParameter[]): (data: Hex) => readonly unknown[] | undefined {
  const wide = parameters.map(widen);
  const layout = toLayout(parameters);
  const [only] = parameters;
  if (parameters.length === 1 && SCALAR_WORD.test(only!.type)) return (data) => decodeWord(only!.type, data);
  return (data) => {
    if (layout.kind === 'static' && data.length !== 2 + 2 * layout.bytes) return undefined;
    const bytes = Buffer.from(data.slice(2), 'hex');
    // Stops at the first character that is no digit.
    if (2 + 2 * bytes.length !== data.length) return undefined;
    try {
      if (layout.kind !== 'static') requireLayout(layout, bytes);
      const values: readonly unknown[] = decodeAbiParameters(wide, bytes);
      return parameters.map((parameter, i) => narrowValue(parameter, values[i]));
    } catch {
      return undefined;
    }
  };
}

class DirtyWord extends Error {}

const SCALAR_WORD = /^(address|bool|uint\d+)$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;
const WORD_LENGTH = 2 + 64;

/** Decodes one word without viem: the fast path, because most results are one word. */
function decodeWord(type: string, data: Hex): readonly unknown[] | undefined {
  // The pattern copies a text that was cut out of another one.
  if (data.length !== WORD_LENGTH || !WORD.test(data)) return undefined;
  try {
    return [narrowWord(type, BigInt(data))];
  } catch (error) {
    if (error instanceof DirtyWord) return undefined;
    throw error;
  }
}

/** Encodes a uint256. Throws `RangeError` when the value is out of range. */
function encodeNumber(value: bigint): string {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError('not a uint256');
  return value.toString(16).padStart(64, '0');
}

const SCALAR = /^(address|bool|uint(\d+))/;

function widen(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(SCALAR, 'uint256');
  return 'components' in parameter
    ? { ...parameter, type, components: parameter.components.map(widen) }
    : { ...parameter, type };
}

function narrowValue(parameter: AbiParameter, value: unknown): unknown {
  const { type } = parameter;
  if (type.endsWith('[]')) {
    const element = { ...parameter, type: type.slice(0, -2) };
    return (value as readonly unknown[]).map((each) => narrowValue(element, each));
  }
  if ('components' in parameter) {
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      parameter.components.map((field) => [field.name, narrowValue(field, fields[field.name!])]),
    );
  }
  return typeof value === 'bigint' ? narrowWord(type, value) : value;
}

function narrowWord(type: string, word: bigint): unknown {
  if (type === 'address') return `0x${requireBits(word, 160).toString(16).padStart(40, '0')}`;
  if (type === 'bool') return requireBits(word, 1) === 1n;
  const bits = Number(type.slice('uint'.length));
  requireBits(word, bits);
  return bits <= 48 ? Number(word) : word;
}

function requireBits(word: bigint, bits: number): bigint {
  if (word >> BigInt(bits) !== 0n) throw new DirtyWord();
  return word;
}
