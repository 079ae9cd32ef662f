import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PROGRAM = `
import { logUnhandledRejections } from '${join(import.meta.dirname, 'unhandled-rejections.ts')}';
logUnhandledRejections({ error: (fields, message) => console.log(JSON.stringify({ ...fields, message })) });
async function readNode() { throw new TypeError('refused\\n    at https://node.example/secret'); }
void readNode();
void Promise.reject('secret');
setImmediate(() => console.log('still running'));
`;

it('logs class and place of a rejection without its message, and the process continues', () => {
  const output = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  const [first, second, last] = output.trim().split('\n');
  expect(JSON.parse(first!)).toEqual({
    ...{ message: 'unhandled rejection', class: 'TypeError' },
    frame: expect.stringMatching(/^at readNode /),
  });
  expect(JSON.parse(second!)).toEqual({ message: 'unhandled rejection', class: 'string' });
  expect(last).toBe('still running');
  expect(output).not.toContain('secret');
});
