/** Agreement of several nodes: votes by host, lying and lagging nodes, the confirmed head. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Header } from '../../../ports/main-chain.ts';
import type { CallPurpose } from '../../rpc/call-budget.ts';
import { REAL_STOPWATCH, startDeadline } from '../../rpc/deadline.ts';
import { parseRpcUrl, type PostRpc } from '../../rpc/http-post.ts';
import { createAgreement, type Agreement, type VotingNode } from './agreement.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { sendMainRpc, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

/** Responds to one call; undefined: the node does not respond. */
type Respond = (call: MainRpcCall) => unknown;

interface FakeNode extends VotingNode {
  respond: Respond;
  requests: number;
  isLeftOut: boolean;
  readonly leftOutSeconds: number[];
}

/** Called before a vote is repeated. */
let onRetry: () => void;
let counters: { disagreements: number };
/** Nodes that the log names, counted from 1. */
let named: unknown[];
beforeEach(() => {
  counters = { disagreements: 0 };
  named = [];
  onRetry = () => undefined;
});

function node(position: number, host: string, respond: Respond): FakeNode {
  return {
    position,
    host,
    respond,
    requests: 0,
    isLeftOut: false,
    leftOutSeconds: [],
    isAvailable() {
      return !this.isLeftOut;
    },
    async request(calls) {
      this.requests += 1;
      return calls.map((call) => toResponse(this.respond(call)));
    },
    leaveOut({ retryAfterSeconds }) {
      this.isLeftOut = true;
      this.leftOutSeconds.push(retryAfterSeconds!);
    },
  };
}

/** A node that accepts requests and never responds. */
function silentNode(position: number, host: string): FakeNode {
  return Object.assign(
    node(position, host, () => undefined),
    {
      request(this: FakeNode) {
        this.requests += 1;
        return new Promise<never>(() => {});
      },
    },
  );
}

function toResponse(result: unknown): RpcResponse {
  if (result === undefined) throw new RpcFailure('transport');
  if (result instanceof RangeError) return { ok: false, code: -32_000, revertData: undefined, hint: 'too-large' };
  if (result instanceof Error) return { ok: false, code: -32_000, revertData: undefined, hint: undefined };
  return { ok: true, result };
}

function agree(nodes: readonly VotingNode[], quorum: number): Agreement {
  const warn = ({ endpoint }: { readonly endpoint?: unknown }) => void named.push(endpoint);
  const log = { info: () => undefined, warn, error: () => undefined };
  const stopwatch = { pause: () => new Promise((resolve) => setImmediate(resolve)) };
  return createAgreement({ nodes, quorum, counters, log, stopwatch, waitForRetry: async () => onRetry() });
}

const CALL: MainRpcCall = { method: 'eth_call', params: [] };
const read = async (agreement: Agreement) => {
  const [response] = await agreement.request([CALL], startDeadline(10_000, 5_000));
  return response?.ok === true ? response.result : response?.revertData;
};

test('reads at every node with the purpose of the read, whose share of the budget pays for all of them', async () => {
  const purposes: CallPurpose[] = [];
  const nodes = ['a', 'b', 'c'].map((host, i): VotingNode => {
    const answering = node(i, host, () => '0x1');
    return {
      ...answering,
      request(calls, deadline) {
        purposes.push(deadline.purpose);
        return answering.request(calls, deadline);
      },
    };
  });
  const caller: CallPurpose = { work: { kind: 'caller', networks: ['192.0.2.1'] }, isKnown: true };
  await agree(nodes, 3).request([CALL], startDeadline(10_000, 5_000, REAL_STOPWATCH, caller));
  expect(purposes).toEqual([caller, caller, caller]);
});

