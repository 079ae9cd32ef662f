import { expect, it } from 'vitest';
import type { ChipRecord, KybRecord, RecordTimes } from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import { evidenceHashOf, type Hex } from '../../src/domain/evidence/signed-bytes.ts';
import { Fault } from '../../src/domain/faults.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { AttestationReview, StoredEvidenceRecord } from '../../src/ports/store.ts';
import { CHALLENGE, CURRENT_MACHINE, forgeBody, NOW } from '../../testing/fixtures/evidence-documents.ts';
import { vectorRules } from '../../testing/fixtures/evidence-vectors.ts';
import { findEarliestEnd } from './certificate-dates.ts';
import { findReceiptState, type ReceiptState } from './receipt-state.ts';
import { judgeRecords } from './record-judgement.ts';
import { ABSENT, present } from '../../src/domain/read-result.ts';

const DAY = 86_400;
const document = forgeBody();
const END = findEarliestEnd(document, vectorRules.trust);
const word = (byte: string): Hex => `0x${byte.repeat(32)}`;
const OTHER = `0x${'0e'.repeat(20)}` as Address;
const OTHER_MACHINE = 77n as MachineId;

const RECORD: StoredEvidenceRecord = {
  receiptId: word('01'),
  evidenceHash: evidenceHashOf(document),
  machineId: CHALLENGE.machineId,
  chipRef: word('02'),
  leafFingerprint: word('03'),
  leafSerial: '0x01',
  controller: CHALLENGE.didController,
  receivedAt: NOW,
  evidence: document,
};

const CHIP: ChipRecord = {
  machineId: RECORD.machineId,
  leafFingerprint: RECORD.leafFingerprint,
  evidence: { chipRef: RECORD.chipRef, evidenceHash: RECORD.evidenceHash },
  ...{ issuedAt: NOW + 10, expiresAt: END, revokedAt: 0, lastRevokedAt: 0, blockNumber: 5n, logIndex: 0 },
};

const REVIEW: AttestationReview = {
  ...{ transaction: word('09'), change: 'attest-chip', receiptId: RECORD.receiptId, reviewer: 'reviewer' },
  subject: `did:svc:${RECORD.machineId}`,
  ...{ reason: undefined, expiresAt: END, operator: OTHER, reviewedAt: NOW + 10 },
};

interface World {
  readonly chips?: readonly ChipRecord[];
  readonly records?: readonly StoredEvidenceRecord[];
  readonly operators?: readonly KybRecord[];
  readonly stored?: RecordTimes;
  readonly isTransferred?: boolean;
  readonly snapshot?: object;
  readonly fault?: Fault;
  readonly nowSeconds?: number;
}

/** Returns the problems that are found, as `machine problem`. */
async function findProblems(world: World): Promise<string[]> {
  const { chips = [CHIP], records = [RECORD], operators = [], stored, isTransferred = false } = world;
  const context = {
    rules: vectorRules,
    registry: {
      readLogged: async () => ({
        blockNumber: 9n,
        chips: new Map(chips.map((chip) => [chip.machineId, chip])),
        operators: new Map(operators.map((each) => [each.operator, each])),
        revokedChips: new Set<Hex>(),
      }),
      readChip: async (id: MachineId) => stored ?? chips.find(({ machineId }) => machineId === id)!,
      readKyb: async (operator: Address) => stored ?? operators.find((each) => each.operator === operator)!,
      isTransferredAfter: async () => isTransferred,
    },
    store: {
      listEvidenceRecords: async () => records,
      listAttestationReviews: async () => [REVIEW],
    },
    main: {
      chain: {
        async readMachineUncached() {
          if (world.fault !== undefined) throw world.fault;
          const operator = present(OTHER);
          return {
            snapshot: { ...CURRENT_MACHINE.snapshot, operator, ...world.snapshot },
            deployment: { localOrdinal: 1 },
          };
        },
      },
    },
  } as unknown as Parameters<typeof judgeRecords>[0];
  const proposals = await judgeRecords(context, world.nowSeconds ?? NOW + DAY);
  return proposals.map(({ problem }) => problem);
}

