/**
 * Does the devnet stand as its fixtures describe it? One devnet for all questions; reads with the contracts' own ABIs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAddress, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChainWriter } from './chain-writer.ts';
import type { ChainWriter } from './chain-writer.ts';
import { createContractReader } from './contract-reader.ts';
import type { ContractReader } from './contract-reader.ts';
import type { Fixtures, MachineFixture } from './fixtures.ts';
import { INVALID_UTF8 } from './hostile-document.ts';
import { contractCall } from './main-chain-calls.ts';
import { startDevnet } from './start-devnet.ts';
import type { Devnet } from './start-devnet.ts';

interface Block {
  readonly number: string;
  readonly timestamp: string;
}

let dir: string;
let devnet: Devnet;
let writer: ChainWriter;
let reader: ContractReader;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'devnet-test-'));
  devnet = await startDevnet({ dir, quiet: true });
  writer = createChainWriter(devnet.rpcUrl);
  reader = createContractReader({ deployment: devnet.deployment, writer });
});
afterAll(async () => {
  await devnet.stop();
  rmSync(dir, { recursive: true });
});

function machine(name: string): MachineFixture {
  const found = devnet.fixtures.machines.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no machine ${name}`);
  return found;
}

function idOf(name: string): bigint {
  return BigInt(machine(name).id);
}

function block(tag: string): Promise<Block> {
  return writer.rpc.request('eth_getBlockByNumber', [tag, false]);
}

describe('files', () => {
  test('env holds every setting, line by line', () => {
    const lines = readFileSync(join(dir, 'env'), 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(Object.entries(devnet.env).map(([name, value]) => `${name}=${value}`));
    expect(Object.keys(devnet.env)).toEqual([
      ...['MAIN_RPC_URLS', 'MAIN_CHAIN_ID', 'MAIN_START_BLOCK', 'INFO_DESK_ADDRESS', 'MACHINE_REGISTRY_ADDRESS'],
      ...['MACHINE_STATE_AND_SYNC_ADDRESS', 'MACHINE_SUBSCRIPTION_ADDRESS', 'EVENT_REGISTRY_ADDRESS'],
      ...['CROSS_CHAIN_MIRROR_ADDRESS', 'ADMIN_FLAGS_ADDRESS', 'ATTESTATION_REGISTRY_ADDRESS', 'MULTICALL3_ADDRESS'],
      ...['LEGACY_IDENTITY_REGISTRY_ADDRESS', 'LEGACY_STAKING_ADDRESS', 'LEGACY_DID_STORE_ADDRESS'],
      ...['LEGACY_EVENT_REGISTRY_ADDRESS', 'FX_SOURCE'],
    ]);
  });

  test('fixtures.json is what the caller got', () => {
    const written = JSON.parse(readFileSync(join(dir, 'fixtures.json'), 'utf8')) as Fixtures;
    expect(written).toEqual(JSON.parse(JSON.stringify(devnet.fixtures)));
  });

  test('the rates end before the seeding', () => {
    const [header, newest] = readFileSync(devnet.env['FX_SOURCE']!, 'utf8').split('\n');
    const today = new Date(devnet.fixtures.seededAt * 1000).toISOString().slice(0, 10);
    expect(header).toBe('Date,USD,JPY,GBP,');
    expect(newest).toMatch(/^\d{4}-\d{2}-\d{2},1\.25,160,0\.8,$/);
    expect(newest! < today).toBe(true);
  });
});

describe('fixtures', () => {
  test('keys belong to their addresses', () => {
    const { machines, operators, mainChain, firstGeneration } = devnet.fixtures;
    const pairs = [
      ...machines
        .filter(({ name }) => !name.startsWith('fleet'))
        .map(({ owner, ownerKey }) => [owner, ownerKey] as const),
      ...operators.map(({ address, key }) => [address, key] as const),
      ...firstGeneration.map(({ address, key }) => [address, key] as const),
      [mainChain.admin.address, mainChain.admin.key] as const,
    ];
    for (const [address, key] of pairs) expect(privateKeyToAddress(key)).toBe(address);
    const { controller, controllerKey } = machine('with-controller');
    expect(privateKeyToAddress(controllerKey!)).toBe(controller);
    expect(machine('fresh')).toMatchObject({ controller: null, controllerKey: null, home: 'main' });
  });

  test('every machine tells what each of its routes answers', () => {
    for (const { id, did, expect: answers } of devnet.fixtures.machines) {
      const paths = [`/mcr/${did}`, `/machine/${did}`, `/metadata/${id}`, `/machines/${id}`];
      const further = [`/machine/${did}/monetization`, `/v1/verify/machines/${id}`];
      expect(Object.keys(answers)).toEqual(expect.arrayContaining([...paths, ...further]));
    }
  });

  test('the fleet is listed in the order of its ids, page by page', () => {
    const [fleet, empty] = devnet.fixtures.operators;
    const ids = fleet!.machines.map(BigInt);
    expect(ids).toHaveLength(45);
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    const pages = Object.values(fleet!.expect).map(({ body }) => (body as { machines: unknown[] }).machines.length);
    expect(pages).toEqual([20, 5, 0]);
    expect(Object.keys(empty!.expect)).toHaveLength(2);
    expect(empty!.machines).toEqual([]);
  });
});

describe('clock', () => {
  test('the chain keeps the time of the wall and finalizes two blocks behind its head', async () => {
    const seeded = await block('latest');
    await expect.poll(async () => (await block('latest')).number, { timeout: 10_000 }).not.toBe(seeded.number);
    const [latest, finalized] = await Promise.all([block('latest'), block('finalized')]);
    expect(Math.abs(Number(latest.timestamp) - Date.now() / 1000)).toBeLessThan(5);
    expect(Number(latest.number) - Number(finalized.number)).toBeLessThanOrEqual(3);
  });

  test('nothing has code before the start block', async () => {
    const { infoDesk } = devnet.deployment.addresses;
    const start = Number(devnet.env['MAIN_START_BLOCK']);
    const codeAt = (number: number) =>
      writer.rpc.request<string>('eth_getCode', [infoDesk, `0x${number.toString(16)}`]);
    expect(await codeAt(start - 1)).toBe('0x');
    expect(await codeAt(start)).not.toBe('0x');
  });
});

describe('personas', () => {
  test('each has on chain the events that its rating counts', async () => {
    for (const { name, id, expect: answers, did } of devnet.fixtures.machines) {
      const { status, body } = answers[`/mcr/${did}`]!;
      if (status !== 200) continue;
      const count = await reader.read('eventRegistry', 'getEventCount', [BigInt(id)]);
      expect(count, name).toBe(BigInt((body as { event_count: number }).event_count));
    }
  });

  test.each([
    ['rated-aaa', 1],
    ['fresh', 1],
    ['grace', 2],
    ['runoff', 3],
    ['unbonded', 4],
    ['reissued-new', 1],
    ['retired', 4],
  ])('the subscription of %s has status %i', async (name, status) => {
    expect(await reader.read('machineSubscription', 'subscriptionStatus', [idOf(name)])).toBe(status);
  });

  test.each([
    ['suspended', 'isOperatorPaused'],
    ['deactivated', 'isGeneralPaused'],
    ['technical-pause', 'isTechnicalPaused'],
    ['relocating', 'isRelocating'],
  ])('%s: %s', async (name, flag) => {
    expect(await reader.read('machineStateAndSync', flag, [idOf(name)])).toBe(true);
    expect(await reader.read('machineStateAndSync', flag, [idOf('fresh')])).toBe(false);
  });

  test.each(['homed-elsewhere', 'reissued-old', 'retired'])('%s has no token', async (name) => {
    const id = idOf(name);
    expect(await reader.readRefusal('machineRegistry', 'ownerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
    const home = name === 'homed-elsewhere' ? 3 : 0;
    expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(home);
  });

  test('a sale leaves the controller', async () => {
    const { owner, controller } = machine('sold');
    expect(await reader.read('machineRegistry', 'ownerOf', [idOf('sold')])).toBe(owner);
    expect(await reader.read('machineRegistry', 'controllerOf', [idOf('sold')])).toBe(controller);
  });

  test('flags and records are set', async () => {
    const flaggedAt = BigInt(devnet.fixtures.seededAt - 10 * 86_400);
    expect(await reader.read('adminFlags', 'flagsOf', [idOf('flagged')])).toEqual([flaggedAt, false, 0]);
    expect(await reader.read('adminFlags', 'flagsOf', [idOf('trust-override')])).toEqual([0n, true, 50]);
    const [operator, kyb, chip] = (await reader.read('attestationRegistry', 'recordsOf', [idOf('chip-revoked')])) as [
      ...[string, { issuedAt: bigint; revokedAt: bigint }, { issuedAt: bigint; revokedAt: bigint }],
    ];
    expect(operator).toBe(machine('chip-revoked').owner);
    expect([kyb.issuedAt > 0n, kyb.revokedAt, chip.revokedAt > 0n]).toEqual([true, 0n, true]);
  });

  test('hostile bytes are stored as they are', async () => {
    const { data } = contractCall(devnet.deployment, 'machineRegistry', zeroAddress, 'didDocument', [
      idOf('hostile-strings'),
    ]);
    const to = devnet.deployment.addresses.machineRegistry;
    const answer = await writer.rpc.request<string>('eth_call', [{ to, data }, 'latest']);
    expect(answer).toContain(INVALID_UTF8.slice(2));
  });

  test('the first generation has its machines, stakes and claims', async () => {
    const [rated] = devnet.fixtures.firstGeneration;
    expect(await reader.read('legacyIdentityRegistry', 'machineIdOf', [rated!.address])).toBe(1n);
    expect(await reader.read('legacyIdentityRegistry', 'operatorOf', [2n])).toBe(getAddress(rated!.operator));
    expect(await reader.read('legacyIdentityRegistry', 'operatorOf', [3n])).not.toBe(getAddress(rated!.operator));
    expect(await reader.read('legacyStaking', 'isStaked', [1n])).toBe(true);
    expect(await reader.read('legacyEventRegistry', 'getEventCount', [1n])).toBe(21n);
    const claims = await reader.read('legacyDidStore', 'readAttribute', [rated!.operator, '0x6d616368696e6573']);
    expect(claims).toMatchObject({ value: '0x5b322c312c335d' });
  });
});
