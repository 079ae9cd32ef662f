/** `svc serve`: `--check`, start, reload, stop, and start failures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { openTrustFolder } from '../../devnet/chips/trust-folder.ts';
import { MAIN } from '../../testing/fixtures/sample-environment.ts';
import { runSvc, startSvc, stopSvc, waitForLine } from '../../testing/harness/run-svc.ts';

const scratch = mkdtempSync(join(tmpdir(), 'svc-serve-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const ENV = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: 'sqlite::memory:' };

describe('--check', () => {
  const env = { REDIS_URL: 'redis://:hidden@cache', ONBOARDING_TOKENS: 'hidden', PORT: '99999999' };

  it('prints every variable and exits with 0 when the configuration is valid', async () => {
    const { code, stdout, stderr } = await runSvc(['serve', '--check'], { env: { POLL_INTERVAL_SECONDS: '7' } });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^POLL_INTERVAL_SECONDS +7$/m);
    expect(stdout).toMatch(/^REDIS_URL +-$/m);
  });

  it('prints every problem without secrets and exits with 2', async () => {
    const { code, stdout, stderr } = await runSvc(['serve', '--check'], { env });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^REDIS_URL +redis:\/\/cache$/m);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^problem: PORT: must be/),
      expect.stringMatching(/^problem: TRUST_ROOT_FILE: required/),
      expect.stringMatching(/^problem: TRUST_ROOT_SHA256: required/),
      expect.stringMatching(/^problem: TRUST_INTERMEDIATE_FILE: required/),
      expect.stringMatching(/^problem: TRUST_INTERMEDIATE_SHA256: required/),
    ]);
    expect(stdout + stderr).not.toMatch(/hidden|99999999/);
  });

  it('prints contradictions as warnings with --lenient', async () => {
    const { code, stderr } = await runSvc(['serve', '--check', '--lenient'], { env: { ...env, PORT: '' } });
    expect([code, stderr.match(/^warning: TRUST_/gm)?.length]).toEqual([0, 4]);
  });

  it('reads an env file, over which the environment takes precedence, and prints JSON', async () => {
    writeFileSync(join(scratch, 'env'), 'HOST=10.0.0.1\nPORT=1\n');
    const args = ['serve', '--check', '--json', '--env-file', 'env'];
    const { code, stdout } = await runSvc(args, { env: { PORT: '2' }, cwd: scratch });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      configuration: { HOST: '10.0.0.1', PORT: '2', PUBLIC_URL: 'http://10.0.0.1:2' },
      problems: [],
      warnings: [],
    });
  });
});

it('serves until SIGTERM', async () => {
  const svc = startSvc(['serve'], { env: ENV });
  const line = await waitForLine(svc, /^listening on /);
  const response = await fetch(`${line.replace('listening on ', '')}/health`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  expect(await stopSvc(svc, 'SIGTERM')).toBe(0);
});

it('reloads its env file on SIGHUP, even if Node has read it first', async () => {
  const file = join(scratch, 'reload.env');
  writeFileSync(file, 'POLL_INTERVAL_SECONDS=7\n');
  const svc = startSvc(['serve', '--env-file', file], { env: ENV });
  for await (const line of createInterface({ input: svc.stdout })) if (line.startsWith('listening on ')) break;
  writeFileSync(file, 'POLL_INTERVAL_SECONDS=never\n');
  svc.kill('SIGHUP');
  let last = '';
  for await (const line of createInterface({ input: svc.stderr })) {
    last = line;
    if (/reloaded/.test(line)) break;
  }
  expect(last).toContain('POLL_INTERVAL_SECONDS: must be');
  expect(await stopSvc(svc, 'SIGTERM')).toBe(0);
});

it('handles a SIGHUP from its start when the start is complete', async () => {
  // The start waits for a node that accepts connections and never responds.
  const node = createServer().listen(0, '127.0.0.1');
  await once(node, 'listening');
  const trust = openTrustFolder(join(scratch, 'trust'), Math.floor(Date.now() / 1000));
  const file = join(scratch, 'tokens');
  writeFileSync(file, 'one');
  const { port } = node.address() as AddressInfo;
  const onboarding = { ONBOARDING_TOKENS_FILE: file, ...trust.env };
  const env = { ...ENV, ...MAIN, MAIN_RPC_URLS: `http://127.0.0.1:${port}`, ...onboarding };
  const svc = startSvc(['serve'], { env });
  const [socket] = (await once(node, 'connection')) as [Socket];
  writeFileSync(file, 'one,two');
  svc.kill('SIGHUP');
  let last = '';
  for await (const line of createInterface({ input: svc.stderr })) {
    last = line;
    if (/reloaded/.test(line)) break;
  }
  expect(JSON.parse(last)).toMatchObject({ tokens: 2 });
  const exited = once(svc, 'exit');
  svc.kill('SIGKILL');
  await exited;
  socket.destroy();
  node.close();
});

describe('fails to start', () => {
  it('with a problem in the configuration (exit code 2)', async () => {
    expect(await runSvc(['serve'], { env: { ...ENV, INDEXER: 'maybe', LOG_LEVEL: 'loud' } })).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'svc: the configuration has problems:',
        '  INDEXER: must be one of auto, off, only',
        '  LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent',
        '',
      ].join('\n'),
    });
  });

  it('when the port is in use (exit code 1)', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runSvc(['serve'], { env: { ...ENV, PORT: String(port) } });
    other.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot listen on 127.0.0.1:${port} (EADDRINUSE)`)]);
  });

  it('when the database cannot be opened (exit code 3)', async () => {
    writeFileSync(join(scratch, 'file'), '');
    const env = { ...ENV, DATABASE_URL: `sqlite:${join(scratch, 'file', 'svc.db')}` };
    const { code, stderr } = await runSvc(['serve'], { env });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('DATABASE_URL: the database cannot be opened: EEXIST: check'),
    ]);
    expect(stderr).not.toContain(scratch);
  });
});
