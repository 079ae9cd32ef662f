/** `bin/svc`: who starts it with what and from where, and how it ends. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOldNode, runSvc, startSvc, stopSvc, SVC, waitForLine } from './run-svc.ts';

const scratch = mkdtempSync(join(tmpdir(), 'svc-'));
afterAll(() => rmSync(scratch, { recursive: true }));

it('says how it went', async () => {
  const help = await runSvc(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/^svc COMMAND \[options\]\n/);
  const unknown = { code: 2, stdout: '', stderr: 'svc: there is no command "fly"; see svc --help\n' };
  expect(await runSvc(['fly'])).toEqual(unknown);
});

it('works through a link and from any folder', async () => {
  const link = join(scratch, 'svc');
  symlinkSync(SVC, link);
  expect(await runSvc(['--help'], { path: link, cwd: scratch })).toMatchObject({ code: 0, stderr: '' });
});

describe.runIf(findOldNode() !== undefined)('an older Node', () => {
  const node = findOldNode() ?? '';
  const env = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: 'sqlite::memory:' };

  it('hands over, and passes output and exit code on', async () => {
    expect(await runSvc(['--help'], { node })).toEqual(await runSvc(['--help']));
    expect(await runSvc(['fly'], { node })).toEqual(await runSvc(['fly']));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s on', async (signal) => {
    const svc = startSvc(['serve'], { node, env });
    await waitForLine(svc, /^listening/);
    expect(await stopSvc(svc, signal)).toBe(0);
  });

  it('leaves no service behind when it is killed', async () => {
    const svc = startSvc(['serve'], { node, env });
    const line = await waitForLine(svc, /^listening/);
    const url = line.replace('listening on ', '');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    // Both processes write to this pipe: it ends with the last of them.
    const ended = svc.stdout.resume().closed
      ? Promise.resolve()
      : new Promise((resolve) => svc.stdout.on('close', resolve));
    svc.kill('SIGKILL');
    await ended;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});
