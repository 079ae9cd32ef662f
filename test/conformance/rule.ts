/**
 * Marks a test, or a group of tests, as the proof of rules of the interface. The marker is the first statement of the body and takes literal
 * ids of `docs/conformance/rules.ts`, so that `rule-markers.ts` finds it without running a test. An unknown id does not compile.
 */
import type { RuleId } from '../../docs/conformance/rules.ts';

/** Does nothing when the test runs. */
export function rule(..._ids: readonly [RuleId, ...RuleId[]]): void {}
