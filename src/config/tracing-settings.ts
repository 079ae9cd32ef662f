/**
 * Settings of the trace exporter, undefined when tracing is off. The names are those of OpenTelemetry; its exporter
 * reads only the certificate variables itself.
 */
import type { Environment } from './environment.ts';
import { BASE_URL, SERVICE_NAME, RATIO, TRACE_HEADERS } from './parsers.ts';

export interface TracingSettings {
  /** Base URL of a collector's OTLP/HTTP endpoint; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampleRatio: number;
}

/** Variables that the exporter may read from the environment of the process. */
export const CERTIFICATE_VARIABLES = [
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_KEY',
] as const;

export const DEFAULT_SERVICE_NAME = 'machine-rating';
export const DEFAULT_SAMPLE_RATIO = 1;

export function readTracingSettings(environment: Environment): TracingSettings | undefined {
  const endpoint = environment.read('OTEL_EXPORTER_OTLP_ENDPOINT', BASE_URL);
  const headers = environment.read('OTEL_EXPORTER_OTLP_HEADERS', TRACE_HEADERS) ?? {};
  const serviceName = environment.read('OTEL_SERVICE_NAME', SERVICE_NAME) ?? DEFAULT_SERVICE_NAME;
  const share = environment.read('OTEL_TRACES_SAMPLER_ARG', RATIO) ?? DEFAULT_SAMPLE_RATIO;
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, sampleRatio: share };
}
