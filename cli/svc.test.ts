/** `bin/svc`: exit codes, symbolic links, older versions of Node, and signals. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOldNode, runSvc, startSvc, stopSvc, SVC, waitForLine } from '../testing/harness/run-svc.ts';

const scratch = mkdtempSync(join(tmpdir(), 'svc-'));
afterAll(() => rmSync(scratch, { recursive: true }));

it('prints help to standard output, and errors to standard error with exit code 2', async () => {
  const help = await runSvc(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/^Usage: svc COMMAND \[options\]\n/);
  const unknown = { code: 2, stdout: '', stderr: 'svc: unknown command "fly". Run svc --help for a list.\n' };
  expect(await runSvc(['fly'])).toEqual(unknown);
});

it('runs through a symbolic link and from any folder', async () => {
  const link = join(scratch, 'svc');
  symlinkSync(SVC, link);
  expect(await runSvc(['--help'], { path: link, cwd: scratch })).toMatchObject({ code: 0, stderr: '' });
});

describe.runIf(findOldNode() !== undefined)('an older Node', () => {
  const node = findOldNode() ?? '';
  const env = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: 'sqlite::memory:' };

  it('starts the right Node and returns its output and exit code', async () => {
    expect(await runSvc(['--help'], { node })).toEqual(await runSvc(['--help']));
    expect(await runSvc(['fly'], { node })).toEqual(await runSvc(['fly']));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('forwards %s', async (signal) => {
    const svc = startSvc(['serve'], { node, env });
    await waitForLine(svc, /^listening/);
    expect(await stopSvc(svc, signal)).toBe(0);
  });

  it('leaves no service behind when it is killed', async () => {
    const svc = startSvc(['serve'], { node, env });
    const line = await waitForLine(svc, /^listening/);
    const url = line.replace('listening on ', '');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    // Both processes write to this pipe, so it closes when the last of them exits.
    const closed = svc.stdout.resume().closed
      ? Promise.resolve()
      : new Promise((resolve) => svc.stdout.on('close', resolve));
    svc.kill('SIGKILL');
    await closed;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});
