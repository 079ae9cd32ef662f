/**
 * Verify records: controller, operator and attestation statuses of a machine (`GET /v1/verify/machines/{machineId}` of the interface,
 * evidence 3). Chain facts stay cached until a log changes them, but a status depends on the clock: a record is valid for one second.
 */
import { findDidController } from '../domain/machine/did-controller.ts';
import { Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { findOperator, readAttestations } from '../domain/machine/operator-kyb.ts';
import { unwrap } from '../domain/read-result.ts';
import { judgeVerifyStatus, type VerifyStatus } from '../domain/evidence/verify-status.ts';
import type { Ctx } from '../ports/ctx.ts';
import { chain, type MaybePromise } from './maybe-async.ts';
import { findMachine } from './find-machine.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';
import { VersionedCache } from './versioned-cache.ts';

/** Record of a main-chain machine, with two independent statuses. For one snapshot and second it is the same object. */
export interface VerifyRecord {
  readonly id: MachineId;
  readonly chainId: number;
  readonly didController: Address;
  readonly operator: Address;
  readonly kyb: VerifyStatus;
  readonly chip: VerifyStatus;
}

/**
 * Returns the record. Throws `ClockInvalid` and what every read throws, also for a machine of the alt chain, which has no record here; and `ChainUnreadable`
 * where any part of the record is unreadable.
 */
export function getVerifyRecord(ctx: Ctx, id: MachineId): MaybePromise<VerifyRecord> {
  return chain(findMachine(ctx, id, { firstEvents: false, needsStore: false }), ({ main, snapshot, alt }) => {
    if (alt !== undefined) throw new Fault('MachineHomedElsewhere', { ordinal: alt.chain.ordinal });
    const now = requireTrustedSeconds(ctx, snapshot.block);
    const records = ctx.actionState.of(createRecords);
    return records.get(snapshot, [now], () => ({ ...toRecord(snapshot, now), chainId: main.chain.chainId }));
  });
}

const createRecords = () => new VersionedCache<MachineSnapshot, VerifyRecord>();

function toRecord(snapshot: MachineSnapshot, now: number): Omit<VerifyRecord, 'chainId'> {
  const owner = unwrap(snapshot.owner);
  const operator = findOperator(snapshot);
  const attested = readAttestations(snapshot, operator);
  return {
    id: snapshot.id,
    didController: findDidController(snapshot, owner),
    operator,
    kyb: judgeVerifyStatus(attested?.kyb, now),
    chip: judgeVerifyStatus(attested?.chip, now),
  };
}
