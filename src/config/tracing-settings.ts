/** Where do traces go? Undefined: nowhere. The names are those of OpenTelemetry; its exporter reads those of certificates by itself, and no other. */
import type { Environment } from './environment.ts';
import { BASE_URL, SERVICE_NAME, SHARE, TRACE_HEADERS } from './parsers.ts';

export interface TracingSettings {
  /** Base of a collector's OTLP/HTTP; `/v1/traces` is added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly share: number;
}

/** What the exporter may find in the environment of the process. */
export const CERTIFICATE_VARIABLES = [
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_CLIENT_KEY',
] as const;

export const DEFAULT_SERVICE_NAME = 'machine-rating';
export const DEFAULT_SHARE = 1;

export function readTracingSettings(environment: Environment): TracingSettings | undefined {
  const endpoint = environment.read('OTEL_EXPORTER_OTLP_ENDPOINT', BASE_URL);
  const headers = environment.read('OTEL_EXPORTER_OTLP_HEADERS', TRACE_HEADERS) ?? {};
  const serviceName = environment.read('OTEL_SERVICE_NAME', SERVICE_NAME) ?? DEFAULT_SERVICE_NAME;
  const share = environment.read('OTEL_TRACES_SAMPLER_ARG', SHARE) ?? DEFAULT_SHARE;
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, share };
}
