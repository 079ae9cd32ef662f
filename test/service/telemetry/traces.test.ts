/** OpenTelemetry traces of requests, exported to a collector that the standard variables configure; the test is the collector. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';

const POLL_MILLISECONDS = 50;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const SECRET = 'collector-secret';
const OTHER_SECRET = 'other-collector-secret';
const CALLER_SECRET = 'caller-secret';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Variables of other programs on the same host; none of them redirects, extends or disables the export. */
const OTHERS = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/other',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=${OTHER_SECRET},x-key=${OTHER_SECRET}`,
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
  OTEL_EXPORTER_OTLP_COMPRESSION: OTHER_SECRET,
  OTEL_EXPORTER_OTLP_TIMEOUT: '1',
  OTEL_LOG_LEVEL: 'all',
  OTEL_RESOURCE_ATTRIBUTES: `key=${OTHER_SECRET}`,
  OTEL_SDK_DISABLED: 'true',
  OTEL_TRACES_EXPORTER: 'console',
  OTEL_TRACES_SAMPLER: 'always_off',
};

let folder: string;
let collector: Server;
let replica: Replica;
const received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[] = [];
async function collect(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await request.setEncoding('utf8').toArray()).join('');
  const { url = '', headers } = request;
  received.push({ path: url, headers, text });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'traces-'));
  collector = createServer((request, response) => void collect(request, response));
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  replica = await startReplica({
    ...inject('devnetEnv'),
    DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
    LOG_LEVEL: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
    ...OTHERS,
  });
  await replica.until('svc_index_ready', 1);
});
afterAll(async () => {
  await replica.kill();
  collector.close();
  collector.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const attributesOf = ({ attributes }: Pick<Span, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

it('exports a span for each request and each upstream call, under the parent of the caller and without caller data', async () => {
  // Several machines, because a batch that a background loop started belongs to no request.
  const machines = inject('fixtures').machines.filter(({ name }) => /^fleet-0\d$/.test(name));
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  const ask = (path: string, headers: Record<string, string>) => fetch(replica.url + path, { headers });
  for (const { did } of machines) {
    // Directly after an index became ready, the followed blocks do not connect to it yet.
    while (!(await ask(`/machine/${did}?key=${CALLER_SECRET}`, { traceparent, authorization: CALLER_SECRET })).ok) {
      await delay(POLL_MILLISECONDS);
    }
  }
  const statuses = await Promise.all(
    [`/nothing/${CALLER_SECRET}`, '/health'].map(async (path) => (await ask(path, { traceparent: 'nonsense' })).status),
  );
  expect(statuses).toEqual([404, 200]);
  replica.signal('SIGTERM');
  expect(await replica.ended).toBe(0);

  expect([...new Set(received.map(({ path, headers }) => `${path} ${headers.authorization}`))]).toEqual([
    `/v1/traces Bearer ${SECRET}`,
  ]);
  const exports = received.map(({ text }) => JSON.parse(text) as Export).flatMap(({ resourceSpans }) => resourceSpans);
  for (const { resource } of exports) expect(attributesOf(resource)).toEqual({ 'service.name': 'machine-rating' });
  const spans = exports.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);

  const served = spans.filter(
    (span) => span.name === 'GET /machine/:did' && attributesOf(span)['http.response.status_code'] !== 503,
  );
  expect(served.map((each) => [each.traceId, each.parentSpanId, attributesOf(each)])).toEqual(
    machines.map(() => [
      TRACE_ID,
      PARENT_ID,
      { 'http.request.method': 'GET', 'http.route': '/machine/:did', 'http.response.status_code': 200 },
    ]),
  );
  const ids = new Set(served.map(({ spanId }) => spanId));
  const below = spans.filter(({ parentSpanId }) => ids.has(parentSpanId!));
  expect(new Set(below.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(below.map(attributesOf)).toContainEqual({ 'svc.upstream': 'main', 'http.response.status_code': 200 });
  expect(below.map(attributesOf)).toContainEqual({
    'db.system.name': 'sqlite',
    'db.operation.name': 'readRatingState',
  });
  const unknown = spans.find(({ name }) => name === 'GET unknown')!;
  expect([unknown.parentSpanId ?? '', attributesOf(unknown)['http.response.status_code']]).toEqual(['', 404]);

  const text = received.map((each) => each.text).join('\n');
  expect(JSON.stringify([received, replica.lines])).not.toContain(OTHER_SECRET);
  const written = machines.flatMap(({ did, id }) => [did, id]);
  for (const secret of [CALLER_SECRET, SECRET, ...written, '127.0.0.1']) {
    expect(text).not.toContain(secret);
  }
});
