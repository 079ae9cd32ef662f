/**
 * One node of the main chain as it responds, including the text of its errors, which only `svc doctor` prints. Calls are
 * paced by the refusals of the node and never sent to provoke one. Counts calls and bytes.
 */
import { FIRST_GATEWAY_STATUS, isRateError } from '../../../src/adapters/main-chain/rpc/json-rpc.ts';
import { isObject } from '../../../src/domain/json/json-values.ts';
import { createCallBudget } from '../../../src/adapters/rpc/call-budget.ts';
import { INDEX_WORK, REAL_STOPWATCH, startDeadline } from '../../../src/adapters/rpc/deadline.ts';
import { openConnections, parseRpcUrl, postToNode } from '../../../src/adapters/rpc/http-post.ts';
import { parseNodeJson } from '../../../src/adapters/rpc/node-json.ts';
import { NodeRate } from '../../../src/adapters/rpc/node-rate.ts';
import { PAYMENT_REQUIRED } from '../../../src/adapters/rpc/rpc-failure.ts';
import { repeatTransient } from '../repeat-transient.ts';
import { cutProviderText } from './provider-text.ts';

export type RawOutcome =
  | { readonly ok: true; readonly result: unknown }
  /** `text` is safe to print by `svc doctor` alone. */
  | { readonly ok: false; readonly code: number | undefined; readonly text: string };

interface Attempt {
  readonly outcome: RawOutcome;
  /** Pause that the node requested, or 0, where the next attempt may pass; undefined where it would fail too. */
  readonly pauseMilliseconds: number | undefined;
}

export interface RawCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RawNode {
  /** Sends one call; again while the rate limit or a gateway refuses it. Never throws. */
  call(method: string, ...params: readonly unknown[]): Promise<RawOutcome>;
  /** Returns whether the node answers these calls completely in one batch, which is sent as often as a call. Never throws. */
  answersBatch(calls: readonly RawCall[]): Promise<boolean>;
  readonly calls: number;
  readonly bytes: number;
  /** Calls a second that the node accepted after a refusal; undefined while it has refused none. */
  readonly limitedRate: number | undefined;
  /** Mean duration of a call. */
  readonly secondsPerCall: number;
  close(): Promise<void>;
}

/** A caller would be refused after two seconds. */
const PURPOSE = { work: INDEX_WORK, isKnown: true };
const REQUEST_MILLISECONDS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

interface RawReply {
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly json: unknown;
  readonly text: string;
}

const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;

const toPayload = ({ method, params }: RawCall, id: number) => ({ jsonrpc: '2.0', id, method, params });

const isAnswered = (item: unknown): item is Readonly<Record<string, unknown>> =>
  isObject(item) && 'result' in item && !isObject(item['error']);

/** `callsPerSecond` is the configured ceiling of the process. */
export function openRawNode(url: string, callsPerSecond: number | undefined): RawNode {
  const node = parseRpcUrl(url);
  const { post, close } = openConnections({ connectionsPerNode: 4, requestTimeoutMilliseconds: REQUEST_MILLISECONDS });
  const rate = new NodeRate(REAL_STOPWATCH);
  const clock = { nowMilliseconds: Date.now };
  const budget = createCallBudget({ clock, stopwatch: REAL_STOPWATCH, callsPerSecond });
  budget.limitTo(() => rate);
  let calls = 0;
  let requests = 0;
  let bytes = 0;
  let milliseconds = 0;

  async function send(payload: unknown, count: number): Promise<RawReply> {
    const deadline = startDeadline(2 * REQUEST_MILLISECONDS, REQUEST_MILLISECONDS, REAL_STOPWATCH, PURPOSE);
    await budget.admit(count, deadline);
    const signal = REAL_STOPWATCH.startTimeout(REQUEST_MILLISECONDS);
    const sentAt = REAL_STOPWATCH.nowMilliseconds();
    calls += count;
    requests += 1;
    const reply = await postToNode(node, JSON.stringify(payload), {
      post,
      signal,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    milliseconds += REAL_STOPWATCH.nowMilliseconds() - sentAt;
    if (typeof reply === 'string') {
      const text = reply === 'deadline' ? 'no response in time' : 'no response';
      return { status: undefined, retryAfterSeconds: undefined, json: undefined, text };
    }
    const body = reply.body ?? '';
    bytes += body.length;
    const text = cutProviderText(body.toString().slice(0, 4_000), url);
    return { ...reply, json: await parseNodeJson(body), text: `HTTP ${reply.status} ${text}` };
  }

  /** Sends one call, or several in one batch. */
  async function sendOnce(requested: RawCall | readonly RawCall[]): Promise<Attempt> {
    const isBatch = isArray(requested);
    const count = isBatch ? requested.length : 1;
    const sentAt = REAL_STOPWATCH.nowMilliseconds();
    const { status, retryAfterSeconds, json, text } = await send(
      isBatch ? requested.map(toPayload) : toPayload(requested, 0),
      count,
    );
    const items: readonly unknown[] = isBatch && Array.isArray(json) ? json : [json];
    const results = items.filter(isAnswered);
    if (results.length === count) {
      rate.recordAccepted(count);
      const result = isBatch ? results.map((each) => each['result']) : results[0]!['result'];
      return { outcome: { ok: true, result }, pauseMilliseconds: undefined };
    }
    const refused = items.find((item) => !isAnswered(item));
    const { method } = isBatch ? requested[0]! : requested;
    const error = isObject(refused) && isObject(refused['error']) ? refused['error'] : {};
    const message = typeof error['message'] === 'string' ? error['message'] : undefined;
    const code = typeof error['code'] === 'number' ? error['code'] : undefined;
    const isRate = status === 429 || status === PAYMENT_REQUIRED || isRateError(method, error);
    if (isRate) rate.recordRefusal(count, sentAt);
    const isOfGateway = status === undefined || status >= FIRST_GATEWAY_STATUS || (status < 300 && json === undefined);
    const isTransient = isOfGateway || (isRate && status !== PAYMENT_REQUIRED);
    return {
      outcome: { ok: false, code, text: message === undefined ? text : cutProviderText(message, url) },
      pauseMilliseconds: isTransient ? 1000 * (retryAfterSeconds ?? 0) : undefined,
    };
  }

  async function sendPatiently(requested: RawCall | readonly RawCall[]): Promise<RawOutcome> {
    const { outcome } = await repeatTransient(
      () => sendOnce(requested),
      ({ pauseMilliseconds }) => pauseMilliseconds,
    );
    return outcome;
  }

  return {
    call: (method, ...params) => sendPatiently({ method, params }),
    async answersBatch(batch) {
      const { ok } = await sendPatiently(batch);
      return ok;
    },
    get calls() {
      return calls;
    },
    get bytes() {
      return bytes;
    },
    get limitedRate() {
      return rate.callsPerSecond;
    },
    get secondsPerCall() {
      return requests === 0 ? 0 : milliseconds / requests / 1000;
    },
    close,
  };
}
