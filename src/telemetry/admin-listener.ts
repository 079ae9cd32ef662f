/**
 * HTTP listener for operators: `GET /metrics` and the health checks without rate limits, and nothing else (configuration
 * 1, decisions 4). It is not exposed to callers.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPOSITION_CONTENT_TYPE, formatMetrics } from './exposition.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { readServiceMetrics, type MetricSources } from './service-metrics.ts';

export interface AdminListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Health checks by path. They throw no error. */
export type HealthChecks = Readonly<
  Record<string, () => Promise<{ readonly status: number; readonly body: { readonly text: string } }>>
>;

const TIMEOUT_MILLISECONDS = 5_000;
const NOT_FOUND = 'not found: only /metrics, /health and /ready are served\n';

/** Throws the system's error when it cannot listen. */
export async function startAdminListener(
  listen: { readonly host: string; readonly port: number },
  sources: MetricSources,
  healthChecks: HealthChecks,
): Promise<AdminListener> {
  const processMetrics = createProcessMetrics();

  async function sendMetrics(response: ServerResponse): Promise<void> {
    const families = [...(await readServiceMetrics(sources)), ...processMetrics.read()];
    end(response, 200, EXPOSITION_CONTENT_TYPE, formatMetrics(families));
  }

  const responders = new Map<string | undefined, (response: ServerResponse) => Promise<void>>([
    ['/metrics', sendMetrics],
  ]);
  for (const [path, check] of Object.entries(healthChecks)) {
    responders.set(path, async (response) => {
      const { status, body } = await check();
      end(response, status, 'application/json; charset=utf-8', body.text);
    });
  }

  const server = createServer({ headersTimeout: TIMEOUT_MILLISECONDS, requestTimeout: TIMEOUT_MILLISECONDS });
  server.on('request', ({ method, url }, response) => {
    const respond = responders.get(url?.split('?')[0]);
    if (respond === undefined) return end(response, 404, 'text/plain', NOT_FOUND);
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
      processMetrics.close();
    },
  };
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(text);
}
