/**
 * Campaign: the chart, rendered against the API of a cluster, replaces the pods after a change of what they read at their start.
 * Needs helm. `npm run campaigns -- chart`.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CHART = join(import.meta.dirname, '../../deploy/helm');
const NAMESPACE = 'ratings';
const SET = {
  trustSecretName: 'trust',
  tokensSecretName: 'tokens',
  files: [
    { name: 'ca', secret: 'database-ca' },
    { name: 'rates', configMap: 'currency-rates' },
    { name: 'lists', claim: 'shared-lists' },
  ],
};

type Contents = Readonly<Record<string, object>>;

const FIRST: Contents = {
  'secrets/machine-rating': { data: { DATABASE_URL: 'YQ==' } },
  'secrets/trust': { data: { 'root.pem': 'YQ==' } },
  'secrets/tokens': { data: { tokens: 'YQ==' } },
  'secrets/database-ca': { data: { 'ca.pem': 'YQ==' } },
  'configmaps/currency-rates': { data: { 'rates.csv': 'a' } },
};

let cluster: Server;
let contents: Contents;
beforeAll(async () => {
  cluster = createServer(({ url = '' }, response) => {
    const found = answer(new URL(url, 'http://cluster').pathname);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  }).listen(0, '127.0.0.1');
  await once(cluster, 'listening');
});
afterAll(() => cluster.close());

/** Answers like the API of a cluster with nothing but secrets and config maps. */
function answer(path: string): object | undefined {
  const describe = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
  if (path === '/version') return { major: '1', minor: '30', gitVersion: 'v1.30.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: [] };
  if (path === '/api/v1') {
    const resources = [describe('secrets', 'Secret'), describe('configmaps', 'ConfigMap')];
    return { kind: 'APIResourceList', groupVersion: 'v1', resources };
  }
  const [, key] = new RegExp(`^/api/v1/namespaces/${NAMESPACE}/(.+)$`).exec(path) ?? [];
  const found = key === undefined ? undefined : contents[key];
  return found && { apiVersion: 'v1', kind: key!.startsWith('secrets') ? 'Secret' : 'ConfigMap', ...found };
}

/** Returns the annotations of the pods that decide whether an upgrade replaces them. */
async function readChecksums(given: Contents): Promise<readonly string[]> {
  contents = given;
  const { port } = cluster.address() as AddressInfo;
  const { stdout } = await promisify(execFile)('helm', [
    ...['template', 'ratings', CHART, '--namespace', NAMESPACE],
    ...Object.entries(SET).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]),
    ...['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`],
  ]);
  const found = stdout.match(/^ +checksum\/\w+: [0-9a-f]{64}$/gm) ?? [];
  expect(found).toHaveLength(2);
  return found;
}

it('replaces no pod when nothing has changed', async () => {
  expect(await readChecksums({ ...FIRST })).toEqual(await readChecksums(FIRST));
});

it.each<[what: string, changed: Contents]>([
  ['the variables', { 'secrets/machine-rating': { data: { DATABASE_URL: 'Yg==' } } }],
  ['the pinned certificates', { 'secrets/trust': { data: { 'root.pem': 'Yg==' } } }],
  ['a file of a secret', { 'secrets/database-ca': { data: { 'ca.pem': 'Yg==' } } }],
  ['a file of a config map', { 'configmaps/currency-rates': { data: { 'rates.csv': 'b' } } }],
  ['a binary file of a config map', { 'configmaps/currency-rates': { binaryData: { 'rates.csv': 'Yg==' } } }],
])('replaces the pods after a change of %s', async (_what, changed) => {
  expect(await readChecksums({ ...FIRST, ...changed })).not.toEqual(await readChecksums(FIRST));
});

it('replaces no pod after a change of the tokens, which are reloaded', async () => {
  const changed = { 'secrets/tokens': { data: { tokens: 'Yg==' } } };
  expect(await readChecksums({ ...FIRST, ...changed })).toEqual(await readChecksums(FIRST));
});
