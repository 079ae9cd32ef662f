/** `svc doctor`: one line per check, and an exit code for all of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runSvc } from '../../testing/harness/run-svc.ts';

const scratch = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const ENV = { DATABASE_URL: `sqlite:${join(scratch, 'data', 'svc.db')}` };

it('exits with 0 for a service that is not initialized, and creates no database', async () => {
  const { code, stdout, stderr } = await runSvc(['doctor'], { env: ENV });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n')).toEqual([
    'ok    configuration: valid',
    expect.stringMatching(/^warn {2}main chain: not configured/),
    'ok    alt chain: not configured; its machines are homed elsewhere',
    'ok    DATABASE_URL: no file yet; the first start creates it',
    'ok    onboarding: off; neither tokens nor trust files are set',
    'ok    STATEMENT_KEY_FILE: not set; no statements are signed, and the log of decisions is never pruned',
    'ok    WATCH_FILE: not set; no webhooks are sent',
    'ok    FX_SOURCE: not set; only amounts in USD and in tokens with a fixed rate count',
    'ok    SOURCES_FILE: not set; no payments are followed',
  ]);
});

it('exits with 1 for failures and prints the remedy of each', async () => {
  writeFileSync(join(scratch, 'no-certificate'), 'x');
  const pinned = { FILE: join(scratch, 'no-certificate'), SHA256: 'a'.repeat(64) };
  const env = {
    ...ENV,
    INDEXER: 'maybe',
    ONBOARDING_TOKENS: 'hidden',
    TRUST_ROOT_FILE: pinned.FILE,
    TRUST_ROOT_SHA256: pinned.SHA256,
    TRUST_INTERMEDIATE_FILE: pinned.FILE,
    TRUST_INTERMEDIATE_SHA256: pinned.SHA256,
    STATEMENT_KEY_FILE: pinned.FILE,
    WATCH_FILE: pinned.FILE,
    FX_SOURCE: pinned.FILE,
    TOKENS_FILE: pinned.FILE,
  };
  const { code, stdout } = await runSvc(['doctor', '--json'], { env });
  expect(code).toBe(1);
  expect(stdout).not.toContain('hidden');
  const findings = JSON.parse(stdout) as { state: string; subject: string; remedy?: string }[];
  const failures = findings.filter(({ state }) => state === 'fail');
  expect(failures.map(({ subject }) => subject)).toEqual([
    ...['INDEXER', 'TRUST_ROOT_FILE', 'TRUST_INTERMEDIATE_FILE'],
    ...['STATEMENT_KEY_FILE', 'WATCH_FILE', 'FX_SOURCE', 'TOKENS_FILE'],
  ]);
  expect(failures.every(({ remedy }) => remedy !== undefined)).toBe(true);
});

it('exits with 3 when a source is unreachable', async () => {
  const { code, stdout } = await runSvc(['doctor'], { env: { ...ENV, FX_SOURCE: join(scratch, 'gone.csv') } });
  expect(code).toBe(3);
  expect(stdout).toContain('FAIL  FX_SOURCE: cannot be read (unreachable); check the file or the address\n');
});
