/** `svc devnet` with a port that is in use: names it and leaves no files. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSvc } from '../../testing/harness/run-svc.ts';

const dir = mkdtempSync(join(tmpdir(), 'svc-devnet-'));
const taken = createServer();
beforeAll(() => once(taken.listen(0, '127.0.0.1'), 'listening'));
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await once(taken.close(), 'close');
});

it.each(['--evm-port', '--svm-port'])('reports that the port of %s is in use', async (option) => {
  const port = String((taken.address() as AddressInfo).port);
  const { code, stdout, stderr } = await runSvc(['devnet', '--dir', dir, option, port]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^svc: the local chains did not start: .*address already in use/i);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(join(dir, 'env'))).toBe(false);
});
