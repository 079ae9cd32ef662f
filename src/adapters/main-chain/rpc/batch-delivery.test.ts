/** Delivery of calls to nodes that refuse batches, answer them in part or limit the rate, each in its own way. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  CUT,
  startHttpNode,
  toError,
  toResult,
  type HttpNode,
  type HttpNodeCall,
  type HttpNodeResponse,
} from '../../../../testing/harness/http-node.ts';
import { createCallBudget, type CallBudget } from '../../rpc/call-budget.ts';
import {
  INDEX_WORK,
  REAL_STOPWATCH,
  UNNAMED_CALLER,
  startDeadline as startRealDeadline,
  type Stopwatch,
} from '../../rpc/deadline.ts';
import { MAIN_CHAIN_LIMITS } from '../limits.ts';
import { createMainNodes, type MainNodes } from './main-nodes.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from './upstream-counters.ts';

/** Pauses between attempts take a fiftieth of their time. */
const SHORT_PAUSES: Stopwatch = {
  ...REAL_STOPWATCH,
  pause: (milliseconds, signal) => REAL_STOPWATCH.pause(milliseconds / 50, signal),
};

let node: HttpNode;
let nodes: MainNodes;
let counters: MainUpstreamCounters;
let clockMilliseconds = 0;
let stopwatch: Stopwatch;
/** Responds to requests for anything but the chain id. */
let respond: (calls: readonly HttpNodeCall[]) => HttpNodeResponse;

beforeEach(async () => {
  respond = answer;
  stopwatch = SHORT_PAUSES;
  node = await startHttpNode((calls, isBatch) => {
    if (calls[0]!.method === 'eth_chainId') return { body: toResult(calls[0]!, '0x1') };
    const response = respond(calls);
    return isBatch || !Array.isArray(response.body) ? response : { ...response, body: (response.body as unknown[])[0] };
  });
  open();
});
afterEach(async () => {
  await nodes.close();
  await node.close();
});

function open(rpcUrls = [node.url], limits: Partial<CallBudget> = {}): void {
  counters = createMainUpstreamCounters();
  nodes = createMainNodes({
    rpcUrls,
    chainId: 1,
    // Time passes so fast that no circuit breaker is seen open.
    clock: { nowMilliseconds: () => (clockMilliseconds += 100_000) },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    limits: { ...MAIN_CHAIN_LIMITS, retryDelayMilliseconds: 1 },
    counters,
    stopwatch,
    // The sizes that one node accepts are tested apart from those of the budget.
    budget: { ...createCallBudget({ clock: { nowMilliseconds: () => 0 }, stopwatch }), ...limits },
  });
}

/** Opens the nodes on a stopwatch that runs twenty times as fast, for rates that are learned over seconds. */
async function openFast(): Promise<void> {
  await nodes.close();
  stopwatch = {
    ...REAL_STOPWATCH,
    nowMilliseconds: () => 20 * performance.now(),
    pause: (milliseconds, signal) => REAL_STOPWATCH.pause(milliseconds / 20, signal),
  };
  open();
}

const startDeadline = (milliseconds: number, requestMilliseconds: number) =>
  startRealDeadline(milliseconds, requestMilliseconds, stopwatch, { work: INDEX_WORK, isKnown: true });
const answerTo = (call: HttpNodeCall) => toResult(call, call.params[0]);
const answer = (calls: readonly HttpNodeCall[]): HttpNodeResponse => ({ body: calls.map(answerTo) });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const toCalls = (count: number, method = 'eth_call') => numbers(count).map((i) => ({ method, params: [i] }));

async function request(count: number, method?: string, milliseconds = 20_000): Promise<unknown[]> {
  const responses = await nodes.request(toCalls(count, method), startDeadline(milliseconds, 10_000));
  return responses.map((response) => (response.ok ? response.result : response.code));
}

/** Sizes of the requests since the last call, without those for the chain id. */
function takeSizes(): number[] {
  const sizes = node.requests.filter(([first]) => first!.method !== 'eth_chainId').map((calls) => calls.length);
  node.requests.length = 0;
  return sizes;
}

const refuseAbove = (limit: number, refuse: (calls: readonly HttpNodeCall[]) => HttpNodeResponse) => {
  respond = (calls) => (calls.length > limit ? refuse(calls) : answer(calls));
};