describe('request', () => {
  test('asks only as many hosts as must agree', async () => {
    const nodes = [node(0, 'a', () => '0x1'), node(1, 'b', () => '0x1'), node(2, 'c', () => '0x1')];
    expect(await read(agree(nodes, 2))).toBe('0x1');
    expect(nodes.map(({ requests }) => requests)).toEqual([1, 1, 0]);
  });

  test.each([0, 1, 2])(
    'returns what two of three hosts say when node %i lies, leaves that node out, and names no other',
    async (liar) => {
      const nodes = ['a', 'b', 'c'].map((host, i) => node(i, host, () => (i === liar ? '0xbad' : '0x900d')));
      const agreement = agree(nodes, 2);
      for (let i = 0; i < 5; i++) expect(await read(agreement)).toBe('0x900d');
      const wasAsked = liar < 2;
      expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual(nodes.map((_, i) => wasAsked && i === liar));
      expect(counters.disagreements).toBe(wasAsked ? 1 : 0);
      expect(named).toEqual(wasAsked ? [liar + 1] : []);
    },
  );

  describe('a call that reverts without data', () => {
    const REVERT = { code: -32_000, message: 'execution reverted' };
    /** A node whose second call of each batch returns this error. */
    const failing = (position: number, host: string, error: object): FakeNode =>
      Object.assign(
        node(position, host, () => undefined),
        {
          async request(calls: readonly MainRpcCall[]) {
            const post: PostRpc = (_node, body) => {
              const results = (JSON.parse(body) as { id: number }[]).map(({ id }, i) =>
                i === 1 ? { jsonrpc: '2.0', id, error } : { jsonrpc: '2.0', id, result: '0x1' },
              );
              return Promise.resolve({ status: 200, retryAfterSeconds: undefined, body: JSON.stringify(results) });
            };
            const { signal } = new AbortController();
            const options = { post, signal, maxResponseBytes: 10_000 };
            return (await sendMainRpc(parseRpcUrl('http://192.0.2.1/'), calls, options)) as RpcResponse[];
          },
        },
      );
    const readThree = (...nodes: readonly FakeNode[]) =>
      agree(nodes, 2).request([CALL, CALL, CALL], startDeadline(10_000, 5_000));

    test('is a fact on which hosts agree, whatever code they give it', async () => {
      const result = { ok: true, result: '0x1' };
      const expected = [result, { ok: false, revertData: '0x' }, result];
      expect(await readThree(failing(0, 'a', REVERT), failing(1, 'b', REVERT))).toMatchObject(expected);
      expect(await readThree(failing(0, 'a', REVERT), failing(1, 'b', { ...REVERT, code: 3 }))).toMatchObject(expected);
    });

    test.each([
      ['another error', { code: -32_000, message: 'internal' }, 'rpc-error'],
      ['a revert with data', { code: 3, message: 'execution reverted', data: '0x7e273289' }, 'disagreement'],
    ])('is not agreed on where the other host returns %s', async (_, error, unreadable) => {
      await expect(readThree(failing(0, 'a', REVERT), failing(1, 'b', error))).rejects.toMatchObject({ unreadable });
    });
  });

  describe('calls that are too large', () => {
    const OTHER: MainRpcCall = { method: 'eth_getCode', params: [] };
    const tooLarge = { ok: false, hint: 'too-large' };
    /** The first call is too large. */
    const refuse: Respond = ({ method }) => (method === CALL.method ? new RangeError() : '0xbad');
    const readBoth = (nodes: readonly VotingNode[]) =>
      agree(nodes, 2).request([CALL, OTHER], startDeadline(10_000, 5_000));

    test('are refused for the caller to divide, in one vote, and without a response of one host', async () => {
      const nodes = [node(0, 'a', refuse), node(1, 'b', refuse), node(2, 'c', () => '0x1')];
      expect(await readBoth(nodes)).toMatchObject([tooLarge, tooLarge]);
      expect(nodes.map(({ requests, isLeftOut }) => [requests, isLeftOut])).toEqual(Array(3).fill([1, false]));
    });

    test('for one host of three are read by the others', async () => {
      const nodes = [node(0, 'a', refuse), node(1, 'b', () => '0x1'), node(2, 'c', () => '0x1')];
      expect(await readBoth(nodes)).toMatchObject([{ result: '0x1' }, { result: '0x1' }]);
    });
  });

  test('reports a disagreement of two hosts, blames neither, and never returns one of the responses', async () => {
    const nodes = [node(0, 'a', () => '0xbad'), node(1, 'b', () => '0x900d')];
    await expect(read(agree(nodes, 2))).rejects.toMatchObject({ unreadable: 'disagreement' });
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([false, false]);
    // Once for each of the two votes.
    expect(counters.disagreements).toBe(2);
  });

  test('votes once more when the hosts differ for a moment', async () => {
    let isApart = true;
    onRetry = () => (isApart = false);
    const nodes = [node(0, 'a', () => (isApart ? '0x1' : '0x2')), node(1, 'b', () => '0x2')];
    expect(await read(agree(nodes, 2))).toBe('0x2');
  });

  test('leaves a node out twice as long after each difference, and briefly again after it has agreed', async () => {
    let truth = '0xbad';
    const nodes = [node(0, 'a', () => truth), node(1, 'b', () => '0x900d'), node(2, 'c', () => '0x900d')];
    const agreement = agree(nodes, 2);
    const readWithFirst = () => {
      nodes[0]!.isLeftOut = false;
      return read(agreement);
    };
    for (let i = 0; i < 8; i++) await readWithFirst();
    expect(nodes[0]!.leftOutSeconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    truth = '0x900d';
    await readWithFirst();
    truth = '0xbad';
    await readWithFirst();
    expect(nodes[0]!.leftOutSeconds.at(-1)).toBe(1);
  });

  test('counts two nodes of one host once', async () => {
    const nodes = [node(0, 'liar', () => '0xbad'), node(1, 'liar', () => '0xbad'), node(2, 'b', () => '0x900d')];
    await expect(read(agree(nodes, 2))).rejects.toMatchObject({ unreadable: 'disagreement' });
  });

  test('asks the second node of a host when the first one does not respond', async () => {
    const nodes = [node(0, 'a', () => undefined), node(1, 'a', () => '0x1'), node(2, 'b', () => '0x1')];
    expect(await read(agree(nodes, 2))).toBe('0x1');
  });

  test('asks another host when one does not respond', async () => {
    const nodes = [node(0, 'a', () => undefined), node(1, 'b', () => '0x1'), node(2, 'c', () => '0x1')];
    expect(await read(agree(nodes, 2))).toBe('0x1');
  });

  test('does not count the error of a node as a vote', async () => {
    const nodes = [node(0, 'a', () => new Error('busy')), node(1, 'b', () => new Error('busy'))];
    await expect(read(agree(nodes, 2))).rejects.toMatchObject({ unreadable: 'rpc-error' });
  });

  test('does not count a missing block as a vote', async () => {
    const nodes = [node(0, 'a', () => null), node(1, 'b', () => null), node(2, 'c', () => '0x1')];
    await expect(read(agree(nodes, 2))).rejects.toMatchObject({ unreadable: 'block-mismatch' });
  });

  test('does not elect a text that differs in more than the case of hex digits, as readers reject it', async () => {
    const nodes = [node(0, 'a', () => '0XAB12'), node(1, 'b', () => '0xab12'), node(2, 'c', () => '0xAB12')];
    expect(await read(agree(nodes, 2))).toBe('0xab12');
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([true, false, false]);
  });

  test('compares hex digits of either case as equal', async () => {
    expect(await read(agree([node(0, 'a', () => '0xAB'), node(1, 'b', () => '0xab')], 2))).toBe('0xAB');
  });

  test('compares the responses of a batch as a whole', async () => {
    const nodes = [0, 1, 2].map((i) => {
      const responses = i === 0 ? ['0x1', '0xbad'] : ['0x1', '0x2'];
      return node(i, `host-${i}`, () => responses.shift());
    });
    const responses = await agree(nodes, 2).request([CALL, CALL], startDeadline(10_000, 5_000));
    expect(responses).toEqual([toResponse('0x1'), toResponse('0x2')]);
  });
});

const hash = (number: number, fork = 0) => `0x${fork}${String(number).padStart(63, '0')}`;
const block = (number: number, fork = 0, timestamp = 1_000 + number) => ({
  number: `0x${number.toString(16)}`,
  hash: hash(number, fork),
  parentHash: hash(number - 1, fork),
  timestamp: `0x${timestamp.toString(16)}`,
  logsBloom: `0x${'0'.repeat(512)}`,
});
const chainUpTo = (head: number, fork = 0, finalized = head): Respond => {
  return ({ params: [wanted] }) => {
    const number = wanted === 'latest' ? head : wanted === 'finalized' ? finalized : Number(wanted);
    return number > head ? null : block(number, fork);
  };
};
const header = (number: number, fork = 0, timestamp = 1_000 + number): Header => ({
  number,
  hash: hash(number, fork),
  parentHash: hash(number - 1, fork),
  timestamp,
  logsBloom: `0x${'0'.repeat(512)}`,
});

describe('confirmHead', () => {
  const confirm = (nodes: readonly VotingNode[], quorum: number, head: Header) =>
    agree(nodes, quorum).confirmHead(head, startDeadline(10_000, 5_000));

  test('returns a head that enough hosts know, with one request to each of them', async () => {
    const nodes = [node(0, 'a', chainUpTo(9)), node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(9))).toEqual(header(9));
    expect(nodes.map(({ requests }) => requests)).toEqual([1, 1, 0]);
  });

  test('returns the newest block that enough hosts have reached', async () => {
    const nodes = [node(0, 'a', chainUpTo(9)), node(1, 'b', chainUpTo(7)), node(2, 'c', chainUpTo(8))];
    expect(await confirm(nodes, 2, header(9))).toMatchObject({ number: 8, hash: hash(8) });
  });

  test('returns the newest block of the others when one host is far behind, and leaves that host out', async () => {
    const nodes = [node(0, 'a', chainUpTo(850)), node(1, 'b', chainUpTo(900)), node(2, 'c', chainUpTo(900))];
    expect(await confirm(nodes, 2, header(850))).toMatchObject({ number: 900, hash: hash(900) });
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([true, false, false]);
    expect([counters.disagreements, named]).toEqual([1, [1]]);
  });

  test.each([
    ['a few seconds behind', 12],
    ['far behind a host that no other confirms', 1_000_000],
  ])('returns the head of a host that is %s', async (_name, ahead) => {
    const nodes = [node(0, 'a', chainUpTo(9)), node(1, 'b', chainUpTo(9 + ahead)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(9))).toEqual(header(9));
    expect(counters.disagreements).toBe(0);
  });

  test('leaves out another host than the followed one that serves another fork', async () => {
    const nodes = [node(0, 'a', chainUpTo(9)), node(1, 'b', chainUpTo(9, 1)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(9))).toEqual(header(9));
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([false, true, false]);
  });

  test.each([
    ['bloom', { logsBloom: `0x${'1'.repeat(512)}` }],
    ['receipts root', { receiptsRoot: `0x${'1'.repeat(64)}` }],
  ])('returns the %s of the others when one host forges that of a true block', async (_name, forged) => {
    const respond: Respond = ({ params: [wanted] }) => ({
      ...block(wanted === 'latest' ? 9 : Number(wanted)),
      ...forged,
    });
    const nodes = [node(0, 'a', respond), node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    const found = await confirm(nodes, 2, { ...header(9), ...forged });
    expect([found.logsBloom, found.receiptsRoot]).toEqual([header(9).logsBloom, undefined]);
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([true, false, false]);
  });

  test('ignores a head far in the future that one host claims', async () => {
    const nodes = [node(0, 'a', chainUpTo(1_000_000)), node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(1_000_000))).toMatchObject({ number: 9, hash: hash(9) });
  });

  test('returns the block of the others when one host serves another fork, and leaves that host out', async () => {
    const nodes = [node(0, 'a', chainUpTo(9, 1)), node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(9, 1))).toMatchObject({ number: 9, hash: hash(9) });
    expect(nodes.map(({ isLeftOut }) => isLeftOut)).toEqual([true, false, false]);
  });

  test('returns the time of the others when one host forges that of a true block', async () => {
    const forged: Respond = ({ params: [wanted] }) => block(wanted === 'latest' ? 9 : Number(wanted), 0, 5);
    const nodes = [node(0, 'a', forged), node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    expect(await confirm(nodes, 2, header(9, 0, 5))).toMatchObject({ timestamp: 1_009 });
  });

  test.each([0, 1])('does not wait for a silent host while two others know the head (node %i)', async (silent) => {
    const nodes = ['a', 'b', 'c'].map((host, i) => (i === silent ? silentNode(i, host) : node(i, host, chainUpTo(9))));
    expect(await confirm(nodes, 2, header(9))).toEqual(header(9));
  });

  test('returns the newest block that the others have reached, without a host that was silent twice', async () => {
    const nodes = [node(0, 'a', chainUpTo(9)), silentNode(1, 'b'), node(2, 'c', chainUpTo(7))];
    const agreement = agree(nodes, 2);
    const confirmNine = () => agreement.confirmHead(header(9), startDeadline(10_000, 5_000));
    for (let i = 0; i < 2; i++) {
      // The vote on the older block still waits for the silent host, until its request times out.
      void confirmNine();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await confirmNine()).toMatchObject({ number: 7 });
  });

  test('asks a host last after it was silent twice, and first again once it has answered', async () => {
    const first = silentNode(0, 'a');
    const nodes = [first, node(1, 'b', chainUpTo(9)), node(2, 'c', chainUpTo(9))];
    const agreement = agree(nodes, 2);
    const confirmNine = () => agreement.confirmHead(header(9), startDeadline(10_000, 5_000));
    for (let i = 0; i < 4; i++) expect(await confirmNine()).toEqual(header(9));
    expect(nodes.map(({ requests }) => requests)).toEqual([2, 4, 4]);
    Object.assign(first, { request: node(0, 'a', chainUpTo(9)).request, respond: chainUpTo(9) });
    nodes[2]!.respond = () => undefined;
    await confirmNine();
    nodes[2]!.respond = chainUpTo(9);
    await confirmNine();
    expect(nodes.map(({ requests }) => requests)).toEqual([4, 6, 5]);
  });

  test('rejects when two hosts are on different forks', async () => {
    const nodes = [node(0, 'a', chainUpTo(9, 1)), node(1, 'b', chainUpTo(9))];
    await expect(confirm(nodes, 2, header(9, 1))).rejects.toMatchObject({ unreadable: 'disagreement' });
  });

  test('rejects when too few hosts respond', async () => {
    const nodes = [node(0, 'a', chainUpTo(9)), node(1, 'b', () => undefined)];
    await expect(confirm(nodes, 2, header(9))).rejects.toMatchObject({ unreadable: 'disagreement' });
  });
});

