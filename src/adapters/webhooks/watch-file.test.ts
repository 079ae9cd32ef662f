/** Tests the rules of `WATCH_FILE`, one per rule. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import { readWatchFile } from './watch-file.ts';

let folder: string;
let valid: Record<string, unknown>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `whsec_${'A'.repeat(32)}\n`);
  valid = { name: 'desk', url: 'https://hooks.example/svc', secret_file: secretFile, machines: ['did:svc:42', '7'] };
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: unknown) {
  const path = join(folder, 'watch.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readWatchFile(path, DEFAULT_NAMESPACE);
}

test('accepts machines, operators, kinds and a private address', async () => {
  const operator = '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1';
  const more = { operators: [operator], kinds: ['rating', 'opt-in'], allow_private_address: true };
  const { receivers } = await read({ receivers: [valid, { ...valid, name: 'two', ...more }] });
  expect(receivers?.map(({ name }) => name)).toEqual(['desk', 'two']);
  expect(receivers?.[0]).toMatchObject({ machines: new Set([42n, 7n]), operators: new Set(), kinds: undefined });
  expect(receivers?.[1]).toMatchObject({
    operators: new Set([operator.toLowerCase()]),
    kinds: new Set(['rating', 'opt-in']),
    allowsPrivateAddress: true,
  });
});

test.each(['', '[]', '{}', '{"receivers":{}}', '{"receivers":[],"more":1}', '{"receivers":[]'])(
  'refuses the text %s',
  async (text) => {
    expect(await read(text)).toEqual({
      problems: ['WATCH_FILE: must be a JSON object with the member receivers, an array'],
    });
  },
);

test.each([
  [{ name: 'Desk' }, /name must be/],
  [{ url: 'http://hooks.example/' }, /url must begin with/],
  [{ url: 'https://user:key@hooks.example/' }, /url must begin with/],
  [{ url: 'ftp://hooks.example/' }, /url must begin with/],
  [{ machines: [42] }, /machines must be/],
  [{ machines: ['042'] }, /machines must be/],
  [{ operators: ['0x1'] }, /operators must be/],
  [{ machines: [] }, /machines or operators must name one/],
  [{ kinds: [] }, /kinds must be/],
  [{ kinds: ['score'] }, /kinds must be/],
  [{ secret_file: 'missing' }, /secret_file cannot be read: it does not exist/],
  [{ allow_private_address: 'yes' }, /allow_private_address must be/],
  [{ secret: 'whsec_x' }, /has members besides/],
])('refuses a receiver with %j', async (change, problem) => {
  const { problems } = await read({ receivers: [{ ...valid, ...change }] });
  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(problems?.join()).not.toContain('key@');
});

test('accepts plain HTTP on loopback', async () => {
  for (const url of ['http://127.0.0.1:9/x', 'http://localhost/', 'http://[::1]:1/']) {
    expect((await read({ receivers: [{ ...valid, url }] })).problems).toBeUndefined();
  }
});

test('refuses two receivers of one name, and more than 50', async () => {
  expect((await read({ receivers: [valid, valid] })).problems).toEqual([
    'WATCH_FILE: receiver 2: has the name of another one',
  ]);
  expect((await read({ receivers: Array(51).fill(valid) })).problems).toEqual([
    'WATCH_FILE: has more than 50 receivers',
  ]);
});

test('reports a file that cannot be read', async () => {
  expect(await readWatchFile(join(folder, 'none'), DEFAULT_NAMESPACE)).toEqual({
    problems: ['WATCH_FILE: cannot be read: it does not exist'],
  });
});
