/** Tests `svc payout proof`: worked example 5 of scoring, keys of both chains, and where the owner is read from. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PORTABLE_CHECKS } from '../../testing/fixtures/signing-keys.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { isPayoutProofSigned, parsePayoutProof } from '../../src/domain/rating/paid/payout-proof.ts';

const EVM = {
  owner: '0x5935897a39afabbeda5a599d38236e7df151c8b8',
  account: '0x8105660af15a4eb54fa0571bc84dfbec0294a99a',
  key: `0x${(1002).toString(16).padStart(64, '0')}`,
  /** The deterministic one of RFC 6979; the example shows another signature of the same text. */
  signature:
    '0x288b3dc5d4be93660fa67d6371c4749b15fd626562ced283a6eff1da03b7a71800bb26f15214ae801846305f2c57d6bb315f84149b088673576c6e7a2d7131a91b',
};
const SOLANA = {
  owner: 'FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV',
  account: '6TcyBfPdBt1kjsvDZLzmBFnuMaLWiTaAt4RjUr9VA5YD',
  key: (22).toString(16).padStart(2, '0').repeat(32),
  signature: '3pzTXxKz6b2ayLgELurw3NNvvADsRyZgy2DQWNjhpey6ivsB6KqWbJSZo9S76w5FGnpyvDK9zNUox1GsxCcob4wB',
};
const textOf = ({ owner, account }: typeof EVM) =>
  `svc payout account/1\nmachine: did:svc:7\nowner: ${owner}\naccount: ${account}\n`;

let folder: string;
let server: Server;
let baseUrl: string;
let profile: object;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payout-'));
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(profile));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function keyFile(text: string): string {
  const path = join(folder, 'key');
  writeFileSync(path, text);
  return path;
}

const proofOf = ({ owner, account }: typeof EVM, ...more: string[]) =>
  runSvc(['payout', 'proof', 'did:svc:7', account, '--owner', owner, ...more]);

it.each([EVM, SOLANA])('prints the text to sign without a key: $account', async (example) => {
  expect(await proofOf(example)).toMatchObject({ code: 0, stdout: textOf(example), stderr: '' });
});

it.each([EVM, SOLANA])('prints metadata for worked example 5 with the key of $account', async (example) => {
  const { owner, account, signature } = example;
  const { code, stdout, stderr } = await proofOf(example, '--key-file', keyFile(example.key));
  expect({ code, stderr }).toEqual({ code: 0, stderr: textOf(example) });
  expect(stdout).toBe(`{"payout":"${account}","owner":"${owner}","proof":"${signature}"}\n`);
  const proof = parsePayoutProof(Buffer.from(stdout.trim()))!;
  expect(isPayoutProofSigned(7n as MachineId, proof, DEFAULT_NAMESPACE, PORTABLE_CHECKS)).toBe(true);
});

it('prints at most 253 bytes, for an EVM account of an alt-chain machine', async () => {
  const example = { ...EVM, owner: SOLANA.owner };
  const { stdout } = await proofOf(example, '--key-file', keyFile(EVM.key));
  expect(stdout.trim()).toHaveLength(253);
});

it('accepts a decimal id and addresses of any letter case', async () => {
  const [account, owner] = [EVM.account, EVM.owner].map((text) => `0x${text.slice(2).toUpperCase()}`) as [
    string,
    string,
  ];
  const { stdout } = await runSvc(['payout', 'proof', '7', account, '--owner', owner]);
  expect(stdout).toBe(textOf(EVM));
});

it('prints text and metadata as JSON', async () => {
  const { stdout } = await proofOf(EVM, '--json', '--key-file', keyFile(EVM.key));
  expect(JSON.parse(stdout)).toEqual({
    message: textOf(EVM).trimEnd(),
    metadata: JSON.stringify({ payout: EVM.account, owner: EVM.owner, proof: EVM.signature }),
  });
});

it('reads the owner of an alt-chain machine from the service', async () => {
  profile = { name: 'x', svcos: { did: 'did:svc:7', owner: SOLANA.owner } };
  const { stdout } = await runSvc(['payout', 'proof', 'did:svc:7', SOLANA.account, '--base-url', baseUrl]);
  expect(stdout).toBe(textOf(SOLANA));
});

it('requires the owner of a machine whose profile names none', async () => {
  profile = { name: 'x', svcos: { did: 'did:svc:7' } };
  expect(await runSvc(['payout', 'proof', 'did:svc:7', EVM.account, '--base-url', baseUrl])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the profile of did:svc:7 names no owner: pass --owner ADDRESS') as string,
  });
});

it('refuses the key of another account', async () => {
  const { code, stdout, stderr } = await proofOf(EVM, '--key-file', keyFile(SOLANA.key));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(
    `--key-file: the key is that of ${SOLANA.account}, not of the payout account ${EVM.account}`,
  );
});

it.each([
  [['payout', 'proof', 'did:svc:0', EVM.account, '--owner', EVM.owner], 'is not a machine id or DID'],
  [['payout', 'proof', 'did:svc:7', '0x12', '--owner', EVM.owner], 'ACCOUNT must be an EVM or a Solana address'],
  [['payout', 'proof', 'did:svc:7', EVM.account, '--owner', 'me'], '--owner must be an EVM or a Solana address'],
])('refuses a wrong argument: %j', async (words, message) => {
  expect(await runSvc(words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(message) as string,
  });
});
