/** Tests of the log of causes that only `/status` finds. */
import { expect, it } from 'vitest';
import { createRecordingLog } from '../../testing/fakes/recording-log.ts';
import { explainCause } from '../domain/index-rules/index-cause.ts';
import { createCauseReport } from './cause-log.ts';

it('logs a cause with subject, sentence and remedy from its second minute on, until it is gone', async () => {
  const cause = explainCause({ kind: 'clock-unusable' });
  let causes = [cause];
  const log = createRecordingLog();
  const report = createCauseReport(log, async () => causes);
  await report();
  expect(log.lines).toEqual([]);
  const line = {
    level: 'warn',
    fields: { cause: 'clock-unusable', subject: cause.subject, remedy: cause.remedy },
    message: cause.text,
  };
  await report();
  expect(log.lines).toEqual([line]);
  await report();
  expect(log.lines).toEqual([line, line]);
  causes = [];
  await report();
  causes = [cause];
  await report();
  expect(log.lines).toEqual([line, line]);
});
