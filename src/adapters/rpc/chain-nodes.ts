/**
 * Nodes of one chain in the order of the configuration, each with its identity and its circuit breaker, over shared
 * HTTP connections.
 */
import type { Clock, Log } from '../../ports/runtime.ts';
import { createChainIdentity, type ChainIdentity } from './chain-identity.ts';
import type { Deadline, Stopwatch } from './deadline.ts';
import { openConnections, parseRpcUrl, type ConnectionLimits, type PostRpc, type RpcNode } from './http-post.ts';
import { createCircuitBreaker, type NodeFailure, type CircuitBreaker, type BreakerLimits } from './circuit-breaker.ts';

export interface NodesOptions {
  readonly rpcUrls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: ConnectionLimits & BreakerLimits;
  /** Replaces HTTP and real time in simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/** What differs between the nodes of the two chains. */
export interface ChainKind<Name, Failure extends NodeFailure> {
  readonly chain: 'main' | 'alt';
  /** Identity of the configured chain: a chain id or a genesis hash. */
  readonly expected: Name;
  readonly readIdentity: (node: RpcNode, deadline: Deadline) => Promise<Name>;
  /** Reported as the last failure of a node that has not failed yet. */
  readonly initialFailure: Failure;
}

export interface ChainNode<Name, Failure extends NodeFailure> {
  readonly node: RpcNode;
  readonly chain: ChainIdentity<Name>;
  readonly breaker: CircuitBreaker<Failure>;
}

export interface ChainNodes<Name, Failure extends NodeFailure> {
  readonly nodes: readonly ChainNode<Name, Failure>[];
  readonly post: PostRpc;
  /** Queries the identity of every node; undefined where a node does not respond. */
  readIdentities(deadline: Deadline): Promise<readonly (Name | undefined)[]>;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Opens the nodes without sending a request. */
export function openNodes<Name, Failure extends NodeFailure>(
  options: NodesOptions,
  { chain, expected, readIdentity, initialFailure }: ChainKind<Name, Failure>,
): ChainNodes<Name, Failure> {
  const { clock, log, limits } = options;
  const connections = openConnections(limits);
  const nodes = options.rpcUrls.map((url, position) => {
    const node = parseRpcUrl(url);
    return {
      node,
      chain: createChainIdentity(expected, (deadline) => readIdentity(node, deadline)),
      breaker: createCircuitBreaker({ chain, position, clock, log, limits, initialFailure }),
    };
  });
  return {
    nodes,
    post: options.post ?? connections.post,
    readIdentities: (deadline) => Promise.all(nodes.map((each) => each.chain.read(deadline).catch(() => undefined))),
    close: connections.close,
  };
}
