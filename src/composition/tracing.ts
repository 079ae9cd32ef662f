/** Opens tracing, if `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; otherwise none of its code is loaded. */
import { runWithCertificates, type Config } from '../config.ts';
import type { Tracing, TracingOptions } from '../telemetry/tracing.ts';
import type { Shutdown } from './shutdown.ts';

/** Undefined: nothing is traced. */
export async function openTracing(config: Config, shutdown: Shutdown): Promise<Tracing | undefined> {
  const { tracing: settings, database, mainChain, altChain } = config;
  if (settings === undefined) return undefined;
  const { createTracing } = await import('../telemetry/tracing.ts');
  const upstreams = new Map([
    ...(altChain?.rpcUrls ?? []).map((url) => [new URL(url).origin, 'alt'] as const),
    ...(mainChain?.rpcUrls ?? []).map((url) => [new URL(url).origin, 'main'] as const),
  ]);
  const { endpoint, headers, serviceName, sampleRatio: share } = settings;
  const options: TracingOptions = {
    url: `${endpoint}/v1/traces`,
    headers,
    serviceName,
    sampleRatio: share,
    database: database.kind === 'postgres' ? 'postgresql' : 'sqlite',
    upstreams,
  };
  // Without this, the exporter would send headers with another collector's key to this one.
  const tracing = runWithCertificates(() => createTracing(options));
  shutdown.add(() => tracing.close());
  return tracing;
}
