/** `svc monetize`: the message that is shown, signed and sent, keys from every source, and messages that are never signed. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PORTABLE_CHECKS } from '../../testing/fixtures/signing-keys.ts';
import { createAltChainKey } from '../../src/domain/signatures/account-keys.ts';
import { PASSPHRASE, PBKDF2 as KEYSTORE } from '../../testing/fixtures/keystore-samples.ts';
import type { RecoverableSignature } from '../../src/domain/signatures/signature-parsing.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';

const DID = 'did:svc:42';
const KEY = `0x${'01'.repeat(32)}`;
const SIGNER = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const PUBLISHED = {
  version: 'tokenomics-2.0-monetization-v1',
  chain_id: '31337',
  registry: '0x00000000000000000000000000000000000000aa',
};
const FORMS = 'must be 0x and 64 hex digits, a version 3 keystore, or the 64 hex digits of an Ed25519 seed';
interface Sent {
  readonly opted_in: boolean;
  readonly timestamp: number;
  readonly signature: RecoverableSignature;
  readonly signer_pubkey?: string;
}

let server: Server;
let baseUrl: string;
let folder: string;
let published: object;
let inForce: number | null;
let sent: Sent[];
/** Errors for the next PUTs; further PUTs are accepted. */
let refusals: { status: number; code: string }[];
let signerShown: string;
/** Card of the machine, which names its home. */
let card: object;
/** Reads of a relocating machine are 503. */
let isRelocating: boolean;

const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await respondTo(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function respondTo(request: IncomingMessage): Promise<[status: number, body: object]> {
  if (request.url === '/.well-known/svc-monetization') return [200, published];
  if (request.url === '/machines/42') return isRelocating ? [503, { detail: 'Machine is relocating' }] : [200, card];
  if (request.url !== '/machine/did%3Asvc%3A42/monetization') return [404, { detail: 'Not Found' }];
  const state = { machine_id: '42', status: 'PENDING', signer: null, updated_at: inForce };
  if (request.method === 'GET' && isRelocating) return [503, { detail: { code: 'MACHINE_UNAVAILABLE', message: '' } }];
  if (request.method === 'GET') return [200, state];
  const body = JSON.parse((await request.setEncoding('utf8').toArray()).join('')) as Sent;
  sent.push(body);
  const refused = refusals.shift();
  if (refused !== undefined) return [refused.status, { detail: { code: refused.code, message: 'no' } }];
  const status = body.opted_in ? 'OPTED_IN' : 'OPTED_OUT';
  return [200, { machine_id: '42', status, signer: signerShown, updated_at: body.timestamp }];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'monetize-'));
  server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  [published, inForce, sent, refusals, signerShown, card] = [PUBLISHED, null, [], [], SIGNER, { did: DID }];
  isRelocating = false;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const monetize = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runSvc(['monetize', DID, '--base-url', baseUrl, ...args], { env });

const messageOf = (optedIn: boolean, timestamp: number) =>
  [
    'svc-mcr monetization',
    `registry: ${PUBLISHED.registry}`,
    'chain_id: 31337',
    'machine_id: 42',
    `opted_in: ${optedIn}`,
    `timestamp: ${timestamp}`,
  ].join('\n');

const altMessageOf = (optedIn: boolean, timestamp: number) =>
  [
    'svc-mcr monetization',
    'audience: 31337',
    'home_chain: 5',
    'machine_id: 42',
    `opted_in: ${optedIn}`,
    `timestamp: ${timestamp}`,
  ].join('\n');

