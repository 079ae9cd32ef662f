/** Tests parsing of `DATABASE_URL`. */
import { expect, test } from 'vitest';
import { Fault } from '../../../domain/faults.ts';
import { createStore } from '../create-store.ts';
import { parseDatabaseUrl } from './database-url.ts';

test.each([
  ['sqlite:./data/svc.db', { kind: 'sqlite', path: './data/svc.db' }],
  ['sqlite:/var/lib/svc.db', { kind: 'sqlite', path: '/var/lib/svc.db' }],
  ['sqlite::memory:', { kind: 'sqlite', path: ':memory:' }],
  ['postgres://user:secret@host:5432/svc', { kind: 'postgres', url: 'postgres://user:secret@host:5432/svc' }],
  ['postgresql://host/svc?sslmode=require', { kind: 'postgres', url: 'postgresql://host/svc?sslmode=require' }],
])('parses %s', (text, location) => {
  expect(parseDatabaseUrl(text)).toEqual(location);
});

test.each([
  '',
  'sqlite:',
  'sqlite:a\0b',
  './data/svc.db',
  'mysql://host/svc',
  'postgres:',
  'postgres://',
  'postgres://[',
])('rejects %j without repeating it', async (text) => {
  expect(parseDatabaseUrl(text)).toBeUndefined();
  await expect(createStore(text)).rejects.toEqual(new TypeError('a database URL begins with sqlite: or postgres://'));
});

test('throws StoreUnavailable when the certificate file is missing', async () => {
  const url = 'postgres://user:secret@host/svc?sslrootcert=/no/such/file';
  await expect(createStore(url)).rejects.toEqual(new Fault('StoreUnavailable', {}));
});
