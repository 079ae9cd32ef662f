/** How is the process? CPU, memory, file descriptors, event loop and garbage collection under the names that dashboards for Node know. */
import { collectDefaultMetrics, Registry } from 'prom-client';

/** Begins to watch the process, once for all services in it. Answers the text for a scrape. */
export function createProcessMetrics(): () => Promise<string> {
  const watching = registryOfProcess();
  return () => watching.metrics();
}

let registry: Registry | undefined;

function registryOfProcess(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