describe('signs with a key', () => {
  it('of a file, shows the message and prints the stored state', async () => {
    const { code, stdout, stderr } = await monetize(['--opt-in', '--key-file', fileOf('key', `${KEY}\n`)]);
    const { timestamp, signature } = sent[0]!;
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(30);
    const message = messageOf(true, timestamp);
    expect(sent).toEqual([{ opted_in: true, timestamp, signature }]);
    expect(PORTABLE_CHECKS.recoverSigner(Buffer.from(message), signature)).toBe(SIGNER.toLowerCase());
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stderr: `${message}\n`,
      stdout: `machine    42\nstatus     OPTED_IN\nsigner     ${SIGNER}\nsigned at  ${new Date(timestamp * 1000).toISOString()}\n`,
    });
  });

  it('opts a relocating machine out on the chain of the key', async () => {
    isRelocating = true;
    const { code } = await monetize(['--opt-out'], { SVC_KEY: KEY });
    const [{ timestamp, signature }] = sent as [Sent];
    const message = messageOf(false, timestamp);
    expect(PORTABLE_CHECKS.recoverSigner(Buffer.from(message), signature)).toBe(SIGNER.toLowerCase());
    expect([code, (await monetize(['--opt-in'], { SVC_KEY: KEY })).code]).toEqual([0, 1]);
  });

  it('of the environment, and prints JSON', async () => {
    const { code, stdout } = await monetize(['--opt-out', '--json'], { SVC_KEY: KEY });
    const { timestamp } = sent[0]!;
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { machine_id: '42', status: 'OPTED_OUT', signer: SIGNER, updated_at: timestamp },
    ]);
  });

  it('of a keystore', async () => {
    signerShown = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b';
    const keyFile = fileOf('keystore.json', JSON.stringify(KEYSTORE));
    const { code, stderr } = await monetize(['--opt-in', '--key-file', keyFile], { SVC_KEY_PASSPHRASE: PASSPHRASE });
    expect([code, stderr]).toEqual([0, `${messageOf(true, sent[0]!.timestamp)}\n`]);
  });

  it.each([
    ['a text that is not a key', 'hello', `--key-file: ${FORMS}`],
    ['a key that is too short', KEY.slice(4), `--key-file: ${FORMS}`],
    [
      'a key of the alt chain',
      KEY.slice(2),
      'the machine is homed on the main chain; sign with a key of the main chain',
    ],
    ['a key of zeros', `0x${'00'.repeat(32)}`, '--key-file: not a valid key of the main chain'],
    ['a key beyond the curve', `0x${'ff'.repeat(32)}`, '--key-file: not a valid key of the main chain'],
    ['an incomplete keystore', '{"version":3}', '--key-file: no keystore'],
    ['a keystore with another passphrase', JSON.stringify(KEYSTORE), '--key-file: wrong passphrase'],
  ])('rejects %s without printing any part of it', async (_name, text, message) => {
    const keyFile = fileOf('wrong', text);
    const result = await monetize(['--opt-in', '--key-file', keyFile], { SVC_KEY_PASSPHRASE: 'wrong' });
    expect(result).toEqual({ code: 2, stdout: '', stderr: `svc: ${message}\n` });
    expect(sent).toEqual([]);
  });

  it('rejects a missing key, file or passphrase', async () => {
    const keystore = fileOf('keystore.json', JSON.stringify(KEYSTORE));
    const results = await Promise.all([
      monetize(['--opt-in']),
      monetize(['--opt-in', '--key-file', join(folder, 'nothing')]),
      monetize(['--opt-in', '--key-file', keystore]),
    ]);
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, 'svc: no signing key: pass --key-file PATH or set SVC_KEY\n'],
      [2, 'svc: --key-file: the file cannot be read\n'],
      [2, 'svc: the keystore needs a passphrase: set SVC_KEY_PASSPHRASE or run in a terminal\n'],
    ]);
  });
});

describe('a machine of the alt chain', () => {
  const SEED = '07'.repeat(32);
  const OWNER = createAltChainKey(Buffer.from(SEED, 'hex'));

  beforeEach(() => {
    [card, signerShown] = [{ did: DID, home_chain: 5 }, OWNER.key];
  });

  it('is opted in with the seed of its owner, over the message of its home', async () => {
    const { code, stdout, stderr } = await monetize(['--opt-in', '--json', '--key-file', fileOf('seed', `${SEED}\n`)]);
    const { timestamp } = sent[0]!;
    const message = altMessageOf(true, timestamp);
    const signature = OWNER.sign(Buffer.from(message));
    expect(sent).toEqual([{ opted_in: true, timestamp, signature, signer_pubkey: OWNER.key }]);
    expect({ code, stderr, state: JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: `${message}\n`,
      state: { machine_id: '42', status: 'OPTED_IN', signer: OWNER.key, updated_at: timestamp },
    });
  });

  it('prints that message and its signature scheme for --show', async () => {
    const { stdout } = await monetize(['--opt-out', '--show', '--json']);
    const { message, scheme } = JSON.parse(stdout) as { message: string; scheme: string };
    expect([message, scheme]).toEqual([altMessageOf(false, Number(/\d+$/.exec(message)![0])), 'ed25519']);
  });

  it('is not changed with a key of the main chain', async () => {
    const { code, stderr } = await monetize(['--opt-in'], { SVC_KEY: KEY });
    const message =
      'svc: the machine is homed on the alt chain; sign with the Ed25519 seed of its owner (64 hex digits)\n';
    expect([code, stderr, sent]).toEqual([2, message, []]);
  });

  it('is not changed when its home is not a chain ordinal', async () => {
    card = { did: DID, home_chain: '5' };
    const { code } = await monetize(['--opt-in'], { SVC_KEY: SEED });
    expect([code, sent]).toEqual([4, []]);
  });

  it('fails when the signer in the response has another spelling', async () => {
    signerShown = OWNER.key.toLowerCase();
    expect((await monetize(['--opt-in'], { SVC_KEY: SEED })).code).toBe(4);
  });
});

