/** Finding of `svc doctor` for a cause, with the sentence that the log and `/status` also use. */
import { SLOWING_CAUSES, type ExplainedCause } from '../../../src/domain/index-rules/index-cause.ts';
import { fail, unreachable, warn, type Finding } from '../check-result.ts';

/** Part of a remedy for readers of the log and `/status`. */
const NAMES_DOCTOR = /^run svc doctor, which [^,]+, or /;

const UNREACHABLE: ReadonlySet<ExplainedCause['kind']> = new Set([
  'node-unreachable',
  'alt-node-unreachable',
  'store-unavailable',
]);

/** `nodeText` is the provider's own text, which only `svc doctor` prints. */
export function toCauseFinding({ kind, subject, text, ...explained }: ExplainedCause, nodeText?: string): Finding {
  const remedy = explained.remedy.replace(NAMES_DOCTOR, '');
  const shown = nodeText === undefined ? text : `${text} (the node: ${nodeText})`;
  if (SLOWING_CAUSES.includes(kind)) return warn(subject, shown, remedy);
  return UNREACHABLE.has(kind) ? unreachable(subject, shown, remedy) : fail(subject, shown, remedy);
}

/** Appends what was measured to the sentence. */
export function addDetail(finding: Finding, detail: string): Finding {
  return { ...finding, text: `${finding.text} (${detail})` };
}
