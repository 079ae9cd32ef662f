/** Seeded devnet, compared with its fixtures through the ABIs of the contracts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAddress, zeroAddress } from 'viem';
import type { Hex } from 'viem';
import { ed25519 } from '@noble/curves/ed25519.js';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hexToBytes } from '@noble/hashes/utils.js';
import { PORTABLE_CHECKS } from '../testing/fixtures/signing-keys.ts';
import { parseTokens } from '../src/adapters/fx/tokens-file.ts';
import {
  createPaymentSources,
  type PaymentSourcesAdapter,
} from '../src/adapters/payment-sources/create-payment-sources.ts';
import { parseSources } from '../src/adapters/payment-sources/sources-file.ts';
import { readConfig } from '../src/config.ts';
import { toMachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { isPayoutProofSigned, parsePayoutProof } from '../src/domain/rating/paid/payout-proof.ts';
import type { CitedTransaction, EvmTransaction, SourceLog } from '../src/domain/rating/paid/source-transaction.ts';
import { decodeTransfer } from '../src/domain/rating/paid/transfer-log.ts';
import type { PaymentSource } from '../src/ports/payment-sources.ts';
import { formatBase58 } from '../src/domain/identifiers/base58.ts';
import { createChainWriter } from './main-chain/chain-writer.ts';
import type { ChainWriter, Receipt } from './main-chain/chain-writer.ts';
import { createContractReader } from './main-chain/contract-reader.ts';
import type { ContractReader } from './main-chain/contract-reader.ts';
import type { Fixtures, MachineFixture } from './fixtures.ts';
import { CITED_VERDICTS } from './personas/citation-persona.ts';
import { INVALID_UTF8 } from './personas/hostile-document.ts';
import { contractCall } from './main-chain/calls.ts';
import { startDevnet } from './start-devnet.ts';
import type { Devnet } from './start-devnet.ts';

interface Block {
  readonly number: string;
  readonly timestamp: string;
}

/** Members of an event record that the tests read. */
interface EventTuple {
  readonly value: bigint;
  readonly timestamp: bigint;
  readonly sourceChainId: bigint;
  readonly sourceTxHash: Hex;
  readonly metadata: Hex;
}

