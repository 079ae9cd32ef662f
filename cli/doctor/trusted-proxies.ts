/**
 * Check of `TRUSTED_PROXIES`: asks a service that already runs with this configuration whether all its callers come from
 * one address, as behind a load balancer that is not listed (design/real-chains.md 3).
 */
import type { Config } from '../../src/config.ts';
import { formatCount } from '../../src/domain/index-rules/index-cause.ts';
import { SAME_CALLER_METRIC } from '../../src/telemetry/service-metrics.ts';
import { ok, warn, type Finding } from './check-result.ts';

const TIMEOUT_MILLISECONDS = 2_000;
/** Fewer requests in a row may come from one client. */
const MIN_REQUESTS = 100;

/** Returns no finding where no service responds on the admin port. */
export async function examineTrustedProxies({ admin, trustedProxies }: Config): Promise<Finding[]> {
  if (admin === undefined) return [];
  const requests = await readSameCallerRequests(admin).catch(() => undefined);
  if (requests === undefined) return [];
  const subject = 'TRUSTED_PROXIES';
  if (requests < MIN_REQUESTS) {
    const count = trustedProxies.length === 0 ? 'none' : formatCount(trustedProxies.length, 'range');
    return [ok(subject, `${count}; callers come from several addresses, or there are few`)];
  }
  const text = `the last ${formatCount(requests, 'request')} came from one address that is not listed`;
  const remedy =
    'if it is that of a load balancer, list it; otherwise all callers share one rate limit and call budget';
  return [warn(subject, text, remedy)];
}

async function readSameCallerRequests({ host, port }: NonNullable<Config['admin']>): Promise<number | undefined> {
  const name = host.includes(':') ? `[${host}]` : host;
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const response = await fetch(`http://${name}:${port}/metrics`, { signal });
  const value = new RegExp(`^${SAME_CALLER_METRIC} (\\d+)$`, 'm').exec(await response.text())?.[1];
  return value === undefined ? undefined : Number(value);
}
