/** Tests of the reasons why a file of the configuration cannot be read. */
import { expect, it } from 'vitest';
import { explainUnreadableFile } from './unreadable-file.ts';

it.each([
  ['ENOENT', 'cannot be read: it does not exist'],
  [
    'EACCES',
    'cannot be read: the user of the service may not read it; grant that to the group of the service, for its folder too',
  ],
  ['EISDIR', 'cannot be read: it is a folder'],
  ['EIO', 'cannot be read: EIO'],
])('names the reason and the remedy of %s, and no path', (code, text) => {
  expect(explainUnreadableFile(Object.assign(new Error(`${code}: open '/secret/path'`), { code }))).toBe(text);
});

it('repeats nothing of an error without a code', () => {
  expect(explainUnreadableFile(new Error('/secret/path'))).toBe('cannot be read');
});
