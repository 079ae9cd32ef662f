/**
 * Request tracing over OTLP/HTTP: one span per request, with child spans for each batch sent to a node and each
 * database call. Names and attributes are registered routes, fixed words and numbers; they never include a path,
 * address, URL or header of a caller. Loaded only when a collector is configured.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

export interface TracingOptions {
  /** URL that traces are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Fraction of traces that is sampled, by trace id: 0 to 1. */
  readonly sampleRatio: number;
  /** `postgresql` or `sqlite`. */
  readonly database: string;
  /** Upstream names by origin. */
  readonly upstreams: ReadonlyMap<string, string>;
}

export interface Tracing {
  /** Runs `serve`, which returns the registered route, in a span that ends with the response. */
  traceRequest(request: IncomingMessage, response: ServerResponse, serve: () => string): void;
  /** Wraps a store so that its calls within a request are child spans. */
  traceStore<T extends object>(store: T): T;
  /** Exports the remaining spans within a short time limit. */
  close(): Promise<void>;
}

/** Message of undici's diagnostics channels. */
interface UpstreamMessage {
  readonly request: object & { readonly origin?: unknown };
  readonly response?: { readonly statusCode: number };
}

type Method = (...values: unknown[]) => unknown;

const EXPORT_TIMEOUT_MILLISECONDS = 5_000;
const LAST_EXPORT_MILLISECONDS = 400;
const OTHER_UPSTREAM = 'other';
const ZEROS = /^0+$/;

/**
 * Starts tracing. The exporter adds what it finds in the environment, so that must hold only what is meant for this
 * collector.
 */
export function createTracing(options: TracingOptions): Tracing {
  const { url, headers, serviceName, sampleRatio: share, database, upstreams } = options;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MILLISECONDS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    // Sampling depends on the id alone, so that callers' flags cannot decide how much is sent.
    sampler: new TraceIdRatioBasedSampler(share),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer(serviceName);
  const current = new AsyncLocalStorage<Context>();
  const upstreamSpans = new WeakMap<object, Span>();

  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    'undici:request:create': (message) => {
      const parent = current.getStore();
      if (parent === undefined) return;
      const { request } = message as UpstreamMessage;
      const upstream = upstreams.get(String(request.origin)) ?? OTHER_UPSTREAM;
      const attributes = { 'svc.upstream': upstream };
      upstreamSpans.set(
        request,
        tracer.startSpan(`upstream ${upstream}`, { kind: SpanKind.CLIENT, attributes }, parent),
      );
    },
    'undici:request:headers': (message) => {
      const { request, response } = message as UpstreamMessage;
      upstreamSpans.get(request)?.setAttribute('http.response.status_code', response!.statusCode);
    },
    'undici:request:trailers': (message) => upstreamSpans.get((message as UpstreamMessage).request)?.end(),
    'undici:request:error': (message) =>
      endFailed(upstreamSpans.get((message as UpstreamMessage).request), 'transport'),
  };
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);

  return {
    traceRequest(request, response, serve) {
      const method = request.method ?? '';
      const parent = parseTraceparent(request.headers['traceparent']);
      const attributes = { 'http.request.method': method };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      const route = current.run(trace.setSpan(parent, span), serve);
      span.updateName(`${method} ${route}`);
      span.setAttribute('http.route', route);
      const end = () => {
        if (!response.writableFinished) {
          endFailed(span, 'aborted');
          return;
        }
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
      if (response.closed) end();
      else response.once('close', end);
    },
    traceStore: (store) =>
      Object.fromEntries(
        Object.entries(store).map(([name, method]) => [name, traceCall(name, method as Method)]),
      ) as typeof store,
    async close() {
      for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
      const ended = provider.shutdown().catch(() => undefined);
      await Promise.race([ended, delay(LAST_EXPORT_MILLISECONDS, undefined, { ref: false })]);
    },
  };

  function traceCall(name: string, method: Method): Method {
    const attributes = { 'db.system.name': database, 'db.operation.name': name };
    return async (...values) => {
      const parent = current.getStore();
      if (parent === undefined) return method(...values);
      const span = tracer.startSpan(`database ${name}`, { kind: SpanKind.CLIENT, attributes }, parent);
      try {
        const value = await method(...values);
        span.end();
        return value;
      } catch (error) {
        endFailed(span, 'database');
        throw error;
      }
    };
  }
}

/** Parses a caller's `traceparent` (W3C Trace Context 3.2); anything else yields the root context. */
function parseTraceparent(header: string | string[] | undefined): Context {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(String(header));
  if (match === null) return ROOT_CONTEXT;
  const [, version, traceId, spanId, flags, rest] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  const isOurs = version === '00' ? rest === undefined : version !== 'ff';
  if (!isOurs || ZEROS.test(traceId) || ZEROS.test(spanId)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: parseInt(flags, 16) & 1, isRemote: true });
}

function endFailed(span: Span | undefined, type: string): void {
  span?.setAttribute('error.type', type);
  span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}
