/** Features and methods that calls need, and what responses say about those of a node. */
import { isObject } from '../../../domain/json/json-values.ts';
import type { NodeFeature, NodeProfile } from '../../rpc/node-profile.ts';
import { METHOD_NOT_FOUND } from '../../rpc/rpc-failure.ts';
import { isUnclearError } from './batch-delivery.ts';
import { isRateLimited, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

/** Returns the feature that the call needs and some nodes lack. */
function featureOf({ method, params }: MainRpcCall): NodeFeature | undefined {
  if (method === 'eth_getBlockReceipts') return method;
  if (method === 'eth_getBlockByNumber') return params[0] === 'finalized' ? 'finalized' : undefined;
  if (method === 'eth_call') return isObject(params[0]) && !('to' in params[0]) ? 'deployless-calls' : undefined;
  const isOfAnyAddress =
    method === 'eth_getLogs' && (params[0] as { readonly address?: unknown }).address === undefined;
  return isOfAnyAddress ? 'logs-of-any-address' : undefined;
}

/**
 * Returns how surely the node lacks what one of the calls needs, to order nodes by: 0 if it is not known to, 1 after
 * refusals, which may be those of one of several machines behind its URL, 2 where it does not know a method.
 */
export function rankLack(profile: NodeProfile, calls: readonly MainRpcCall[]): 0 | 1 | 2 {
  if (calls.some(({ method }) => profile.isMethodUnknown(method))) return 2;
  const lacks = (feature: NodeFeature | undefined) => feature !== undefined && profile.lacks(feature);
  return calls.some((call) => profile.lacksMethod(call.method) || lacks(featureOf(call))) ? 1 : 0;
}

/**
 * Returns whether the node does not know a method that the node of these responses, which may serve it, did not know
 * this time.
 */
export function lacksMethodMoreSurely(
  profile: NodeProfile,
  ofResponses: NodeProfile,
  calls: readonly MainRpcCall[],
  responses: readonly RpcResponse[],
): boolean {
  return calls.some(
    ({ method }, i) =>
      isMethodNotFound(responses[i]!) && profile.isMethodUnknown(method) && !ofResponses.isMethodUnknown(method),
  );
}

/** Records which features and methods the node has shown to have or to lack. */
export function learnFeatures(
  profile: NodeProfile,
  calls: readonly MainRpcCall[],
  responses: readonly RpcResponse[],
): void {
  for (const [i, call] of calls.entries()) {
    const feature = featureOf(call);
    const exists = feature && judgeFeature(feature, responses[i]!);
    if (exists !== undefined) profile.recordFeature(feature!, exists);
  }
  for (const [method, ofMethod] of groupByMethod(calls, responses)) {
    if (ofMethod.some(({ ok }) => ok)) profile.recordMethod(method, 'served');
    else if (ofMethod.every(isMethodNotFound)) profile.recordMethod(method, 'not-found');
  }
}

/** Records the methods that the node refused although another one returned `served` for the same calls. */
export function learnRefusals(
  profile: NodeProfile,
  calls: readonly MainRpcCall[],
  responses: readonly RpcResponse[],
  served: readonly RpcResponse[],
): void {
  const isReplaced = (call: MainRpcCall, response: RpcResponse, other: RpcResponse) =>
    isRefused(call, response) && (other.ok || other.revertData !== undefined);
  const replaced = new Set(
    calls.filter((call, i) => isReplaced(call, responses[i]!, served[i]!)).map(({ method }) => method),
  );
  for (const [method, ofMethod] of groupByMethod(calls, responses)) {
    const isKnown = ofMethod.some(({ ok }) => ok) || ofMethod.every(isMethodNotFound);
    if (replaced.has(method) && !isKnown) profile.recordMethod(method, 'refused');
  }
}

/**
 * Returns whether another node may serve the call: the error proves nothing about the chain, and is no limit that its
 * caller avoids by smaller calls.
 */
export function isRefused(call: MainRpcCall, response: RpcResponse): boolean {
  if (response.ok || response.revertData !== undefined || response.hint === 'unknown-block') return false;
  return response.hint !== 'too-large' || !isDivisible(call);
}

/** Returns whether callers replace a call that is too large by several ones: contract calls, and logs of a range of blocks. */
function isDivisible({ method, params }: MainRpcCall): boolean {
  if (method !== 'eth_getLogs') return method === 'eth_call';
  const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
  return fromBlock !== toBlock && toBlock !== 'latest';
}

/** Returns whether the node does not serve the method. */
export function isMethodNotFound(response: RpcResponse): boolean {
  return !response.ok && response.code === METHOD_NOT_FOUND;
}

function groupByMethod(
  calls: readonly MainRpcCall[],
  responses: readonly RpcResponse[],
): ReadonlyMap<string, readonly RpcResponse[]> {
  const methods = calls.map(({ method }) => method);
  return Map.groupBy(responses, (_, i) => methods[i]!);
}

/** Returns undefined for a response that says nothing about the feature. */
function judgeFeature(feature: NodeFeature, response: RpcResponse): boolean | undefined {
  // What a call without a contract returns is examined by its reader.
  if (response.ok && feature === 'deployless-calls') return undefined;
  if (response.ok) return feature !== 'finalized' || response.result !== null;
  if (response.code === METHOD_NOT_FOUND || (feature === 'finalized' && !isRateLimited(response))) return false;
  return feature !== 'eth_getBlockReceipts' && isUnclearError(response) ? false : undefined;
}
