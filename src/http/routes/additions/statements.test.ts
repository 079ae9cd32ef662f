/** `GET /mcr/{did}/statement` and the published keys: what is signed, how often, and what is refused (design/provable 1). */
import { afterEach, describe, expect, test } from 'vitest';
import { verifyRatingStatement } from '../../../../client/statements.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import {
  eventLog,
  MAIN_MACHINE,
  MACHINE,
  NOW,
  openAltService,
  OPERATOR,
  revenueAt,
  type AltService,
  type MachineFixture,
} from '../../../../testing/harness/alt-chain.ts';
import { VECTOR_KEY } from '../../../../testing/fixtures/statement-vectors.ts';
import type { MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import { NO_PROVENANCE } from '../../../domain/machine/provenance.ts';
import type { StatementKey } from '../../../domain/statements/statement-keys.ts';
import type { Checkpoint } from '../../../ports/store.ts';
import type { StatementDirectoryResponse, StatementResponse } from '../../wire/response-types.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

const BLOCK: Checkpoint = { blockNumber: 120_300, blockHash: `0x${'cd'.repeat(32)}` };
const REGISTRY = '0x00000000000000000000000000000000000000aa';
/** Start of the minute, which statements are made for. */
const MINUTE = NOW - (NOW % 60);
const LIFETIME = 3_600;
const PATH = '/mcr/did:svc:1/statement';
/** Machine of the main chain with every fact of an explanation. */
const SIGNED_MACHINE: Partial<MachineSnapshot> = {
  ...MAIN_MACHINE,
  available: present(true),
  generalPaused: present(false),
  technicalPaused: present(false),
  operatorPaused: present(false),
};

/** Indexed events of an alt-chain machine, one a day. */
const indexedEvents = (currency: string): MachineFixture => ({
  log: eventLog(120),
  indexed: Array.from({ length: 120 }, (_, day) => {
    const { record, event } = revenueAt(day, NOW - (120 - day) * 86_400, 100_000);
    return { record: { ...record, currency }, event: { ...event, currency } };
  }),
});

const KYB = { issuedAt: 1n, expiresAt: undefined, revokedAt: undefined };

let service: AltService;
let keys: StatementKey[];
let checkpoint: Checkpoint | undefined;
let isProven: boolean;

async function open(machine: MachineFixture, isSigning = true): Promise<void> {
  keys = [{ address: VECTOR_KEY.address, notBefore: MINUTE, notAfter: undefined, revokedAt: undefined }];
  checkpoint = BLOCK;
  isProven = true;
  service = await openAltService({
    machines: [machine],
    ctx: isSigning ? { statements: { key: VECTOR_KEY, lifetimeSeconds: LIFETIME } } : {},
  });
  Object.assign(service.ctx.store, {
    listStatementKeys: async () => keys,
    readMainChainCheckpoint: async () => checkpoint,
    areBlocksProven: async () => isProven,
  });
}
afterEach(() => service.close());

async function get(): Promise<StatementResponse> {
  const { status, text } = await service.request(PATH);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as StatementResponse;
}

async function refusal(path = PATH): Promise<string> {
  const { status, text, headers } = await service.request(path);
  const retry = headers['retry-after'];
  const { detail } = JSON.parse(text) as { detail: string };
  return `${status} ${detail}${typeof retry === 'string' ? ` ${retry}` : ''}`;
}

const verify = (document: unknown, nowSeconds = NOW) =>
  verifyRatingStatement(document, { chainId: 31_337, registry: REGISTRY, keys: [VECTOR_KEY.address], nowSeconds });

test('signs the facts of the finalized block with the explanation at its second', async () => {
  rule('statement.finalized-block');
  const chip = { ...KYB, revokedAt: 5n };
  const attestations = present({ operator: OPERATOR, kyb: { ...KYB, expiresAt: BigInt(MINUTE) }, chip });
  await open({
    main: {
      ...SIGNED_MACHINE,
      attestations,
      flags: present({ flaggedAt: BigInt(MINUTE - 9), trustOverride: undefined }),
    },
  });
  Object.assign(service.ctx.main!, {
    eventTimes: {
      readPinnedHistory: async () => ({
        epoch: 0,
        storedEpoch: 0,
        provenance: NO_PROVENANCE,
      }),
    },
  });
  const document = await get();
  expect(document.statement).toEqual({
    machineId: '1',
    homeChain: 1,
    model: 'mcr/2',
    rating: 'Provisioned',
    scoreHundredths: 0,
    bonded: true,
    negativeFlag: true,
    kyb: 'expired',
    chip: 'revoked',
    blockNumber: '120300',
    blockHash: BLOCK.blockHash,
    altSlot: '0',
    ratedAt: Math.max(MINUTE, NOW - 3),
    validUntil: Math.max(MINUTE, NOW - 3) + LIFETIME,
    explanationHash: document.statement.explanationHash,
  });
  expect(document.explanation.inputs).toMatchObject({
    block: { number: '120300', hash: BLOCK.blockHash },
    now: document.statement.ratedAt,
  });
  expect(verify(document)).toEqual({ ok: true, statement: document.statement, signer: document.signer });
});

test('signs an alt-chain machine with its slot, the KYB of its operator and an unverified chip', async () => {
  rule('statement.alt-chain');
  const attestations = present({ operator: OPERATOR, kyb: KYB, chip: KYB });
  await open({ main: { attestations }, ...indexedEvents('USD') });
  const document = await get();
  expect(document.statement).toMatchObject({ homeChain: 5, altSlot: '301200450', kyb: 'verified', chip: 'unverified' });
  expect(document.statement).toMatchObject({
    rating: document.explanation.mcr,
    scoreHundredths: document.explanation.total_hundredths,
  });
  expect(verify(document).ok).toBe(true);
});

test('signs one statement for a machine, block and minute, from one read of the block', async () => {
  rule('statement.one-per-minute');
  await open({ main: SIGNED_MACHINE });
  const texts = await Promise.all([1, 2, 3].map(async () => JSON.stringify(await get())));
  service.ctx.time.milliseconds = (MINUTE + 59) * 1000;
  texts.push(JSON.stringify(await get()));
  expect(new Set(texts).size).toBe(1);
  expect(service.chainCalls).toEqual(['main at 120300 1']);
  service.ctx.time.milliseconds = (MINUTE + 60) * 1000;
  expect((await get()).statement.ratedAt).toBe(MINUTE + 60);
  checkpoint = { blockNumber: 120_301, blockHash: `0x${'ce'.repeat(32)}` };
  service.ctx.time.milliseconds = (MINUTE + 61) * 1000;
  expect((await get()).statement).toMatchObject({ blockNumber: '120301', ratedAt: MINUTE + 60 });
});

test('two services sign the same bytes', async () => {
  rule('statement.one-per-minute');
  await open({ main: SIGNED_MACHINE });
  const first = await get();
  await service.close();
  await open({ main: SIGNED_MACHINE });
  service.ctx.time.milliseconds = (MINUTE + 59) * 1000;
  expect(await get()).toEqual(first);
});

describe('refuses to sign', () => {
  rule('statement.refusals');
  const UNAVAILABLE = 'Statement unavailable:';

  test.each<[string, () => void, string]>([
    [
      'with a revoked key',
      () => (keys = [{ ...keys[0]!, revokedAt: 1 }]),
      `${UNAVAILABLE} the signing key is not in use`,
    ],
    [
      'with a replaced key',
      () => (keys = [{ ...keys[0]!, notAfter: NOW - 1 }]),
      `${UNAVAILABLE} the signing key is not in use`,
    ],
    ['with a key that is not recorded', () => (keys = []), `${UNAVAILABLE} the signing key is not in use`],
    ['before the logs are proven', () => (isProven = false), `${UNAVAILABLE} the stored logs are not proven yet`],
    [
      'where nothing is ever proven',
      () => {
        const { index } = service.ctx.main!;
        const read = index.readMainChainIndex.bind(index);
        const proof = { mode: 'off', isBackfilled: true, unprovenBlocks: 0, segmentCount: 0, segments: [] } as const;
        index.readMainChainIndex = async () => ({ ...(await read()), proof });
      },
      `${UNAVAILABLE} the stored logs are not proven yet`,
    ],
    [
      'without a finalized block',
      () => (checkpoint = undefined),
      `${UNAVAILABLE} the newest finalized block is out of date`,
    ],
    [
      'when the head was not read for ten intervals',
      () => (service.ctx.time.milliseconds += 700_000),
      `${UNAVAILABLE} the newest finalized block is out of date`,
    ],
    [
      'while the clock cannot be trusted',
      () => (service.ctx.time.milliseconds = Number.NaN),
      `${UNAVAILABLE} the clock of the service cannot be trusted now`,
    ],
  ])('%s', async (_, arrange, expected) => {
    await open({ main: SIGNED_MACHINE });
    arrange();
    expect(await refusal()).toBe(`503 ${expected} 60`);
    expect(service.chainCalls).toEqual([]);
  });

  test('logs that a repair stored while the rating was read', async () => {
    await open({ main: SIGNED_MACHINE });
    const { chain } = service.ctx.main!;
    const read = chain.readMachineAt.bind(chain);
    chain.readMachineAt = (...args) => {
      isProven = false;
      return read(...args);
    };
    expect(await refusal()).toBe(`503 ${UNAVAILABLE} the stored logs are not proven yet 60`);
  });

  test('a machine that does not exist at the finalized block', async () => {
    await open({ main: SIGNED_MACHINE, mainAgain: { ...SIGNED_MACHINE, owner: ABSENT, homeOrdinal: present(0) } });
    expect(await refusal()).toBe(`503 ${UNAVAILABLE} the machine is not finalized yet 60`);
  });

  test('a rating that cannot be computed, or whose amounts are not converted, reading the block once a minute', async () => {
    await open({});
    expect(await refusal()).toBe(`503 ${UNAVAILABLE} the machine cannot be rated now 60`);
    await service.close();
    await open(indexedEvents('GBP'));
    expect(await refusal()).toBe(`503 ${UNAVAILABLE} some amounts could not be converted to USD 60`);
    expect(await refusal()).toBe(`503 ${UNAVAILABLE} some amounts could not be converted to USD 60`);
    expect(service.chainCalls.filter((call) => call.startsWith('main at'))).toHaveLength(1);
  });
});

test('reports a malformed, absent and relocating machine as /mcr does', async () => {
  rule('statement.faults');
  await open({ main: SIGNED_MACHINE });
  for (const id of ['did:svc:0', '1', 'did:svc:2']) {
    expect(await refusal(`/mcr/${id}/statement`)).toBe(await refusal(`/mcr/${id}`));
  }
  await service.close();
  await open({ account: present({ ...MACHINE, relocating: true }) });
  expect(await refusal()).toBe(await refusal('/mcr/did:svc:1'));
});

test('is 404 without a key, and still publishes the keys that signed before', async () => {
  rule('statement.off', 'statement.rotation');
  await open({ main: SIGNED_MACHINE }, false);
  expect(await refusal()).toBe('404 Not Found');
  keys = [
    { address: VECTOR_KEY.address, notBefore: 5, notAfter: 9, revokedAt: undefined },
    { address: OPERATOR, notBefore: undefined, notAfter: undefined, revokedAt: undefined },
  ];
  const { status, text } = await service.request('/.well-known/svc-statements');
  const directory = JSON.parse(text) as StatementDirectoryResponse;
  expect([status, directory.keys]).toEqual([
    200,
    [
      { address: '0xB87c16098f7E3850215DFA5375A99c8b2C4f32DB', notBefore: 5, notAfter: 9, revokedAt: null },
      { address: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', notBefore: null, notAfter: null, revokedAt: null },
    ],
  ]);
  expect(directory.domain).toEqual({
    name: 'svc rating statement',
    version: '1',
    chainId: 31_337,
    verifyingContract: '0x00000000000000000000000000000000000000AA',
  });
});
