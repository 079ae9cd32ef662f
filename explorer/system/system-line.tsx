/** State of the service in one line, for the start page and the system page. */
import type { Query } from '../parts/queries.ts';
import type { Readiness } from '../parts/wire.ts';
import { CONTRACT_NAMES } from '../parts/texts.ts';

/** Reads a report that comes with status 503 when something is wrong. */
export function readReport<T>({ response, failure }: Query<T>): T | undefined {
  if (response !== undefined && failure === undefined) return response.body;
  if (failure === undefined || !failure.text.startsWith('{"status":"not_')) return undefined;
  return JSON.parse(failure.text) as T;
}

export function SystemLine({
  ready,
  isLinked = true,
}: {
  readonly ready: Query<Readiness>;
  readonly isLinked?: boolean;
}) {
  const report = readReport(ready);
  const isFailed = ready.failure !== undefined;
  const tone = report?.status === 'ready' ? 'good' : isFailed ? 'bad' : 'quiet';
  return (
    <p class={`system-line ${tone}`} role="status">
      <span class="dot" aria-hidden="true" /> {report === undefined && !isFailed ? 'Loading status…' : stateOf(report)}{' '}
      {isLinked && <a href="/explorer/system">System status</a>}
    </p>
  );
}

function stateOf(report: Readiness | undefined): string {
  if (report === undefined) return 'Status unavailable.';
  if (report.status === 'ready') return 'The service is ready.';
  const missing = [
    ...(report.rpc_connected ? [] : ['the main chain']),
    ...Object.entries(report.contracts).flatMap(([name, isAvailable]) =>
      isAvailable ? [] : [CONTRACT_NAMES[name] ?? name],
    ),
    ...(report.verify === false ? ['verification'] : []),
  ];
  return `The service is not ready${missing.length === 0 ? '' : `: ${missing.join(', ')}`}.`;
}
