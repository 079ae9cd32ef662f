/** Which nodes of a chain are there to ask? In the order of the configuration, each with what is known of it; connections to all are kept between requests. */
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
  /** Instead of HTTP and real time, for simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/** What sets the nodes of one chain apart from those of another. */
export interface ChainKind<Name, Failure extends NodeFailure> {
  readonly chain: 'main' | 'alt';
  /** The name of the configured chain. */
  readonly expected: Name;
  readonly askName: (node: RpcNode, deadline: Deadline) => Promise<Name>;
  /** What the last failure of a node is before any. */
  readonly noFailure: Failure;
}

export interface ChainNode<Name, Failure extends NodeFailure> {
  readonly node: RpcNode;
  readonly chain: ChainIdentity<Name>;
  readonly pause: CircuitBreaker<Failure>;
}

export interface ChainNodes<Name, Failure extends NodeFailure> {
  readonly nodes: readonly ChainNode<Name, Failure>[];
  readonly post: PostRpc;
  /** The name that every node gives, asked anew; undefined where it does not answer. */
  readNames(deadline: Deadline): Promise<readonly (Name | undefined)[]>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** Asks nothing yet. */
export function openNodes<Name, Failure extends NodeFailure>(
  options: NodesOptions,
  { chain, expected, askName, noFailure }: ChainKind<Name, Failure>,
): ChainNodes<Name, Failure> {
  const { clock, log, limits } = options;
  const connections = openConnections(limits);
  const nodes = options.rpcUrls.map((url, position) => {
    const node = parseRpcUrl(url);
    return {
      node,
      chain: createChainIdentity(expected, (deadline) => askName(node, deadline)),
      pause: createCircuitBreaker({ chain, position, clock, log, limits, noFailure }),
    };
  });
  return {
    nodes,
    post: options.post ?? connections.post,
    readNames: (deadline) => Promise.all(nodes.map((each) => each.chain.read(deadline).catch(() => undefined))),
    close: connections.close,
  };
}
