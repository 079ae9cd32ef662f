/** Tests of the sources of variables, their precedence, and warnings. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { address, ALL, read, TRACES, type Variables } from '../../testing/fixtures/sample-environment.ts';
import { SECRETS } from './variables.ts';

describe('sources of variables', () => {
  const files = { env: 'PORT=1000\nLOG_LEVEL="debug"\nDATABASE_URL=sqlite:file.db\n', secret: '  redis://cache \n' };

  it('give the environment precedence over the env file', () => {
    const { config, problems } = read({ PORT: '2000' }, { envFile: 'env', files });
    expect(problems).toEqual([]);
    expect([config.listen.port, config.log.level]).toEqual([2000, 'debug']);
  });

  it('report an env file that cannot be read, and invalid lines', () => {
    expect(read({}, { envFile: 'gone' }).problems).toEqual(['--env-file: the file cannot be read']);
    expect(read({}, { envFile: 'env', files: { env: 'A=1\nhidden' } }).problems).toEqual([
      '--env-file: line 2 is not KEY=VALUE',
    ]);
  });

  it.each(SECRETS)('allow %s to be read from a file', (name) => {
    const databases = { DATABASE_URL: 'postgres://x', DATABASE_READ_URL: 'postgres://y' };
    const all: Variables = { ...ALL, ...TRACES, ...databases, REDIS_URL: 'redis://x' };
    const text = all[name]!;
    const env = { ...all, [name]: '', [`${name}_FILE`]: 'secret' };
    expect(read(env, { files: { secret: `${text}\n` } })).toEqual(read(all));
    expect(read(env).problems).toContain(`${name}_FILE: the file cannot be read`);
    expect(read(env, { files: { secret: '\n' } }).problems).toContain(`${name}_FILE: the file is empty`);
  });

  it('conflict when a secret and its file are both set', () => {
    const env = { REDIS_URL: 'redis://x', REDIS_URL_FILE: 'secret' };
    expect(read(env, { files }).problems).toEqual(['REDIS_URL: set together with REDIS_URL_FILE; remove one of them']);
  });

  it('give either source of a secret in the environment precedence over the env file', () => {
    const env = { DATABASE_URL_FILE: 'database' };
    const { config, problems } = read(env, { envFile: 'env', files: { ...files, database: 'sqlite:other.db' } });
    expect([problems, config.database]).toEqual([[], { kind: 'sqlite', path: 'other.db' }]);
  });

  it('choose the log format by the terminal unless it is set', () => {
    expect(read({}, { isTerminal: true }).config.log.format).toBe('pretty');
    expect(read({ LOG_FORMAT: 'json' }, { isTerminal: true }).config.log.format).toBe('json');
  });

  it('include the environment of the process', () => {
    expect(loadConfig({ envFile: '/no/such/file' }).problems).toContain(
      '--env-file: the file cannot be read: it does not exist',
    );
  });
});

describe('warnings', () => {
  it.each([
    ['MAIN_RPC_URL', 'MAIN_RPC_URLS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['FX_SOURCE_FILE', 'FX_SOURCE'],
  ])('suggest a correction of %s to %s', (name, intended) => {
    expect(read({ [name]: 'secret' })).toMatchObject({
      problems: [],
      warnings: [`${name}: not a variable of this service; did you mean ${intended}?`],
    });
  });

  it('ignore other variables', () => {
    expect(read({ HOME: '/', PATH: '/', LOGNAME: 'x', NODE_ENV: 'x', LC_ALL: 'C', CI: 'true' }).warnings).toEqual([]);
  });

  it.each([
    ['MAIN_RPC_URLS', 'http://x'],
    ['ADMIN_FLAGS_ADDRESS', address('1')],
    ['ALT_RPC_URLS', 'http://x'],
  ])('report that %s has no effect alone', (name, text) => {
    expect(read({ [name]: text })).toMatchObject({
      problems: [],
      warnings: [expect.stringMatching(`^${name}: has no effect without`)],
    });
  });
});