const json = (status: number, body: unknown): HttpNodeResponse => ({ status, body });

/** Refusals of batches, by provider or client. */
const REFUSALS: readonly (readonly [string, (calls: readonly HttpNodeCall[]) => HttpNodeResponse])[] = [
  [
    'one error with the id of the first call (geth)',
    ([first]) => json(200, toError(first!.id, -32600, 'batch too large')),
  ],
  [
    'one error without an id (Besu)',
    () => json(200, toError(null, -32005, 'Number of requests exceeds max batch size')),
  ],
  ['an array of one error (erigon)', ([first]) => json(200, [toError(first!.id, -32000, 'batch limit 2 exceeded')])],
  [
    'jsonrpsee without batches',
    () => json(200, toError(null, -32005, 'Batched requests are not supported by this server')),
  ],
  ['HTTP 413 (proxyd)', () => json(413, toError(null, -32014, 'too many RPC calls in batch request'))],
  ['HTTP 500 without an envelope (dRPC)', () => json(500, { message: 'Batch of more than 3 requests', code: 31 })],
  [
    'HTTP 500 with a rate in the text',
    () => json(500, toError(null, 31, 'Batch exceeds the request limit per second')),
  ],
  [
    'the same error per item',
    (calls) =>
      json(
        200,
        calls.map(({ id }) => toError(id, 31, 'Batch of more than 3')),
      ),
  ],
  [
    'the same unknown error per item',
    (calls) =>
      json(
        200,
        calls.map(({ id }) => toError(id, -32600, 'Invalid Request')),
      ),
  ],
  ['HTTP 400 with text', () => json(400, 'Bad Request')],
  ['HTTP 402', () => json(402, 'Payment Required')],
  ['HTTP 405', () => json(405, '<html>Method Not Allowed</html>')],
  ['HTML with HTTP 200', () => json(200, '<!doctype html><html>')],
  ['an empty body', () => json(200, '')],
  ['an empty array', () => json(200, [])],
  ['a reset connection', () => ({ body: CUT })],
  ['one result for all', ([first]) => json(200, answerTo(first!))],
];

describe('a batch that is refused by', () => {
  test.each(REFUSALS)('%s is answered in smaller ones, whose size is remembered', async (_, refuse) => {
    refuseAbove(2, refuse);
    expect(await request(12)).toEqual(numbers(12));
    takeSizes();
    expect(await request(6)).toEqual(numbers(6));
    expect(takeSizes()).toEqual([2, 2, 2]);
  });

  test.each(REFUSALS)('%s is answered by single calls where the node serves no batches', async (_, refuse) => {
    refuseAbove(1, refuse);
    expect(await request(5)).toEqual(numbers(5));
    takeSizes();
    expect(await request(3)).toEqual(numbers(3));
    expect(takeSizes()).toEqual([1, 1, 1]);
    // What one method has shown holds for the others.
    expect(await request(3, 'eth_getLogs')).toEqual(numbers(3));
    expect(takeSizes()).toEqual([1, 1, 1]);
    expect(nodes.batchRoom()).toBe(1);
    expect(counters.failures).toEqual({});
  });

  test('a node that is down costs the repetitions of one call, not one per size', async () => {
    respond = () => json(502, '<html>Bad Gateway</html>');
    await expect(request(100)).rejects.toMatchObject({ unreadable: 'transport' });
    expect(takeSizes()).toEqual([100, 1, 1, 1, 1]);
    respond = answer;
    open();
    expect(await request(100)).toEqual(numbers(100));
    expect(takeSizes()).toEqual([100]);
  });
});

