/**
 * Agreement of several nodes (`MAIN_RPC_QUORUM`, real-chains 5): a response counts when `quorum` nodes on different
 * hosts return the same bytes, so that fewer lying nodes than that change nothing. A host has one vote; its second node
 * is asked only when the first one cannot be read.
 */
import type { UnreadableCause } from '../../../domain/faults.ts';
import type { Log } from '../../../ports/runtime.ts';
import type { Header, HostCount } from '../../../ports/main-chain.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import { headerCall, isNodeBehind, parseHeader } from '../logs/headers.ts';
import type { MainUpstreamCounters } from './upstream-counters.ts';
import type { MainRpcCall, RpcResponse } from './json-rpc.ts';
import type { MainNode } from './main-nodes.ts';

/** A node that votes. */
export interface VotingNode extends Omit<MainNode, 'profile' | 'requestTogether'> {
  /** Registrable domain or address: nodes with the same host are assumed to have one operator. */
  readonly host: string;
}

export interface AgreementOptions {
  readonly nodes: readonly VotingNode[];
  /** At least 2, and at most the number of hosts. */
  readonly quorum: number;
  readonly counters: Pick<MainUpstreamCounters, 'disagreements'>;
  readonly log: Log;
  /** Resolves when a vote without a result is to be repeated; rejects when the deadline has passed. */
  readonly waitForRetry: (deadline: Deadline) => Promise<unknown>;
  readonly stopwatch: Pick<Stopwatch, 'pause'>;
}

export interface Agreement {
  /**
   * Returns the responses on which `quorum` hosts agree; the refusal of a host, for every call, where they are too large for it and no
   * responses have enough votes. Throws `RpcFailure`: `disagreement` when the hosts differ and none of the responses has enough votes, else
   * the failure of a node.
   */
  request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]>;
  /**
   * Returns the newest block whose hash `quorum` hosts know: `head`, which one of the nodes returned as its newest block, or an older one;
   * a newer one only where that node is behind, which is left out. Throws like `request`.
   */
  confirmHead(head: Header, deadline: Deadline): Promise<Header>;
  /**
   * Returns the newest block that `quorum` hosts have finalized, by number and hash; where it is the same for `quorum` hosts, the others are
   * not asked. Throws `RpcFailure`: `disagreement` when no block is final for enough hosts, else the failure of a host.
   */
  readFinalized(deadline: Deadline): Promise<Header>;
  /** Returns the header with this number that `quorum` hosts return. Throws like `request`. */
  readAt(number: number, deadline: Deadline): Promise<Header>;
  /** Returns how many hosts have a node that is used now, and how many must agree. */
  countHosts(): HostCount;
}

/**
 * A node is left out for a second, for twice as long after each further difference, and for a minute at most: a single
 * difference may be a moment at which several machines behind one address were apart.
 */
const MAX_LEFT_OUT_SECONDS = 60;

/** Time that a host has while another one can replace it, and once enough others have answered. */
const GRACE_MILLISECONDS = 500;
/** Reads in a row for which a host came late or failed, after which it is asked last. */
const MAX_MISSES = 2;

type Host = readonly VotingNode[];

