/** Check of the clock of this host by the latest block, as the service does while it follows the head. */
import { isConfirmedBy, judgeClock } from '../../src/domain/clock/clock-judgement.ts';
import { explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { ok, warn, type Finding } from './check-result.ts';
import { addDetail, toCauseFinding } from './rehearsal/cause-finding.ts';

export function examineClock(nowMilliseconds: number, headTimestamp: number): Finding {
  const ageSeconds = Math.floor(nowMilliseconds / 1000) - headTimestamp;
  const now = { wallMilliseconds: nowMilliseconds, monotonicMilliseconds: 0 };
  const isConfirmed = isConfirmedBy(nowMilliseconds, headTimestamp);
  const state = judgeClock(now, { anchor: now, isConfirmed, headTimestamp });
  if (state === 'behind') {
    return addDetail(
      toCauseFinding(explainCause({ kind: 'clock-unusable' })),
      `behind: ${-ageSeconds} s before the latest block`,
    );
  }
  if (state === 'good') return ok('clock', `good: the latest block is ${Math.max(0, ageSeconds)} s old`);
  const remedy = 'check that chain and node make progress, and that the clock of this host is not ahead';
  return warn('clock', `${state}: the latest block is ${ageSeconds} s old`, remedy);
}