describe('a gateway that fails once', () => {
  const failOnce = (isAffected: (calls: readonly HttpNodeCall[]) => boolean, failure: HttpNodeResponse) => {
    let isOver = false;
    respond = (calls) => {
      if (isOver || !isAffected(calls)) return answer(calls);
      isOver = true;
      return failure;
    };
  };

  test.each([
    ['HTTP 502', json(502, '<html>Bad Gateway</html>')],
    ['HTTP 504 with an error', json(504, toError(null, -32015, 'gateway timeout'))],
    ['HTTP 403 with text', json(403, 'error code: 1015')],
    ['HTML with HTTP 200', json(200, '<html>')],
    ['an empty body', json(200, '')],
  ])('with %s fails no single call', async (_, failure) => {
    failOnce(() => true, failure);
    expect(await request(1)).toEqual([0]);
    expect(takeSizes()).toEqual([1, 1]);
    expect(counters.failures).toEqual({});
  });

  test('does not narrow a log query over a range', async () => {
    failOnce(() => true, json(502, '<html>Bad Gateway</html>'));
    const query = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x64' }] };
    const [response] = await nodes.request([query], startDeadline(20_000, 10_000));
    expect(response).toMatchObject({ ok: true, result: query.params[0] });
  });

  test('leaves the remembered size as it is, a second failure in a row does not', async () => {
    failOnce((calls) => calls.length > 1, json(502, '<html>Bad Gateway</html>'));
    expect(await request(100)).toEqual(numbers(100));
    expect(takeSizes()).toEqual([100, 1, 99]);
    refuseAbove(50, () => json(502, '<html>Bad Gateway</html>'));
    expect(await request(100)).toEqual(numbers(100));
    expect(takeSizes()).toEqual([100, 1, 99, 1, 50, 48]);
  });
});

describe('a gateway that fails again and again', () => {
  const html = { status: 503, body: '<html></html>', headers: { 'content-type': 'text/html' } };

  test.each([
    ['fails no call of the index', INDEX_WORK, 3, ['fulfilled']],
    ['fails no call of a caller when it fails twice', UNNAMED_CALLER, 2, ['fulfilled']],
    ['fails a call of a caller when it fails three times', UNNAMED_CALLER, 3, ['rejected']],
    ['fails a call of the index when it stays down', INDEX_WORK, 4, ['rejected']],
  ])('%s', async (_name, work, failures, outcome) => {
    let requests = 0;
    respond = (calls) => (++requests <= failures ? html : answer(calls));
    const deadline = startRealDeadline(20_000, 10_000, stopwatch, { work, isKnown: true });
    const settled = await Promise.allSettled([nodes.request(toCalls(1), deadline)]);
    expect(settled.map(({ status }) => status)).toEqual(outcome);
  });

  test.each([
    // So often in a row that the repetition of a call fails too: a request whose connection is lost is sent twice.
    ['by HTML', html, 2],
    ['by losing connections', { body: CUT }, 4],
  ])('%s ends no delivery of many calls while some requests pass', async (_, failure, inRow) => {
    let requests = 0;
    respond = (calls) => {
      if (++requests % 11 < inRow) return failure;
      return calls.length > 1 ? { status: 400, body: 'no batches' } : answer(calls);
    };
    await openFast();
    expect(await request(40, undefined, 400_000)).toEqual(numbers(40));
  });

  test('counts the requests that fail at the same time as one failure', async () => {
    let failing = 0;
    let requests = 0;
    respond = (calls) => {
      if (calls.length > 1) return { status: 400, body: 'no batches' };
      // One short failure, which all requests meet that are sent side by side.
      if (++requests === 30) failing = 8;
      return failing-- > 0 ? html : answer(calls);
    };
    expect(await request(80)).toEqual(numbers(80));
  });

  test('ends a delivery when none passes any more', async () => {
    let requests = 0;
    respond = (calls) => {
      if (++requests > 5) return html;
      return calls.length > 1 ? { status: 400, body: '' } : answer(calls);
    };
    await openFast();
    const outcome = request(20, undefined, 400_000);
    await expect(outcome).rejects.toMatchObject({ unreadable: 'transport', isOfGateway: true });
  });
});

