/** Is it told where the time of requests goes? Only where `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; else nothing of it is loaded. */
import { runWithCertificates, type Config } from '../config.ts';
import type { Tracing, TracingOptions } from '../telemetry/tracing.ts';
import type { Shutdown } from './shutdown.ts';

/** Undefined: nothing is traced. */
export async function openTracing(config: Config, closing: Shutdown): Promise<Tracing | undefined> {
  const { tracing: settings, database, mainChain, altChain } = config;
  if (settings === undefined) return undefined;
  const { createTracing } = await import('../telemetry/tracing.ts');
  const upstreams = new Map([
    ...(altChain?.rpcUrls ?? []).map((url) => [new URL(url).origin, 'alt'] as const),
    ...(mainChain?.rpcUrls ?? []).map((url) => [new URL(url).origin, 'main'] as const),
  ]);
  const { endpoint, headers, serviceName, share } = settings;
  const options: TracingOptions = {
    url: `${endpoint}/v1/traces`,
    headers,
    serviceName,
    share,
    database: database.kind === 'postgres' ? 'postgresql' : 'sqlite',
    upstreams,
  };
  // Headers with the key of another collector would be sent to this one.
  const tracing = runWithCertificates(() => createTracing(options));
  closing.add(() => tracing.close());
  return tracing;
}
