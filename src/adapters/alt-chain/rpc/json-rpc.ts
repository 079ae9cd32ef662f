/**
 * How is one JSON-RPC call sent to one node, and when is its answer believed?
 * Strict in what it accepts: the id that was sent, a result or an error, the whole body within a size. Integers beyond what a
 * JSON number holds exactly (`rentEpoch`) stand only in members that nothing reads. No text of a node, and no URL (it may hold
 * a key), leaves this file: only codes and fixed words do.
 */
import type { UnreadableCause } from '../../../domain/faults.ts';
import { postToNode, type RpcNode, type SendOptions } from '../../rpc/http-post.ts';

export interface AltRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * What to do about a failure. `failed`: leave the node alone for a while; `busy`: the node asks to wait; `behind`: it has not the
 * slot yet; `no-block`: it has not the block; `refused`: another node may answer, this one is sound.
 */
export type FailureKind = 'failed' | 'busy' | 'behind' | 'no-block' | 'refused';

/** No usable answer of one node. */
export class AltRpcError extends Error {
  readonly unreadable: UnreadableCause;
  readonly kind: FailureKind;
  /** The code of a JSON-RPC error. */
  readonly code: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    unreadable: UnreadableCause,
    kind: FailureKind = 'failed',
    details: { readonly code?: number; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(unreadable);
    this.name = 'RpcFailure';
    this.unreadable = unreadable;
    this.kind = kind;
    this.code = details.code;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

let lastId = 0;

/** The result of the call. Throws `AltRpcError`. */
export async function sendAltRpc(node: RpcNode, call: AltRpcCall, options: SendOptions): Promise<unknown> {
  const id = ++lastId;
  const { method, params } = call;
  const response = await postToNode(node, JSON.stringify({ jsonrpc: '2.0', id, method, params }), options);
  if (typeof response === 'string') throw new AltRpcError(response);
  const { status, retryAfterSeconds, body } = response;
  if (status === 429) throw new AltRpcError('transport', 'busy', { retryAfterSeconds });
  const isHttpSuccess = status >= 200 && status < 300;
  const answer = body === undefined ? undefined : parseAnswer(body.toString(), id);
  if (answer?.code !== undefined) throw toFailure(answer.code, retryAfterSeconds);
  if (!isHttpSuccess) throw new AltRpcError('transport', status >= 500 ? 'busy' : 'failed', { retryAfterSeconds });
  if (answer === undefined) throw new AltRpcError('malformed');
  return answer.result;
}

/** Codes that pass with time (chain-svm 8). */
const NODE_BEHIND = -32005;
const SLOT_NOT_REACHED = -32016;
const NO_BLOCK: readonly number[] = [-32004, -32007, -32009, -32014];

function toFailure(code: number, retryAfterSeconds: number | undefined): AltRpcError {
  if (code === NODE_BEHIND || code === 429) return new AltRpcError('rpc-error', 'busy', { code, retryAfterSeconds });
  if (code === SLOT_NOT_REACHED) return new AltRpcError('rpc-error', 'behind', { code, retryAfterSeconds });
  return new AltRpcError('rpc-error', NO_BLOCK.includes(code) ? 'no-block' : 'refused', { code });
}

/** Undefined: it is no answer to the call. A node that could not read the call cannot name its id in the error. */
function parseAnswer(
  body: string,
  sentId: number,
): { readonly code?: undefined; readonly result: unknown } | { readonly code: number } | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isObject(entry) || entry['jsonrpc'] !== '2.0') return undefined;
  const { id, result, error } = entry;
  if (error === undefined || error === null) {
    return id === sentId && 'result' in entry ? { result } : undefined;
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code'])) return undefined;
  if ((id !== sentId && id !== null) || (result !== undefined && result !== null)) return undefined;
  return { code: error['code'] as number };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