describe('the remembered size', () => {
  test('grows to the largest that the node accepts', async () => {
    refuseAbove(10, () => json(400, 'no'));
    for (let i = 0; i < 60; i++) expect(await request(40)).toEqual(numbers(40));
    takeSizes();
    await request(40);
    expect(takeSizes()).toEqual([10, 10, 10, 10]);
  });

  test('of a single call grows again after many calls', async () => {
    respond = (calls) => (calls.length > 1 ? json(400, 'no') : answer(calls));
    await request(8);
    expect(takeSizes()).toContain(2);
    respond = answer;
    await request(8);
    expect(takeSizes()).toEqual(numbers(8).fill(1));
    for (let i = 0; i < 100; i += 1) await request(8);
    expect(takeSizes().at(-1)).toBe(8);
  });

  test('is not lowered by calls that fail by themselves', async () => {
    respond = (calls) =>
      json(
        200,
        calls.map(({ id }) => toError(id, -32600, 'no such thing')),
      );
    expect(await request(20)).toEqual(numbers(20).fill(-32600));
    expect(takeSizes()).toEqual([20, 1]);
    respond = answer;
    await request(20);
    expect(takeSizes()).toEqual([20]);
  });

  test('is lowered for the method whose answers are too large, not for others', async () => {
    const error = (id: number) => toError(id, -32003, 'response too large');
    respond = (calls) =>
      json(
        200,
        calls.map((call, i) => (i < 3 || call.method === 'eth_call' ? answerTo(call) : error(call.id))),
      );
    expect(await request(8, 'eth_getBlockReceipts')).toEqual(numbers(8));
    expect(takeSizes()).toEqual([8, 5, 2]);
    await request(8, 'eth_getBlockReceipts');
    expect(takeSizes()[0]).toBeLessThan(8);
    await request(8);
    expect(takeSizes()).toEqual([8]);
  });
});