describe('--show', () => {
  it('prints the message without a key and sends nothing', async () => {
    const { code, stdout, stderr } = await monetize(['--opt-out', '--show']);
    const timestamp = Number(/\d+$/.exec(stdout.trimEnd())![0]);
    expect({ code, stdout, stderr, sent }).toEqual({
      code: 0,
      stdout: `${messageOf(false, timestamp)}\n`,
      stderr: '',
      sent: [],
    });
  });

  it.each([
    ['main', messageOf, 'eip191'],
    ['alt', altMessageOf, 'ed25519'],
  ] as const)('prints the message of a relocating machine for its holder %s', async (holder, textOf, scheme) => {
    isRelocating = true;
    const { stdout } = await monetize(['--opt-out', '--show', '--json', '--holder', holder]);
    const { message } = JSON.parse(stdout) as { message: string };
    const timestamp = Number(/\d+$/.exec(message)![0]);
    expect(JSON.parse(stdout)).toEqual({ message: textOf(false, timestamp), scheme });
    expect((await monetize(['--opt-in', '--show', '--holder', holder])).code).toBe(1);
  });

  it('uses the first second after the stored decision', async () => {
    inForce = Math.floor(Date.now() / 1000) + 10;
    const { stdout } = await monetize(['--opt-out', '--show', '--json']);
    expect(JSON.parse(stdout)).toEqual({ message: messageOf(false, inForce + 1), scheme: 'eip191' });
  });
});

describe('signs nothing', () => {
  it.each([
    [['--chain-id', '1'], 'the service publishes the chain id 31337, not 1: nothing was signed'],
    [
      ['--registry', `0x${'BB'.repeat(20)}`],
      `the service publishes the registry ${PUBLISHED.registry}, not 0x${'bb'.repeat(20)}: nothing was signed`,
    ],
  ])('for a deployment other than the expected one: %j', async (args, message) => {
    const result = await monetize(['--opt-in', ...args], { SVC_KEY: KEY });
    expect([result, sent]).toEqual([{ code: 4, stdout: '', stderr: `svc: ${message}\n` }, []]);
  });

  it.each([{ version: 'v2' }, { chain_id: 31337 }, { registry: SIGNER }, { chain_id: '1\nopted_in: true' }])(
    'for a service that publishes %j',
    async (other) => {
      published = { ...PUBLISHED, ...other };
      const { code } = await monetize(['--opt-in'], { SVC_KEY: KEY });
      expect([code, sent]).toEqual([4, []]);
    },
  );

  it.each([
    [['--opt-in', '--opt-out'], 'pass either --opt-in or --opt-out'],
    [[], 'pass either --opt-in or --opt-out'],
    [['--opt-in', '--registry', 'x'], '--registry must be an address'],
    [['--opt-out', '--holder', 'solana'], '--holder must be main or alt'],
  ])('on wrong usage: %j', async (args, message) => {
    expect(await monetize(args, { SVC_KEY: KEY })).toEqual({ code: 2, stdout: '', stderr: `svc: ${message}\n` });
  });
});

describe('a response', () => {
  const UNAVAILABLE = { status: 503, code: 'MACHINE_UNAVAILABLE' };

  it('with a transient error makes it send twice more, each signed again', async () => {
    refusals = [UNAVAILABLE, UNAVAILABLE];
    const { code } = await monetize(['--opt-in'], { SVC_KEY: KEY });
    const times = sent.map(({ timestamp }) => timestamp);
    expect([code, times.length, new Set(times).size]).toEqual([0, 3, 3]);
  });

  it('is reported when the error persists for three attempts', async () => {
    refusals = [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE];
    const { code, stderr } = await monetize(['--opt-in'], { SVC_KEY: KEY });
    expect([code, sent.length, stderr.split('\n').at(-2)]).toEqual([
      1,
      3,
      'svc: /machine/did%3Asvc%3A42/monetization: 503 {"code":"MACHINE_UNAVAILABLE","message":"no"}',
    ]);
  });

  it.each([
    { status: 503, code: 'CHAIN_UNAVAILABLE' },
    { status: 409, code: 'STALE_SIGNATURE' },
    { status: 500, code: 'INTERNAL_ERROR' },
  ])('with $status $code is final', async (refused) => {
    refusals = [refused];
    const { code } = await monetize(['--opt-in'], { SVC_KEY: KEY });
    expect([code, sent.length]).toEqual([1, 1]);
  });

  it('that names another signer is rejected', async () => {
    signerShown = `0x${'22'.repeat(20)}`;
    const { code, stdout, stderr } = await monetize(['--opt-in'], { SVC_KEY: KEY });
    const message = `svc: the service says that signer is "${signerShown}", not ${SIGNER}`;
    expect([code, stdout, stderr.split('\n').at(-2)]).toEqual([4, '', message]);
  });
});
