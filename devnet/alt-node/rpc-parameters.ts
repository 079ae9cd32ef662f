/** JSON-RPC parameters as mainnet nodes accept them, and their errors. */
import { formatBase58, parseBase58 } from '../../src/domain/identifiers/base58.ts';
import { parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  blockCleanedUp: -32001,
  preflight: -32002,
  blockNotAvailable: -32004,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const;

/** Error that becomes the `error` member of a response. */
export class RpcErrorResponse extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export type Configuration = Readonly<Record<string, unknown>>;

export interface DataSlice {
  readonly offset: number;
  readonly length: number;
}

/** Encoding of bytes. `undefined`: none requested, which means base58 without a label. */
export type Encoding = 'base58' | 'base64' | undefined;

/** Returns whether account data matches a filter. */
export type DataFilter = (data: Uint8Array) => boolean;

const MAX_FILTERS = 4;
const MAX_COMPARED_BYTES = 128;
const SIGNATURE_BYTES = 64;

export function invalidParams(message: string): RpcErrorResponse {
  return new RpcErrorResponse(RPC_ERROR.invalidParams, message);
}

/** Reads the optional configuration object at the end of the parameters. */
export function readConfiguration(value: unknown): Configuration {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidParams('Invalid params: expected an object.');
  return value as Configuration;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function readCommitment({ commitment }: Configuration): Commitment {
  if (commitment === undefined) return 'finalized';
  if (commitment === 'processed' || commitment === 'confirmed' || commitment === 'finalized') return commitment;
  throw invalidParams(`Invalid params: unknown variant \`${formatValue(commitment)}\`.`);
}

/** Reads the commitment of a history method, which needs at least `confirmed`. */
export function readHistoryCommitment(configuration: Configuration): Commitment {
  const commitment = readCommitment(configuration);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

export function readKey(value: unknown): AltKey {
  const key = typeof value === 'string' ? parseAltKey(value) : undefined;
  if (key === undefined) throw invalidParams('Invalid param: Invalid');
  return key;
}

export function readSignature(value: unknown): string {
  const bytes = typeof value === 'string' ? parseBase58(value, SIGNATURE_BYTES) : undefined;
  if (bytes?.length !== SIGNATURE_BYTES) throw invalidParams('Invalid param: Invalid');
  return value as string;
}

/** Reads a slot or a count. */
export function readCount(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidParams(`Invalid params: ${name} is not a number.`);
}

export function readEncoding({ encoding }: Configuration): Encoding {
  if (encoding === undefined || encoding === 'base58' || encoding === 'base64') return encoding;
  throw invalidParams(`encoding ${formatValue(encoding)} is not supported`);
}

export function readDataSlice({ dataSlice }: Configuration): DataSlice | undefined {
  if (dataSlice === undefined || dataSlice === null) return undefined;
  const { offset, length } = readConfiguration(dataSlice);
  return { offset: readCount(offset, 'offset'), length: readCount(length, 'length') };
}

export function readFilters({ filters }: Configuration): DataFilter[] {
  if (filters === undefined || filters === null) return [];
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: expected a sequence.');
  if (filters.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  return filters.map(readFilter);
}

function readFilter(value: unknown): DataFilter {
  const { dataSize, memcmp } = readConfiguration(value);
  if (dataSize !== undefined) {
    const bytes = readCount(dataSize, 'dataSize');
    return (data) => data.length === bytes;
  }
  const { offset, bytes, encoding } = readConfiguration(memcmp);
  const at = readCount(offset, 'offset');
  const compared = readCompared(bytes, encoding);
  return (data) => Buffer.compare(data.subarray(at, at + compared.length), compared) === 0;
}

function readCompared(bytes: unknown, encoding: unknown): Uint8Array {
  if (typeof bytes !== 'string') throw invalidParams('Invalid params: memcmp without bytes.');
  const compared =
    encoding === undefined || encoding === 'base58'
      ? parseBase58(bytes, MAX_COMPARED_BYTES)
      : encoding === 'base64'
        ? Buffer.from(bytes, 'base64')
        : undefined;
  if (compared === undefined || compared.length > MAX_COMPARED_BYTES) {
    throw invalidParams('Invalid param: encoded binary data should be less than 129 bytes');
  }
  return compared;
}

/** Encodes bytes as in the `data` member of an account. */
export function encodeData(data: Uint8Array, encoding: Encoding): string | [string, string] {
  if (encoding === 'base64') return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > MAX_COMPARED_BYTES) {
    throw new RpcErrorResponse(
      RPC_ERROR.invalidRequest,
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return encoding === 'base58' ? [formatBase58(data), 'base58'] : formatBase58(data);
}