describe('a batch that is answered in part', () => {
  test.each([
    ['a missing item', undefined],
    ['an item that the rate refuses', { error: { code: 429, message: 'Too many requests' } }],
  ])('with %s is checked after what it lacked was asked for again', async (_, item) => {
    let requests = 0;
    respond = (calls) => {
      if (calls.length < 4 || ++requests > 1) return answer(calls);
      const lacking = item && { jsonrpc: '2.0', id: calls[1]!.id, ...item };
      return { body: [answerTo(calls[0]!), lacking, ...calls.slice(2).map(answerTo)].filter(Boolean) };
    };
    const check = { method: 'eth_getBlockByNumber', params: [3], isCheck: true };
    await nodes.request([...toCalls(3), check], startDeadline(20_000, 10_000));
    const asked = node.requests.filter(([first]) => first!.method !== 'eth_chainId');
    expect(asked.map((calls) => calls.map(({ params }) => params[0]))).toEqual([[0, 1, 2, 3], [1], [3]]);
  });

  test.each<[string, (answers: object[], calls: readonly HttpNodeCall[]) => object[]]>([
    ['in another order', (answers) => answers.toReversed()],
    ['without some items', (answers) => answers.filter((_, i) => i % 2 === 0)],
    ['with duplicates', (answers) => [...answers, ...answers.slice(0, 2)]],
    ['with a duplicate that differs', (answers, [first]) => [...answers, toResult(first!, 'other')]],
    ['with garbage among the items', (answers) => [null, 'x', ...answers.slice(2)] as object[]],
    ['with a strange id', (answers) => [...answers.slice(1), toResult({ id: -5, method: '', params: [] }, 'x')]],
  ])('%s keeps its good items and asks again for the others', async (_, change) => {
    let isFirst = true;
    respond = (calls) => {
      const answers = calls.map(answerTo);
      const body = isFirst ? change(answers, calls) : answers;
      isFirst = false;
      return json(200, body);
    };
    expect(await request(6)).toEqual(numbers(6));
    const sizes = takeSizes();
    expect([sizes[0], sizes.length <= 2]).toEqual([6, true]);
  });

  test('with size errors alone, one of them lost, is asked again in smaller ones', async () => {
    respond = (calls) => {
      const errors = calls.map(({ id }) => toError(id, -32_003, 'response too large'));
      return json(200, calls.length > 2 ? errors.toSpliced(1, 1) : calls.map(answerTo));
    };
    expect(await request(6)).toEqual(numbers(6));
    expect(takeSizes()).toEqual([6, 1, 3, 1, 2, 2]);
  });

  test('is malformed when the last single call stays without a response', async () => {
    respond = (calls) => json(200, calls.filter(({ params }) => params[0] !== 4).map(answerTo));
    await expect(request(6)).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test('because of the rate waits and then asks for the rest at a lower rate', async () => {
    let isFirst = true;
    respond = (calls) => {
      const isLimited = isFirst;
      isFirst = false;
      return json(
        200,
        calls.map((call, i) => (isLimited && i >= 8 ? toError(call.id, 429, 'capacity') : answerTo(call))),
      );
    };
    expect(await request(12)).toEqual(numbers(12));
    const sizes = takeSizes();
    expect([sizes[0], sizes.slice(1).reduce((a, b) => a + b)]).toEqual([12, 4]);
  });
});

describe('a rate limit', () => {
  let milliseconds = 0;
  beforeEach(async () => {
    await nodes.close();
    stopwatch = {
      nowMilliseconds: () => milliseconds,
      startTimeout: REAL_STOPWATCH.startTimeout,
      /** Ends at once. */
      async pause(duration) {
        milliseconds += duration;
      },
    };
    open();
  });

  /** Accepts this many calls in any 200 ms. */
  function limitRate(callsPerWindow: number, refuse: () => HttpNodeResponse): void {
    let accepted: number[] = [];
    respond = (calls) => {
      const now = milliseconds;
      accepted = accepted.filter((at) => now - at < 200);
      if (accepted.length + calls.length > callsPerWindow) return refuse();
      accepted.push(...calls.map(() => now));
      return answer(calls);
    };
  }

  test('that a batch can never fit leads to smaller batches', async () => {
    limitRate(5, () => ({ status: 429, body: 'slow down' }));
    let results: unknown[] | undefined;
    for (let i = 0; i < 10 && results === undefined; i++) {
      results = await request(30).catch((error: unknown) => {
        expect(error).toMatchObject({ kind: 'rate' });
        return undefined;
      });
    }
    expect(results).toEqual(numbers(30));
  });

  test('names the delay that the node requested, as seconds or as a date', async () => {
    respond = () => ({ status: 429, headers: { 'retry-after': '7' }, body: '' });
    await expect(request(3)).rejects.toMatchObject({ kind: 'rate', retryAfterSeconds: 7 });
    expect(takeSizes()).toEqual([3]);
    open();
    const date = new Date(Date.now() + 30_000).toUTCString();
    respond = () => ({ status: 429, headers: { 'retry-after': date }, body: '' });
    const failure = (await request(3).catch((error: unknown) => error)) as { retryAfterSeconds: number };
    expect(failure.retryAfterSeconds).toBeGreaterThan(25);
    expect(failure.retryAfterSeconds).toBeLessThanOrEqual(30);
  });

  test.each([
    ['its text', -32005, 'daily request count exceeded, request rate limited'],
    ['its code', 429, 'batch requests count as 4; limit exceeded'],
  ])('is not taken for a limit of batches where %s names it', async (_, code, message) => {
    let isFirst = true;
    respond = (calls) => {
      const isLimited = isFirst;
      isFirst = false;
      return isLimited ? json(200, toError(null, code, message)) : answer(calls);
    };
    await expect(request(4)).rejects.toMatchObject({ kind: 'rate' });
    takeSizes();
    expect(await request(4)).toEqual(numbers(4));
    expect(takeSizes()).toEqual([4]);
  });
});

describe('a log query over a range', () => {
  const query = (toBlock = '0x64') => ({ method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock }] });
  const blocksOf = ({ params }: HttpNodeCall) => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) + 1;
  };
  const send = async () => (await nodes.request([query()], startDeadline(20_000, 10_000)))[0];

  test.each<[string, (call: HttpNodeCall) => HttpNodeResponse]>([
    ['HTTP 400 with text', () => json(400, 'no')],
    ['HTTP 500 without an envelope', () => json(500, { message: 'no', code: 9 })],
    ['HTML', () => json(200, '<html>')],
    ['a reset connection', () => ({ body: CUT })],
    ['an error that says nothing', ({ id }) => json(200, toError(id, -32602, 'invalid params'))],
    ['an internal error', ({ id }) => json(500, toError(id, -32603, 'Internal Error'))],
  ])('that is refused by %s is too large when its first block can be read', async (_, refuse) => {
    respond = ([call]) => (blocksOf(call!) > 1 ? refuse(call!) : { body: [toResult(call!, [])] });
    expect(await send()).toMatchObject({ ok: false, hint: 'too-large' });
    expect(node.requests.at(-1)![0]!.params).toEqual([{ fromBlock: '0x1', toBlock: '0x1' }]);
    expect(counters.failures).toEqual({});
  });

  test('keeps its error when its first block cannot be read either', async () => {
    respond = () => json(400, 'no');
    await expect(send()).rejects.toMatchObject({ unreadable: 'transport' });
    respond = ([call]) => json(200, [toError(call!.id, -32602, 'invalid params')]);
    expect(await send()).toMatchObject({ ok: false, code: -32602, hint: undefined });
  });

  test('is not too large because of a rate limit', async () => {
    respond = ([call]) => (blocksOf(call!) > 1 ? json(429, '') : { body: [toResult(call!, [])] });
    await expect(send()).rejects.toMatchObject({ kind: 'rate' });
  });
});

