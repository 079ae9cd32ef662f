/** `svc watch list`: text, JSON, and exit codes. The responses are those of the admin port. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { WatchReport } from '../../src/actions/watch-report.ts';
import { toWatchReport } from '../../src/http/wire/changes.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';

const REPORT: WatchReport = {
  newest: 1_201,
  receivers: [
    { name: 'lender', through: 1_200, pending: 1, dead: 0 },
    { name: 'de\u001b[31m', through: 900, pending: 0, dead: 1 },
  ],
  deadLetters: [{ receiver: 'lender', cursor: 899, attempts: 12, problem: 'server-error' }],
};

let server: Server | undefined;
afterEach(() => server?.close());

/** Runs the command against an admin port with this report; undefined: its database cannot be read. */
async function listWatched(report: WatchReport | undefined, ...args: string[]) {
  server = createServer(({ url }, response) => {
    const isServed = url === '/watch' && report !== undefined;
    response.writeHead(isServed ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isServed ? toWatchReport(report) : { detail: 'Storage unavailable' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return runSvc(['watch', 'list', '--admin-url', `http://127.0.0.1:${port}`, ...args]);
}

it('prints receivers and dead letters, without control characters', async () => {
  expect(await listWatched(REPORT)).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'newest change: 1201',
      'receiver  examined_through  pending  dead',
      'lender    1200              1        0',
      'de\uFFFD[31m   900               0        1',
      'receiver  cursor  attempts  problem',
      'lender    899     12        server-error',
      '',
    ].join('\n'),
  });
});

it('says where there is nothing', async () => {
  const { stdout } = await listWatched({ newest: 0, receivers: [], deadLetters: [] });
  expect(stdout).toBe('newest change: 0\nno receiver is known\nno dead letters\n');
});

it('prints the report unchanged with --json', async () => {
  const { stdout } = await listWatched(REPORT, '--json');
  expect(JSON.parse(stdout)).toEqual(toWatchReport(REPORT));
});

it('exits with 1 while the report cannot be read, and with 3 where nothing listens', async () => {
  expect(await listWatched(undefined)).toEqual({
    ...{ code: 1, stdout: '', stderr: 'svc: watch list: 503 Storage unavailable\n' },
  });
  expect(await runSvc(['watch', 'list', '--admin-url', 'http://127.0.0.1:1'])).toMatchObject({ code: 3, stdout: '' });
});
