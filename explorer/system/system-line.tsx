/** State of the service in one line, for the start page and the system page. */
import type { Query } from '../parts/queries.ts';
import type { Readiness } from '../parts/wire.ts';
import { describeReadiness, STATUS_LOADING } from './texts.ts';

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
      <span class="dot" aria-hidden="true" />{' '}
      {report === undefined && !isFailed ? STATUS_LOADING : describeReadiness(report)}{' '}
      {isLinked && <a href="/explorer/system">System status</a>}
    </p>
  );
}