const NO_KYB = { operator: OTHER, issuedAt: 1, expiresAt: 0, revokedAt: 0 };

it.each<[problem: string, world: World, found: readonly string[]]>([
  ['nothing where every record holds', {}, []],
  ['nothing about a revoked record', { chips: [{ ...CHIP, revokedAt: NOW + 11 }], isTransferred: true }, []],
  ['nothing about an expired record', { chips: [{ ...CHIP, expiresAt: NOW + 12 }], isTransferred: true }, []],
  ['a record without accepted evidence', { records: [] }, ['no-evidence']],
  [
    'a certificate that has ended',
    { chips: [{ ...CHIP, expiresAt: 0 }], nowSeconds: END + 1 },
    ['certificate-expired'],
  ],
  ['a record that never expires', { chips: [{ ...CHIP, expiresAt: 0 }] }, ['expiry-beyond-certificate']],
  [
    'a record that outlives its certificate',
    { chips: [{ ...CHIP, expiresAt: END + 1 }] },
    ['expiry-beyond-certificate'],
  ],
  ['a machine that was sold', { isTransferred: true }, ['sold']],
  ['a machine without a token', { snapshot: { owner: ABSENT } }, ['gone']],
  ['a deactivated machine', { snapshot: { generalPaused: present(true) } }, ['deactivated']],
  ['another controller', { snapshot: { controller: present(OTHER) } }, ['controller-changed']],
  ['another operator', { snapshot: { operator: present(RECORD.controller) } }, ['operator-changed']],
  ['a relocating machine', { snapshot: { relocating: present(true) } }, ['relocated']],
  [
    'a machine that cannot be read',
    { fault: new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' }) },
    ['unreadable'],
  ],
  ['logs that contradict the stored record', { stored: { issuedAt: 1, expiresAt: 0, revokedAt: 0 } }, ['log-mismatch']],
  [
    'logs that contradict the stored KYB',
    { chips: [], operators: [NO_KYB], stored: { ...NO_KYB, revokedAt: 3 } },
    ['log-mismatch'],
  ],
])('finds %s', async (_problem, world, found) => {
  expect(await findProblems(world)).toEqual(found);
});

it.each<[by: string, other: Partial<ChipRecord>]>([
  ['reference', { leafFingerprint: word('ff') }],
  ['certificate', { evidence: { chipRef: word('ee'), evidenceHash: word('ed') } }],
])('finds a chip that backs two machines by its %s', async (_by, changes) => {
  const other = { ...CHIP, machineId: OTHER_MACHINE, ...changes };
  const records = [RECORD, { ...RECORD, machineId: OTHER_MACHINE, evidenceHash: other.evidence!.evidenceHash }];
  expect(await findProblems({ chips: [CHIP, other], records })).toEqual(['chip-used-twice', 'chip-used-twice']);
  const expired = { ...other, expiresAt: NOW + 11 };
  expect(await findProblems({ chips: [CHIP, expired], records })).toEqual([]);
});

it.each<[state: ReceiptState, name: string, chip: ChipRecord | undefined]>([
  ['pending', 'without a record', undefined],
  ['attested', 'of the record in force', CHIP],
  ['attested', 'of a record that names its certificate only', { ...CHIP, evidence: undefined }],
  ['revoked', 'of a revoked record, also when it has expired', { ...CHIP, revokedAt: NOW + 20, expiresAt: NOW + 21 }],
  ['expired', 'of an expired record', { ...CHIP, expiresAt: NOW + DAY }],
  ['superseded', 'of an older record', { ...CHIP, evidence: { chipRef: word('aa'), evidenceHash: word('ab') } }],
  ['pending', 'that is newer than the record', { ...CHIP, issuedAt: NOW - 1, evidence: undefined }],
])('reports %s for a receipt %s', (state, _name, chip) => {
  expect(findReceiptState(RECORD, chip, NOW + DAY)).toBe(state);
});
