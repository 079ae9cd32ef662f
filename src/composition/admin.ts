/**
 * Opens the admin listener for operators on its own port, unless it is off (configuration 1: `ADMIN_HOST`,
 * `ADMIN_PORT`).
 */
import type { Config } from '../config.ts';
import { startAdminListener, type HealthChecks } from '../telemetry/admin-listener.ts';
import type { MetricSources } from '../telemetry/service-metrics.ts';
import type { Shutdown } from './shutdown.ts';
import { StartRefused } from './start-refused.ts';

/** Throws `StartRefused` when the address cannot be listened on. */
export async function openAdmin(
  { admin }: Config,
  sources: MetricSources,
  healthChecks: HealthChecks,
  shutdown: Shutdown,
): Promise<void> {
  if (admin === undefined) return;
  const listener = await startAdminListener(admin, sources, healthChecks).catch((error: unknown) => {
    const { code = 'UNKNOWN' } = error as { readonly code?: string };
    throw new StartRefused([`ADMIN_HOST, ADMIN_PORT: cannot listen there (${code})`]);
  });
  shutdown.add(() => listener.close());
}