describe('the calls of one request', () => {
  test('are all answered by one node', async () => {
    const second = await startHttpNode((calls, isBatch) => {
      const answers = calls.map((call) => toResult(call, call.method === 'eth_chainId' ? '0x1' : 'second'));
      return { body: isBatch ? answers : answers[0] };
    });
    open([node.url, second.url]);
    let served = 0;
    respond = (calls) => (calls.length > 2 || (served += calls.length) > 4 ? json(500, 'no') : answer(calls));
    expect(await request(8)).toEqual(numbers(8).fill('second' as never));
    await second.close();
  });

  test('are sent with the first before all others and the last after them', async () => {
    refuseAbove(1, () => json(400, 'no'));
    await request(4);
    takeSizes();
    await nodes.request([...toCalls(1, 'first'), ...toCalls(20), ...toCalls(1, 'last')], startDeadline(20_000, 10_000));
    const methods = node.requests.map(([call]) => call!.method);
    expect([methods[0], methods.at(-1), methods.length]).toEqual(['first', 'last', 22]);
  });

  test('are divided into small parts where they exceed what the call budget ever sends at once', async () => {
    open([node.url], { maxCalls: 13, partCalls: 3 });
    expect(await request(13)).toEqual(numbers(13));
    expect(takeSizes()).toEqual([13]);
    expect(await request(14)).toEqual(numbers(14));
    expect(takeSizes()).toEqual([3, 3, 3, 3, 2]);
  });
});

describe('calls that belong together', () => {
  const together = () => nodes.members[0]!.requestTogether(toCalls(3), startDeadline(20_000, 10_000));
  const isBatch = (calls: readonly HttpNodeCall[]) => calls.length > 1;

  test('are answered in one request, also at a node that refused larger batches', async () => {
    refuseAbove(3, () => json(400, 'no'));
    await request(8);
    takeSizes();
    expect(await together()).toMatchObject(numbers(3).map((result) => ({ result })));
    expect(takeSizes()).toEqual([3]);
  });

  test('are sent once more where a response is missing, and then fail', async () => {
    respond = (calls) => ({ body: calls.slice(isBatch(calls) ? 1 : 0).map(answerTo) });
    for (let i = 0; i < 5; i += 1) await expect(together()).rejects.toMatchObject({ unreadable: 'malformed' });
    expect(takeSizes().filter((size) => size === 3)).toHaveLength(10);
  });

  test('have the error of the call that fails', async () => {
    respond = (calls) => (isBatch(calls) ? json(500, 'no') : { body: [toError(calls[0]!.id, -32602, 'no')] });
    expect(await together()).toMatchObject(numbers(3).map(() => ({ code: -32602 })));
  });

  test.each([1, 2])('are sent one by one to a node that has refused every batch above %d', async (limit) => {
    await request(limit);
    refuseAbove(limit, () => json(400, 'no'));
    for (let i = 0; i < 3; i += 1) await expect(together()).rejects.toMatchObject({ kind: 'refused' });
    takeSizes();
    expect(await together()).toMatchObject(numbers(3).map((result) => ({ result })));
    expect(takeSizes()).toEqual([1, 1, 1]);
  });

  test('are never sent one by one to a node that has answered a batch of their size', async () => {
    await request(3);
    refuseAbove(1, () => json(500, 'no'));
    for (let i = 0; i < 5; i += 1) await expect(together()).rejects.toMatchObject({ kind: 'refused' });
  });

  test('are not repeated after a rate limit', async () => {
    respond = (calls) => ({ body: calls.map((call, i) => (i === 2 ? toError(call.id, 429, 'no') : answerTo(call))) });
    await expect(together()).rejects.toMatchObject({ kind: 'rate' });
    expect(takeSizes()).toEqual([3]);
  });
});
