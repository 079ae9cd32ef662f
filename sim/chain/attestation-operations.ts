/** Random attestations of chips and operators (chain-evm 2.8): recorded, expiring, replaced and revoked. */
import type { Random } from '../random.ts';
import { address, uint } from './abi-words.ts';
import type { BlockDraft } from './block-draft.ts';
import { keccakOf } from './keccak.ts';
import { isInForce, NO_RECORD, operatorOf, ZERO, type SimRecord } from './machine-state.ts';

/** Seconds until a record expires, 0 for never; short ones expire within a run. */
const DURATIONS = [0, 0, 40, 600, 200 * 86_400] as const;

/** Changes a record of one of the machines or of its operator, or nothing. */
export function attest(draft: BlockDraft, random: Random, machines: readonly bigint[]): void {
  if (!random.chance(0.5)) return;
  const id = random.pick(machines);
  if (random.chance(0.6)) attestChip(draft, id, random);
  else attestOperator(draft, operatorOf(draft.machine(id)), random);
  draft.endTransaction();
}

function attestChip(draft: BlockDraft, id: bigint, random: Random): void {
  const { chip, chipLogs } = draft.machine(id);
  const isRevoked = isInForce(chip, draft.timestamp) && random.chance(0.4);
  const record = isRevoked ? { ...chip, revokedAt: draft.timestamp } : drawRecord(draft, random);
  draft.change(id, { chip: record, chipLogs: chipLogs + 1 });
  if (isRevoked) draft.log('attestationRegistry', 'ChipRevoked(uint256,uint64)', [uint(id)], [uint(record.revokedAt)]);
  else {
    const data = [uint(record.issuedAt), uint(record.expiresAt), keccakOf('certificate')];
    draft.log('attestationRegistry', 'ChipAttested(uint256,uint64,uint64,bytes32)', [uint(id)], data);
  }
  draft.note(`${id} chip ${isRevoked ? 'revoked' : `until ${record.expiresAt}`}`);
}

function attestOperator(draft: BlockDraft, operator: string, random: Random): void {
  if (operator === ZERO) return;
  const before = draft.world.kyb.get(operator) ?? NO_RECORD;
  const isRevoked = isInForce(before, draft.timestamp) && random.chance(0.3);
  const record = isRevoked ? { ...before, revokedAt: draft.timestamp } : drawRecord(draft, random);
  draft.changeWorld({ kyb: new Map(draft.world.kyb).set(operator, record) });
  const indexed = [address(operator)];
  if (isRevoked) draft.log('attestationRegistry', 'KybRevoked(address,uint64)', indexed, [uint(record.revokedAt)]);
  else {
    const data = [uint(record.issuedAt), uint(record.expiresAt)];
    draft.log('attestationRegistry', 'KybAttested(address,uint64,uint64)', indexed, data);
  }
  draft.note(`${operator.slice(0, 6)} ${isRevoked ? 'revoked' : `verified until ${record.expiresAt}`}`);
}

function drawRecord({ timestamp }: BlockDraft, random: Random): SimRecord {
  const seconds = random.pick(DURATIONS);
  return { issuedAt: timestamp, expiresAt: seconds === 0 ? 0 : timestamp + seconds, revokedAt: 0 };
}