export function createAgreement(options: AgreementOptions): Agreement {
  const { nodes, quorum, counters, log, waitForRetry, stopwatch } = options;
  const hosts: readonly Host[] = [...Map.groupBy(nodes, ({ host }) => host).values()];
  /** Differences of each node since it last agreed. */
  const differences = new Map<VotingNode, number>();
  /** Times in a row that a host came late or failed when the head or the finalized block was read. */
  const misses = new Map<string, number>();

  /** Hosts in the order of the configuration. Those that missed several reads come later, those without an available node last. */
  function listHosts(): Host[] {
    const isMissing = (host: Host) => (misses.get(nameOf(host)) ?? 0) >= MAX_MISSES;
    const rank = (host: Host) => (host.some((node) => node.isAvailable()) ? Number(isMissing(host)) : 2);
    return hosts.toSorted((one, other) => rank(one) - rank(other));
  }

  function recordMiss(host: Host): void {
    misses.set(nameOf(host), (misses.get(nameOf(host)) ?? 0) + 1);
  }

  /**
   * Returns what hosts answered, from `quorum` of them at first; the others are asked when one fails or comes late, or when the answers do
   * not suffice. Waits for an answer without a limit only while fewer than `quorum` hosts have answered.
   */
  async function askHosts<Answer>(
    asked: readonly Host[],
    read: (host: Host) => Promise<Answer>,
    suffices: (answers: readonly Answer[]) => boolean,
  ): Promise<readonly Answer[]> {
    const waiting = [...asked];
    const pending = new Map<Host, Promise<void>>();
    const late = new Set<Host>();
    const answers: Answer[] = [];

    function askMore(count: number): void {
      for (const host of waiting.splice(0, Math.max(0, count))) {
        const answered = read(host)
          .then(
            (answer) => {
              answers.push(answer);
              if (!late.has(host)) misses.delete(nameOf(host));
            },
            () => {
              if (!late.has(host)) recordMiss(host);
            },
          )
          .finally(() => pending.delete(host));
        pending.set(host, answered);
      }
    }

    askMore(quorum);
    while (!suffices(answers)) {
      if (pending.size === 0) askMore(waiting.length);
      if (pending.size === 0) break;
      if (await isSlow(pending.values())) {
        for (const host of [...pending.keys()].filter((each) => !late.has(each))) {
          late.add(host);
          recordMiss(host);
        }
        if (waiting.length === 0 && answers.length >= quorum) break;
        if (waiting.length === 0) await Promise.race(pending.values());
        askMore(waiting.length);
      } else askMore(quorum - answers.length - pending.size);
    }
    return [...answers];
  }

  /** Returns whether none of the reads ends in time. */
  async function isSlow(reads: Iterable<Promise<void>>): Promise<boolean> {
    const end = new AbortController();
    const expire = stopwatch.pause(GRACE_MILLISECONDS, end.signal).then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([expire, ...[...reads].map((each) => each.then(() => false))]);
    } finally {
      end.abort();
    }
  }

  function recordVotes(elected: Ballot, ballots: Iterable<Ballot>): void {
    for (const ballot of ballots) {
      for (const node of ballot.voters) {
        if (ballot === elected) differences.delete(node);
        else recordDifference(node);
      }
    }
  }

  function recordDifference(node: VotingNode): void {
    const count = (differences.get(node) ?? 0) + 1;
    differences.set(node, count);
    counters.disagreements += 1;
    const retryAfterSeconds = Math.min(2 ** (count - 1), MAX_LEFT_OUT_SECONDS);
    node.leaveOut(new RpcFailure('disagreement', 'failed', { retryAfterSeconds }));
    log.warn(
      { chain: 'main', endpoint: node.position + 1 },
      'the response of this node differs from that of the others',
    );
  }

  /** Votes twice at most: nodes that are not at one block for a moment agree soon. */
  async function request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]> {
    try {
      return await vote(calls, deadline);
    } catch (error) {
      if (!(error instanceof RpcFailure) || !REPEATED.has(error.unreadable)) throw error;
      await waitForRetry(deadline);
      return vote(calls, deadline);
    }
  }

  async function vote(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]> {
    const waiting = listHosts();
    const polls = new Set<Promise<void>>();
    const ballots = new Map<string, Ballot>();
    let failure: unknown = new RpcFailure('transport');
    let elected: Ballot | undefined;
    let refusal: RpcResponse | undefined;

    async function poll(host: Host): Promise<void> {
      try {
        const { node, responses } = await pollHost(host, calls, deadline);
        const key = toBallotKey(responses);
        const ballot = ballots.get(key) ?? { responses, voters: [] };
        ballots.set(key, ballot);
        ballot.voters.push(node);
        if (ballot.voters.length === quorum) elected ??= ballot;
      } catch (error) {
        failure = error;
        if (error instanceof CallsTooLarge) refusal = error.response;
      }
    }

    /** Asks as many hosts as could still complete a quorum, so that without a fault no host is asked in vain. */
    function pollMore(): void {
      if (elected !== undefined) return;
      const leading = Math.max(0, ...[...ballots.values()].map(({ voters }) => voters.length));
      while (polls.size < quorum - leading && waiting.length > 0) {
        const asked: Promise<void> = poll(waiting.shift()!).finally(() => {
          polls.delete(asked);
        });
        polls.add(asked);
      }
    }

    pollMore();
    while (elected === undefined && polls.size > 0) {
      await Promise.race(polls);
      pollMore();
    }
    // Smaller calls are voted on again. No response of the host to another call is returned.
    if (elected === undefined && refusal !== undefined) return calls.map(() => refusal!);
    if (elected === undefined) {
      if (ballots.size > 1) counters.disagreements += 1;
      throw ballots.size > 1 ? new RpcFailure('disagreement') : failure;
    }
    recordVotes(elected, ballots.values());
    return elected.responses;
  }

  async function confirmHead(head: Header, deadline: Deadline): Promise<Header> {
    const calls = [headerCall(head.number), headerCall('latest')];
    const seen = await askHosts(
      listHosts(),
      async (host): Promise<SeenHead> => {
        const { node, responses } = await pollHost(host, calls, deadline, () => true);
        const [sameNumber, latest] = responses.map(toHeader);
        return { node, sameNumber, latest };
      },
      (answers) =>
        countSame(answers, head) >= quorum &&
        !answers.some(({ latest }) => latest !== undefined && isNodeBehind(head, latest)),
    );
    // What `quorum` hosts have reached, whatever a lying one claims.
    const reached = { number: findReached(seen, 'number'), timestamp: findReached(seen, 'timestamp') };
    const isKnown = countSame(seen, head) >= quorum;
    if (isKnown && isNodeBehind(head, reached)) {
      const newer = await readAt(reached.number, deadline).catch(() => undefined);
      if (newer !== undefined) {
        for (const { node, latest } of seen)
          if (latest !== undefined && isNodeBehind(latest, newer)) recordDifference(node);
        return newer;
      }
    }
    if (isKnown) {
      for (const { node, sameNumber } of seen) if (sameNumber && !isSame(sameNumber, head)) recordDifference(node);
      return head;
    }
    if (reached.number === -Infinity) throw new RpcFailure('disagreement');
    return readAt(Math.min(reached.number, head.number), deadline);
  }

  async function readFinalized(deadline: Deadline): Promise<Header> {
    let failure: unknown = new RpcFailure('transport');
    const readFrom = async (host: Host, blocks: readonly ('finalized' | number)[]): Promise<SeenHeaders> => {
      try {
        const { node, responses } = await pollHost(host, blocks.map(headerCall), deadline, isHeader);
        return { node, headers: responses.map((response) => toHeader(response)!) };
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    const finalized = await askHosts(
      listHosts(),
      (host) => readFrom(host, ['finalized']),
      (seen) => findShared(seen) !== undefined,
    );
    if (finalized.length < quorum) throw failure;
    // Fewer hosts have finalized anything newer, whatever a lying one claims.
    const reached = [...new Set(listNumbers(finalized).slice(quorum - 1))];
    const isNewest = (seen: readonly SeenHeaders[]) => findShared(seen)?.number === reached[0];
    const readOlder = async ([node]: Host): Promise<SeenHeaders> => {
      const own = finalized.find((each) => each.node === node)!;
      const older = reached.filter((number) => number < own.headers[0]!.number);
      if (older.length === 0) return own;
      return { node: own.node, headers: [...own.headers, ...(await readFrom([own.node], older)).headers] };
    };
    const chains = isNewest(finalized)
      ? finalized
      : await askHosts(
          finalized.map(({ node }) => [node]),
          readOlder,
          isNewest,
        );
    const shared = findShared(chains);
    if (shared === undefined) throw new RpcFailure('disagreement');
    for (const { node, headers } of chains)
      if (headers.some((header) => header.number === shared.number && !isSame(header, shared))) recordDifference(node);
    return shared;
  }

  /** Returns the newest header that `quorum` of the hosts returned. */
  function findShared(seen: readonly SeenHeaders[]): Header | undefined {
    const all = seen.flatMap(({ headers }) => headers).sort((a, b) => b.number - a.number);
    const countHolders = (header: Header) =>
      seen.filter(({ headers }) => headers.some((other) => isSame(other, header))).length;
    return all.find((header) => countHolders(header) >= quorum);
  }

  async function readAt(number: number, deadline: Deadline): Promise<Header> {
    const [response] = await request([headerCall(number)], deadline);
    const header = toHeader(response!);
    if (header === undefined) throw new RpcFailure('malformed');
    return header;
  }

  /** Returns the largest value that the newest blocks of `quorum` hosts have; -Infinity where fewer hosts name one. */
  function findReached(seen: readonly SeenHead[], member: 'number' | 'timestamp'): number {
    const values = seen.flatMap(({ latest }) => (latest === undefined ? [] : [latest[member]]));
    return values.sort((a, b) => b - a)[quorum - 1] ?? -Infinity;
  }

  function countHosts(): HostCount {
    const available = nodes.filter((node) => node.isAvailable());
    return { hosts: new Set(available.map(({ host }) => host)).size, quorum };
  }

  return { request, confirmHead, readFinalized, readAt, countHosts };
}

/** Causes that may pass by themselves. */
const REPEATED: ReadonlySet<UnreadableCause> = new Set(['disagreement', 'block-mismatch', 'rpc-error']);

interface Ballot {
  readonly responses: readonly RpcResponse[];
  readonly voters: VotingNode[];
}

class CallsTooLarge extends RpcFailure {
  readonly response: RpcResponse;

  constructor(response: RpcResponse) {
    super('rpc-error');
    this.response = response;
  }
}

/** Returns the vote of a host: that of its first node that can be read. Throws the last node's failure, or `CallsTooLarge`. */
async function pollHost(
  host: Host,
  calls: readonly MainRpcCall[],
  deadline: Deadline,
  isVote: (response: RpcResponse) => boolean = isFact,
): Promise<{ readonly node: VotingNode; readonly responses: readonly RpcResponse[] }> {
  const available = host.filter((node) => node.isAvailable());
  let failure: unknown = new RpcFailure('transport');
  for (const node of available) {
    const responses = await node.request(calls, deadline).catch((error: unknown) => void (failure = error));
    if (responses === undefined) continue;
    if (responses.every(isVote)) return { node, responses };
    const refusal = responses.find((response) => !response.ok && response.hint === 'too-large');
    if (refusal !== undefined) throw new CallsTooLarge(refusal);
    failure = new RpcFailure(responses.some(isUnknownBlock) ? 'block-mismatch' : 'rpc-error');
  }
  throw failure;
}

/** Returns whether the response states a fact of the chain; a node's own error, or a missing block, states none. */
function isFact(response: RpcResponse): boolean {
  return response.ok ? response.result !== null : response.revertData !== undefined;
}

function nameOf(host: Host): string {
  return host[0]!.host;
}

function isHeader(response: RpcResponse): boolean {
  return toHeader(response) !== undefined;
}

function isUnknownBlock(response: RpcResponse): boolean {
  return response.ok ? response.result === null : response.hint === 'unknown-block';
}

/** Returns a text that is equal for equal facts. */
function toBallotKey(responses: readonly RpcResponse[]): string {
  return JSON.stringify(responses.map((response) => (response.ok ? toFact(response) : [response.revertData])));
}

/**
 * Reduces a header to what every node returns alike: nodes add members of their own to a block. Anything else is a text or null. Nodes may
 * spell hex digits in either case; another text in another case is another one, which the reader may reject.
 */
function toFact(response: RpcResponse & { readonly ok: true }): unknown {
  const header = toHeader(response);
  if (header !== undefined) return toHeaderFact(header);
  const { result } = response;
  if (typeof result === 'string') return HEX.test(result) ? result.toLowerCase() : result;
  return typeof result === 'object' && result !== null ? 'malformed' : result;
}

const HEX = /^0x[0-9a-fA-F]*$/;

/** Bloom and root decide which logs a block may have, so a true hash with another bloom is another header. */
function toHeaderFact({ number, hash, parentHash, timestamp, logsBloom, receiptsRoot }: Header): unknown[] {
  return [number, hash, parentHash, timestamp, logsBloom, receiptsRoot ?? null];
}

function isSame(a: Header, b: Header): boolean {
  return toHeaderFact(a).join() === toHeaderFact(b).join();
}

function toHeader(response: RpcResponse): Header | undefined {
  return response.ok ? parseHeader(response.result) : undefined;
}

/** What one host returned for the number of a head, and its own newest block. */
interface SeenHead {
  readonly node: VotingNode;
  readonly sameNumber: Header | undefined;
  readonly latest: Header | undefined;
}

/** What one host returned for several blocks. */
interface SeenHeaders {
  readonly node: VotingNode;
  readonly headers: readonly Header[];
}

/** Returns the number of the first block that each host returned, the largest first. */
function listNumbers(seen: readonly SeenHeaders[]): number[] {
  return seen.map(({ headers }) => headers[0]!.number).sort((a, b) => b - a);
}

function countSame(seen: readonly SeenHead[], head: Header): number {
  return seen.filter(({ sameNumber }) => sameNumber !== undefined && isSame(sameNumber, head)).length;
}
