/**
 * One node of the main chain as it responds, including the text of its errors, which only `svc doctor` prints. Calls are
 * paced by the refusals of the node and never sent to provoke one. Counts calls and bytes.
 */
import { isObject } from '../../../src/domain/json/json-values.ts';
import { REAL_STOPWATCH, startDeadline } from '../../../src/adapters/rpc/deadline.ts';
import { openConnections, parseRpcUrl, postToNode } from '../../../src/adapters/rpc/http-post.ts';
import { parseNodeJson } from '../../../src/adapters/rpc/node-json.ts';
import { NodeRate } from '../../../src/adapters/rpc/node-rate.ts';
import { isRateText } from '../../../src/adapters/rpc/rate-text.ts';
import { cutProviderText } from './provider-text.ts';

export type RawOutcome =
  | { readonly ok: true; readonly result: unknown }
  /** `text` is safe to print by `svc doctor` alone. `isRate`: the node refused because of its rate limit. */
  | { readonly ok: false; readonly code: number | undefined; readonly text: string; readonly isRate: boolean };

export interface RawCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RawNode {
  /** Sends one call; after a refusal of the rate, once more. Never throws. */
  call(method: string, ...params: readonly unknown[]): Promise<RawOutcome>;
  /** Returns whether the node answers these calls completely in one batch. Never throws. */
  answersBatch(calls: readonly RawCall[]): Promise<boolean>;
  readonly calls: number;
  readonly bytes: number;
  /** Calls a second that the node accepted after a refusal; undefined while it has refused none. */
  readonly limitedRate: number | undefined;
  /** Mean duration of a call. */
  readonly secondsPerCall: number;
  close(): Promise<void>;
}

const REQUEST_MILLISECONDS = 10_000;
const MAX_WAIT_SECONDS = 10;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

interface RawReply {
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly json: unknown;
  readonly text: string;
}

export function openRawNode(url: string): RawNode {
  const node = parseRpcUrl(url);
  const { post, close } = openConnections({ connectionsPerNode: 4, requestTimeoutMilliseconds: REQUEST_MILLISECONDS });
  const rate = new NodeRate(REAL_STOPWATCH);
  let calls = 0;
  let requests = 0;
  let bytes = 0;
  let milliseconds = 0;

  async function send(payload: unknown, count: number): Promise<RawReply> {
    const deadline = startDeadline(2 * REQUEST_MILLISECONDS, REQUEST_MILLISECONDS);
    await rate.admit(count, deadline).catch(() => undefined);
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
    return { ...reply, json: parseNodeJson(body), text: `HTTP ${reply.status} ${text}` };
  }

  async function callOnce({ method, params }: RawCall): Promise<RawOutcome & { readonly waitSeconds?: number }> {
    const sentAt = REAL_STOPWATCH.nowMilliseconds();
    const { status, retryAfterSeconds, json, text } = await send({ jsonrpc: '2.0', id: 1, method, params }, 1);
    if (isObject(json) && 'result' in json && !isObject(json['error'])) {
      rate.recordAccepted(1);
      return { ok: true, result: json['result'] };
    }
    const error = isObject(json) && isObject(json['error']) ? json['error'] : {};
    const message = typeof error['message'] === 'string' ? error['message'] : undefined;
    const code = typeof error['code'] === 'number' ? error['code'] : undefined;
    const isRate = status === 429 || status === 402 || (message !== undefined && isRateText(message));
    if (isRate) rate.recordRefusal(1, sentAt);
    const shown = message === undefined ? text : cutProviderText(message, url);
    return { ok: false, code, text: shown, isRate, waitSeconds: Math.min(MAX_WAIT_SECONDS, retryAfterSeconds ?? 1) };
  }

  return {
    async call(method, ...params) {
      const first = await callOnce({ method, params });
      if (first.ok || !first.isRate) return first;
      await REAL_STOPWATCH.pause((first.waitSeconds ?? 1) * 1000, new AbortController().signal);
      return callOnce({ method, params });
    },
    async answersBatch(batch) {
      const payload = batch.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
      const { json } = await send(payload, batch.length);
      const items = Array.isArray(json) ? json.filter((item) => isObject(item) && 'result' in item) : [];
      return items.length === batch.length;
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
