/** Features and methods that calls need, and what responses say about those of a node. */
import type { NodeFeature, NodeProfile } from '../../rpc/node-profile.ts';
import { METHOD_NOT_FOUND } from '../../rpc/rpc-failure.ts';
import { isUnclearError } from './batch-delivery.ts';
import { isRateLimited, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

/** Returns the feature that the call needs and some nodes lack. */
function featureOf({ method, params }: MainRpcCall): NodeFeature | undefined {
  if (method === 'eth_getBlockReceipts') return method;
  if (method === 'eth_getBlockByNumber') return params[0] === 'finalized' ? 'finalized' : undefined;
  const isOfAnyAddress =
    method === 'eth_getLogs' && (params[0] as { readonly address?: unknown }).address === undefined;
  return isOfAnyAddress ? 'logs-of-any-address' : undefined;
}

/** Returns whether the node lacks a feature that one of the calls needs. */
export function lacksFeature(profile: NodeProfile, calls: readonly MainRpcCall[]): boolean {
  return calls.some((call) => {
    const feature = featureOf(call);
    return feature !== undefined && profile.lacks(feature);
  });
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
  for (const method of new Set(calls.map((call) => call.method))) {
    const ofMethod = responses.filter((_, i) => calls[i]!.method === method);
    const isServed = ofMethod.some(({ ok }) => ok);
    if (isServed || ofMethod.every((each) => !each.ok && each.code === METHOD_NOT_FOUND))
      profile.recordMethod(method, isServed);
  }
}

/** Returns undefined for a response that says nothing about the feature. */
function judgeFeature(feature: NodeFeature, response: RpcResponse): boolean | undefined {
  if (response.ok) return feature !== 'finalized' || response.result !== null;
  if (response.code === METHOD_NOT_FOUND || (feature === 'finalized' && !isRateLimited(response))) return false;
  return feature !== 'eth_getBlockReceipts' && isUnclearError(response) ? false : undefined;
}