const DAY = 86_400;
/** Largest page of events that the contract returns. */
const PAGE = 100;

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
  test('keys contains the signing key of each machine and of the attester, for --key-file', () => {
    const read = (name: string) => readFileSync(join(dir, 'keys', `${name}.key`), 'utf8').trim();
    for (const { name, ownerKey, controllerKey } of devnet.fixtures.machines) {
      expect(read(name)).toBe(controllerKey ?? ownerKey);
    }
    expect(read('attester')).toBe(devnet.fixtures.mainChain.admin.key);
  });

  test('env contains every setting, one per line', () => {
    const lines = readFileSync(join(dir, 'env'), 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(Object.entries(devnet.env).map(([name, value]) => `${name}=${value}`));
    expect(Object.keys(devnet.env)).toEqual([
      ...['MAIN_RPC_URLS', 'MAIN_CHAIN_ID', 'MAIN_START_BLOCK', 'INFO_DESK_ADDRESS', 'MACHINE_REGISTRY_ADDRESS'],
      ...['MACHINE_STATE_AND_SYNC_ADDRESS', 'MACHINE_SUBSCRIPTION_ADDRESS', 'EVENT_REGISTRY_ADDRESS'],
      ...['CROSS_CHAIN_MIRROR_ADDRESS', 'ADMIN_FLAGS_ADDRESS', 'ATTESTATION_REGISTRY_ADDRESS', 'MULTICALL3_ADDRESS'],
      ...['LEGACY_IDENTITY_REGISTRY_ADDRESS', 'LEGACY_STAKING_ADDRESS', 'LEGACY_DID_STORE_ADDRESS'],
      ...[
        'LEGACY_EVENT_REGISTRY_ADDRESS',
        'FX_SOURCE',
        'TOKENS_FILE',
        'SOURCES_FILE',
        'SOURCE_CALLS_PER_SECOND',
        'ALT_RPC_URLS',
        'ALT_GENESIS_HASH',
        'ALT_ORDINAL',
      ],
      ...['ALT_FIRST_SLOT', 'ALT_MACHINE_REGISTRY_PROGRAM', 'ALT_STATE_AND_SYNC_PROGRAM', 'ALT_SUBSCRIPTION_PROGRAM'],
      ...['ALT_EVENT_REGISTRY_PROGRAM', 'ALT_INFO_DESK_PROGRAM', 'ALT_BINDING_PROGRAM', 'ALT_BINDING_SEED'],
      ...['ALT_BINDING_DISCRIMINATOR', 'ONBOARDING_TOKENS', 'TRUST_ROOT_FILE', 'TRUST_ROOT_SHA256'],
      ...['TRUST_INTERMEDIATE_FILE', 'TRUST_INTERMEDIATE_SHA256', 'STATEMENT_KEY_FILE'],
    ]);
  });

  test('files are readable by their owner only', () => {
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const open = files.filter(({ parentPath, name }) => (statSync(join(parentPath, name)).mode & 0o077) !== 0);
    expect(files.length).toBeGreaterThan(3);
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  test('fixtures.json equals the returned fixtures', () => {
    const written = JSON.parse(readFileSync(join(dir, 'fixtures.json'), 'utf8')) as Fixtures;
    expect(written).toEqual(JSON.parse(JSON.stringify(devnet.fixtures)));
  });

  test('the rates file ends before the seeding', () => {
    const [header, newest] = readFileSync(devnet.env['FX_SOURCE']!, 'utf8').split('\n');
    const today = new Date(devnet.fixtures.seededAt * 1000).toISOString().slice(0, 10);
    expect(header).toBe('Date,USD,JPY,GBP,');
    expect(newest).toMatch(/^\d{4}-\d{2}-\d{2},1\.25,160,0\.8,$/);
    expect(newest! < today).toBe(true);
  });
});

describe('fixtures', () => {
  test('contain the private key of each address', () => {
    const { machines, operators, mainChain, firstGeneration } = devnet.fixtures;
    const pairs = [
      ...machines
        .filter(({ name, home }) => home === 'main' && !name.startsWith('fleet'))
        .map(({ owner, ownerKey }) => [owner, ownerKey as Hex] as const),
      ...operators.map(({ address, key }) => [address, key] as const),
      ...firstGeneration.map(({ address, key }) => [address, key] as const),
      [mainChain.admin.address, mainChain.admin.key] as const,
    ];
    for (const [address, key] of pairs) expect(privateKeyToAddress(key)).toBe(address);
    const { controller, controllerKey } = machine('with-controller');
    expect(privateKeyToAddress(controllerKey as Hex)).toBe(controller);
    expect(machine('fresh')).toMatchObject({ controller: null, controllerKey: null, home: 'main' });
  });

  test('contain the seed of each alt-chain key', () => {
    const { machines, wallets } = devnet.fixtures;
    const alt = machines.filter(({ home }) => home === 'alt');
    const pairs = [
      ...alt.map(({ owner, ownerKey }) => [owner, ownerKey] as const),
      ...wallets.map(({ address, key }) => [address, key] as const),
    ];
    for (const [address, seed] of pairs) {
      expect(seed).toMatch(/^[0-9a-f]{64}$/);
      expect(formatBase58(ed25519.getPublicKey(Buffer.from(seed, 'hex')))).toBe(address);
    }
    const { controller, controllerKey } = machine('alt-rated');
    expect(formatBase58(ed25519.getPublicKey(Buffer.from(controllerKey!, 'hex')))).toBe(controller);
    expect(machine('alt-no-operator')).toMatchObject({ operator: null, controller: null, controllerKey: null });
  });

  test('bind the wallets to legacy machines', () => {
    const [first] = devnet.fixtures.firstGeneration;
    expect(devnet.fixtures.wallets).toMatchObject([
      { name: 'bound', state: 'bound', boundTo: first!.address },
      { name: 'bound-operator', state: 'bound', boundTo: first!.operator },
      { name: 'revoked', state: 'revoked', boundTo: null },
      { name: 'unbound', state: 'unbound', boundTo: null },
    ]);
  });

  test('name the same alt chain as the settings', () => {
    const { env, fixtures } = devnet;
    expect(fixtures.altChain).toEqual({
      rpcUrl: env['ALT_RPC_URLS'],
      genesisHash: env['ALT_GENESIS_HASH'],
      firstSlot: Number(env['ALT_FIRST_SLOT']),
      programs: {
        machineRegistry: env['ALT_MACHINE_REGISTRY_PROGRAM'],
        stateAndSync: env['ALT_STATE_AND_SYNC_PROGRAM'],
        subscription: env['ALT_SUBSCRIPTION_PROGRAM'],
        eventRegistry: env['ALT_EVENT_REGISTRY_PROGRAM'],
        infoDesk: env['ALT_INFO_DESK_PROGRAM'],
        binding: env['ALT_BINDING_PROGRAM'],
      },
    });
    const { config, problems } = readConfig(env, { readFile: () => '' });
    expect(problems).toEqual([]);
    const { rpcUrl, genesisHash, firstSlot, programs } = fixtures.altChain!;
    const { binding, ...machinePrograms } = programs;
    const [seed, discriminator] = ['OperatorBinding', 'e24e20d708982d63'];
    expect(config.altChain).toEqual({
      ...{ rpcUrls: [rpcUrl], genesisHash, ordinal: 5, firstSlot, programs: machinePrograms },
      binding: { program: binding, seed, discriminator },
    });
  });

  test('contain, for each route of a machine, a body with its id or an error detail', () => {
    const seen = new Set<number>();
    for (const { name, id, did, expect: responses } of devnet.fixtures.machines) {
      const bodies = {
        [`/mcr/${did}`]: { did, machine_id: id },
        [`/machine/${did}`]: { svcos: { did, machine_id: id } },
        [`/metadata/${id}`]: { svcos: { did, machine_id: id } },
        [`/machines/${id}`]: { did },
        [`/machine/${did}/monetization`]: { machine_id: id },
        [`/v1/verify/machines/${id}`]: { machineId: id, machineDid: did },
      };
      for (const [path, body] of Object.entries(bodies)) {
        const response = responses[path];
        expect([200, 404, 409, 503], `${name} ${path}`).toContain(response?.status);
        const code = expect.toSatisfy((detail) => typeof detail === 'string' || typeof detail?.code === 'string');
        expect(response!.body, `${name} ${path}`).toMatchObject(response!.status === 200 ? body : { detail: code });
        seen.add(response!.status);
      }
    }
    expect([...seen].sort()).toEqual([200, 404, 409, 503]);
  });

  test('list the fleet in id order, page by page', () => {
    const [fleet, empty] = devnet.fixtures.operators;
    const ids = fleet!.machines.map(BigInt);
    expect(ids).toHaveLength(50);
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    const pages = Object.values(fleet!.expect).map(({ body }) => (body as { machines: unknown[] }).machines.length);
    expect(pages).toEqual([20, 20, 20, 10, 0]);
    expect(Object.keys(empty!.expect)).toHaveLength(2);
    expect(empty!.machines).toEqual([]);
  });
});

describe('clock', () => {
  /** Tolerance: the last seeded block sets the node's clock, and a slow machine mines it late. */
  const CLOCK_SLACK_SECONDS = 60;

  test('follows the wall clock and finalizes two blocks behind the head', async () => {
    const from = Math.floor(Date.now() / 1000);
    const seeded = await block('latest');
    await expect.poll(async () => (await block('latest')).number, { timeout: 60_000 }).not.toBe(seeded.number);
    const latest = await block('latest');
    const through = Math.ceil(Date.now() / 1000);
    expect(Number(latest.timestamp)).toBeGreaterThanOrEqual(from - CLOCK_SLACK_SECONDS);
    expect(Number(latest.timestamp)).toBeLessThanOrEqual(through + CLOCK_SLACK_SECONDS);
    const finalized = await block('finalized');
    expect(Number(latest.number) - Number(finalized.number)).toBeLessThanOrEqual(2);
  });

  test('starts with blocks without contracts before the start block', async () => {
    const { addresses, startBlock } = devnet.deployment;
    const toTag = (number: number) => `0x${number.toString(16)}`;
    const before = await writer.rpc.batch<{ readonly transactions: readonly string[] }>(
      Array.from({ length: startBlock }, (_, number) => ({
        method: 'eth_getBlockByNumber',
        params: [toTag(number), false],
      })),
    );
    expect(before.flatMap(({ transactions }) => transactions)).toEqual([]);
    const receipts = await writer.rpc.request<Receipt[]>('eth_getBlockReceipts', [toTag(startBlock)]);
    const created = receipts.flatMap(({ contractAddress }) =>
      contractAddress === null ? [] : getAddress(contractAddress),
    );
    expect(created).toEqual(expect.arrayContaining(Object.values(addresses).map((address) => getAddress(address))));
    expect(devnet.env['MAIN_START_BLOCK']).toBe(String(startBlock));
  });
});

describe('personas', () => {
  test('have as many events on chain as their ratings count', async () => {
    let total = 0n;
    for (const { name, id, expect: responses, did, home } of devnet.fixtures.machines) {
      const { status, body } = responses[`/mcr/${did}`]!;
      if (status !== 200 || home === 'alt') continue;
      const count = (await reader.read('eventRegistry', 'getEventCount', [BigInt(id)])) as bigint;
      expect(count, name).toBe(BigInt((body as { event_count: number }).event_count));
      total += count;
    }
    expect(total).toBeGreaterThan(100n);
  });

  test.each([
    ['rated-aaa', 1],
    ['fresh', 1],
    ['grace', 2],
    ['runoff', 3],
    ['unbonded', 4],
    ['reissued-new', 1],
    ['retired', 4],
  ])('include %s with subscription status %i', async (name, status) => {
    expect(await reader.read('machineSubscription', 'subscriptionStatus', [idOf(name)])).toBe(status);
  });

  test.each([
    ['suspended', 'isOperatorPaused'],
    ['deactivated', 'isGeneralPaused'],
    ['technical-pause', 'isTechnicalPaused'],
    ['relocating', 'isRelocating'],
  ])('include %s with %s set', async (name, flag) => {
    expect(await reader.read('machineStateAndSync', flag, [idOf(name)])).toBe(true);
    expect(await reader.read('machineStateAndSync', flag, [idOf('fresh')])).toBe(false);
  });

  test.each(['homed-elsewhere', 'reissued-old', 'retired'])('include %s without a token', async (name) => {
    const id = idOf(name);
    expect(await reader.readRevert('machineRegistry', 'ownerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
    const home = name === 'homed-elsewhere' ? 3 : 0;
    expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(home);
  });

  test.each([
    ['alt-rated', 5, 1],
    ['alt-new', 5, 1],
    ['alt-relocating', 5, 1],
    ['alt-no-operator', 5, 1],
    ['alt-arrived', 5, 1],
    ['alt-unlinked', 0, 0],
    ['alt-recreated', 5, 1],
    ['alt-fleet-5', 5, 1],
  ])('include %s without a token, with home %i and subscription status %i', async (name, home, status) => {
    const id = idOf(name);
    expect(await reader.readRevert('machineRegistry', 'ownerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
    expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(home);
    expect(await reader.read('machineSubscription', 'subscriptionStatus', [id])).toBe(status);
    expect(await reader.read('machineStateAndSync', 'isRelocating', [id])).toBe(false);
  });

  test('have the same operator on both chains when linked', async () => {
    for (const name of ['alt-rated', 'alt-arrived', 'alt-fleet-1']) {
      expect(await reader.read('machineRegistry', 'operatorOf', [idOf(name)])).toBe(machine(name).operator);
    }
    for (const name of ['alt-no-operator', 'alt-unlinked']) {
      const refusal = `ERC721NonexistentToken(${idOf(name)})`;
      expect(await reader.readRevert('machineRegistry', 'operatorOf', [idOf(name)])).toBe(refusal);
    }
  });

  test('leave the earlier events of alt-arrived on the main chain', async () => {
    expect(await reader.read('eventRegistry', 'getEventCount', [idOf('alt-arrived')])).toBe(3n);
  });

  test('keep the controller after a sale', async () => {
    const { owner, controller } = machine('sold');
    expect(await reader.read('machineRegistry', 'ownerOf', [idOf('sold')])).toBe(owner);
    expect(await reader.read('machineRegistry', 'controllerOf', [idOf('sold')])).toBe(controller);
  });

  test('have their flags and attestations on chain', async () => {
    const flaggedAt = BigInt(devnet.fixtures.seededAt - 10 * 86_400);
    expect(await reader.read('adminFlags', 'flagsOf', [idOf('flagged')])).toEqual([flaggedAt, false, 0]);
    expect(await reader.read('adminFlags', 'flagsOf', [idOf('trust-override')])).toEqual([0n, true, 50]);
    const [operator, kyb, chip] = (await reader.read('attestationRegistry', 'recordsOf', [idOf('chip-revoked')])) as [
      ...[string, { issuedAt: bigint; revokedAt: bigint }, { issuedAt: bigint; revokedAt: bigint }],
    ];
    expect(operator).toBe(machine('chip-revoked').owner);
    expect([kyb.issuedAt > 0n, kyb.revokedAt, chip.revokedAt > 0n]).toEqual([true, 0n, true]);
  });

  test('store hostile bytes unchanged', async () => {
    const { data } = contractCall(devnet.deployment, 'machineRegistry', zeroAddress, 'didDocument', [
      idOf('hostile-strings'),
    ]);
    const to = devnet.deployment.addresses.machineRegistry;
    const document = await writer.rpc.request<string>('eth_call', [{ to, data }, 'latest']);
    expect(document).toContain(INVALID_UTF8.slice(2));
  });

  test('include legacy machines with their stakes and claims', async () => {
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

describe('payments', () => {
  const IDLE_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let adapter: PaymentSourcesAdapter;
  let source: PaymentSource;

  beforeAll(async () => {
    const tokens = parseTokens(readFileSync(devnet.env['TOKENS_FILE']!, 'utf8'), false).tokens!;
    const sourcesFile = readFileSync(devnet.env['SOURCES_FILE']!);
    const { configured } = parseSources(
      sourcesFile,
      tokens.map(({ symbol }) => symbol),
    );
    const clock = { nowMilliseconds: () => Date.now() };
    adapter = createPaymentSources(configured!, { clock, log: IDLE_LOG, callsPerSecond: 10_000 });
    source = adapter.sources.list.find(({ name }) => name === devnet.fixtures.sources.main.name)!;
  });
  afterAll(() => adapter.close());

  async function readEvents(name: string): Promise<readonly EventTuple[]> {
    const count = (await reader.read('eventRegistry', 'getEventCount', [idOf(name)])) as bigint;
    const offsets = Array.from({ length: Math.ceil(Number(count) / PAGE) }, (_, page) => BigInt(page * PAGE));
    const pages = offsets.map((offset) =>
      reader.read('eventRegistry', 'getEvents', [idOf(name), offset, BigInt(PAGE)]),
    );
    return ((await Promise.all(pages)) as EventTuple[][]).flat();
  }

  /** Reads the transaction that an event cites. */
  function readCited({ sourceTxHash, timestamp }: EventTuple): Promise<CitedTransaction | 'absent'> {
    const window = { fromTime: Number(timestamp) - 7 * DAY, throughTime: Number(timestamp) + 900 };
    return source.readTransaction(sourceTxHash, window);
  }

  test.each(['paid-aa', 'paid-unverified', 'paid-half', 'router-paid', 'batch-1', 'batch-2', 'batch-3', 'refunded'])(
    'of %s reach its account in the block of the event that cites them, after its proof',
    async (name) => {
      const events = await readEvents(name);
      const proof = parsePayoutProof(hexToBytes(events[0]!.metadata.slice(2)))!;
      expect(isPayoutProofSigned(toMachineId(idOf(name))!, proof, DEFAULT_NAMESPACE, PORTABLE_CHECKS)).toBe(true);
      expect(proof.owner).toBe(machine(name).owner.toLowerCase());
      const cited = events.filter(({ sourceChainId }) => sourceChainId !== 0n);
      expect(cited).toHaveLength(105);
      for (const event of [cited[0]!, cited.at(-1)!]) {
        const transaction = (await readCited(event)) as EvmTransaction;
        const symbols = new Map([...source.tokens].map(([symbol, address]) => [address, symbol]));
        const received = (transaction.logs as SourceLog[])
          .map((log) => decodeTransfer(log, symbols)!)
          .filter(({ to }) => to === proof.account);
        expect(received.map(({ units }) => units)).toEqual([event.value * 10_000n]);
        expect(transaction).toMatchObject({ success: true, time: Number(event.timestamp) });
        expect(transaction.time).toBeGreaterThan(Number(events[0]!.timestamp));
      }
    },
  );

  test('of citations are found, failed or absent as their verdicts say', async () => {
    const events = await readEvents('citations');
    const found: (readonly [number, string])[] = [];
    for (const event of events.filter(({ sourceChainId }) => sourceChainId !== 0n)) {
      const transaction = await readCited(event);
      const day = Math.round((devnet.fixtures.seededAt - Number(event.timestamp)) / DAY);
      found.push([day, transaction === 'absent' ? 'not_found' : transaction.success ? 'success' : 'failed']);
    }
    const isRead = (verdict: string) => verdict === 'not_found' || verdict === 'failed';
    expect(found).toEqual(CITED_VERDICTS.map(([day, verdict]) => [day, isRead(verdict) ? verdict : 'success']));
  });

  test('can be made on both chains, which pass the check of doctor', async () => {
    const checks = await Promise.all(adapter.opened.map(({ check }) => check()));
    const { main, alt } = devnet.fixtures.sources;
    expect(adapter.sources.list.map(({ name }) => name)).toEqual([main.name, alt!.name]);
    expect(checks).toMatchObject([[{ identity: 'expected', isDeep: true }], [{ identity: 'expected', isDeep: true }]]);
  });
});
