/** Does the service work, and how far has it read? */
import { useEffect } from 'preact/hooks';
import { useAnswer, type Followed } from './answers.ts';
import type { Readiness } from './wire.ts';
import { SITE_NAME } from './words.ts';

export function SystemPage() {
  const ready = useAnswer<Readiness>('/ready', 10);
  useEffect(() => {
    document.title = `System | ${SITE_NAME}`;
  }, []);
  return (
    <>
      <h1>System</h1>
      <SystemLine ready={ready} />
    </>
  );
}

/** `/ready` answers 503 with its report when the service is not ready. */
export function readReadiness({ answer, refusal }: Followed<Readiness>): Readiness | undefined {
  if (answer !== undefined) return answer.body;
  if (refusal === undefined || !refusal.text.startsWith('{"status":"not_ready"')) return undefined;
  return JSON.parse(refusal.text) as Readiness;
}

export function SystemLine({ ready }: { readonly ready: Followed<Readiness> }) {
  const report = readReadiness(ready);
  const isKnown = report !== undefined || ready.refusal !== undefined;
  const tone = report?.status === 'ready' ? 'good' : isKnown ? 'bad' : 'quiet';
  const text =
    report === undefined ? (isKnown ? 'not reached' : 'asking…') : report.status === 'ready' ? 'ready' : 'not ready';
  return (
    <p class={`system-line ${tone}`} role="status">
      <span class="dot" aria-hidden="true" /> The service is {text}. <a href="/explorer/system">What it reads</a>
    </p>
  );
}