describe('readFinalized', () => {
  const HEAD = 99;
  /** An honest node. */
  const finalizing = (finalized: number) => chainUpTo(HEAD, 0, finalized);
  const openNodes = (...responds: readonly Respond[]) => responds.map((respond, i) => node(i, `host-${i}`, respond));
  const readFinalized = (nodes: readonly VotingNode[], quorum = 2) =>
    agree(nodes, quorum).readFinalized(startDeadline(10_000, 5_000));

  test('returns the block that enough hosts name, with one call to each of them', async () => {
    const nodes = openNodes(finalizing(35), finalizing(35), finalizing(35));
    expect(await readFinalized(nodes)).toEqual(header(35));
    expect(nodes.map(({ requests }) => requests)).toEqual([1, 1, 0]);
  });

  /** Header of a true block, with the time of a newer one. */
  const outdated: Respond = ({ params: [wanted] }) => block(wanted === 'finalized' ? 2 : Number(wanted), 0, 1_035);
  describe.each([
    ['names the newest block', finalizing(HEAD), 0],
    ['names a block of a chain that does not exist', chainUpTo(1_000_000, 1), 0],
    ['names the first block', finalizing(0), 0],
    ['names an old block with the time of a newer one', outdated, 0],
    ['names another block of the same number', chainUpTo(HEAD, 1, 35), 1],
    ['names no block', () => null, 0],
    ['does not serve the tag', () => new Error('unknown tag'), 0],
    ['fails', () => undefined, 0],
  ] satisfies [string, Respond, number][])('with a node of three that %s', (_name, lie, differences) => {
    test.each([0, 1, 2])('returns the block of the others (node %i)', async (liar) => {
      const nodes = openNodes(...[0, 1, 2].map((i) => (i === liar ? lie : finalizing(35))));
      expect(await readFinalized(nodes)).toEqual(header(35));
      expect(counters.disagreements).toBe(liar < 2 ? differences : 0);
      expect(nodes.map(({ requests }) => requests)).toEqual(liar < 2 ? [1, 1, 1] : [1, 1, 0]);
    });
  });

  test('returns the newest block that enough hosts have finalized when hosts lag', async () => {
    expect(await readFinalized(openNodes(finalizing(33), finalizing(36), finalizing(35)))).toEqual(header(35));
    expect(await readFinalized(openNodes(finalizing(34), finalizing(35)))).toEqual(header(34));
  });

  test('returns an older block where only one host has an honest newer one, and names the liar', async () => {
    const nodes = openNodes(chainUpTo(HEAD, 1, 36), finalizing(35), finalizing(34));
    expect(await readFinalized(nodes)).toEqual(header(34));
    expect(named).toEqual([1]);
  });

  test('does not count the block of a host that has not finalized it', async () => {
    const forked = chainUpTo(HEAD, 1);
    // The last host is on another fork that is not final for it; a liar claims that fork.
    const stale: Respond = (call) => (Number(call.params[0]) > 30 ? forked(call) : finalizing(30)(call));
    expect(await readFinalized(openNodes(chainUpTo(HEAD, 1, 40), finalizing(40), stale))).toMatchObject({ number: 30 });
  });

  test('rejects when two hosts share no final block', async () => {
    const nodes = openNodes(chainUpTo(HEAD, 1, 35), finalizing(35));
    await expect(readFinalized(nodes)).rejects.toMatchObject({ unreadable: 'disagreement' });
  });

  test.each([
    ['block-mismatch', () => null],
    ['rpc-error', () => new Error('unknown tag')],
    ['transport', () => undefined],
  ] satisfies [string, Respond][])('rejects with %s when too few hosts name a block', async (unreadable, respond) => {
    await expect(readFinalized(openNodes(finalizing(35), respond))).rejects.toMatchObject({ unreadable });
  });

  test('does not wait for a silent host while others agree', async () => {
    const nodes = [silentNode(0, 'a'), node(1, 'b', finalizing(35)), node(2, 'c', finalizing(34))];
    expect(await readFinalized(nodes)).toEqual(header(34));
  });

  test('does not wait for a host that names a newer block and then is silent', async () => {
    const liar = node(0, 'a', chainUpTo(HEAD, 1, 36));
    const { request } = liar;
    liar.request = function (this: FakeNode, calls, deadline) {
      const isTag = calls.some(({ params }) => params[0] === 'finalized');
      return isTag ? request.call(this, calls, deadline) : new Promise<never>(() => {});
    };
    const nodes = [liar, node(1, 'b', finalizing(35)), node(2, 'c', finalizing(34))];
    expect(await readFinalized(nodes)).toEqual(header(34));
  });
});
