import { expect, it } from 'vitest';
import { explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { examineClock } from './clock.ts';

const HEAD = 1_800_000_000;

it.each([
  ['passes shortly after the latest block', 12, 'ok', 'good: the latest block is 12 s old'],
  ['passes within the tolerance before it', -20, 'ok', 'good: the latest block is 0 s old'],
  ['warns where the latest block is old', 900, 'warn', 'unconfirmed: the latest block is 900 s old'],
])('%s', (_, ageSeconds, state, text) => {
  expect(examineClock((HEAD + ageSeconds) * 1000, HEAD)).toMatchObject({ state, subject: 'clock', text });
});

it('fails with the sentence of the cause where the clock is behind', () => {
  const { subject, text, remedy } = explainCause({ kind: 'clock-unusable' });
  expect(examineClock((HEAD - 45) * 1000, HEAD)).toEqual({
    ...{ state: 'fail', subject, remedy },
    text: `${text} (behind: 45 s before the latest block)`,
  });
});
