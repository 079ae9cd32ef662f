/**
 * HTTP listener for operators: `GET /metrics` and nothing else (configuration 1, decisions 4). It is not exposed to
 * callers.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPOSITION_CONTENT_TYPE, formatMetrics, type MetricFamily } from './exposition.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { readServiceMetrics, type MetricSources } from './service-metrics.ts';

export interface AdminListener {
  readonly port: number;
  close(): Promise<void>;
}

const TIMEOUT_MILLISECONDS = 5_000;

/** Throws the system's error when it cannot listen. */
export async function startAdminListener(
  listen: { readonly host: string; readonly port: number },
  sources: MetricSources,
): Promise<AdminListener> {
  const processMetrics = createProcessMetrics();
  const listener = await startMetricsListener(listen, async () => [
    ...(await readServiceMetrics(sources)),
    ...processMetrics.read(),
  ]);
  return {
    port: listener.port,
    async close() {
      await listener.close();
      processMetrics.close();
    },
  };
}

/** Serves the metric families at `/metrics`. Throws the system's error when it cannot listen. */
export async function startMetricsListener(
  listen: { readonly host: string; readonly port: number },
  read: () => Promise<readonly MetricFamily[]>,
): Promise<AdminListener> {
  async function respond(response: ServerResponse): Promise<void> {
    end(response, 200, EXPOSITION_CONTENT_TYPE, formatMetrics(await read()));
  }

  const server = createServer({ headersTimeout: TIMEOUT_MILLISECONDS, requestTimeout: TIMEOUT_MILLISECONDS });
  server.on('request', ({ method, url }, response) => {
    if (url?.split('?')[0] !== '/metrics')
      return end(response, 404, 'text/plain', 'not found: only /metrics is served\n');
    if (method !== 'GET' && method !== 'HEAD') return end(response, 405, 'text/plain', 'method not allowed: use GET\n');
    respond(response).catch(() => end(response, 500, 'text/plain', 'metrics cannot be read\n'));
  });
  server.listen(listen);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(text);
}
