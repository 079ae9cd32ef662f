/**
 * Who stands behind a machine, and what is attested of them now? (`GET /v1/verify/machines/{machineId}` of the interface, evidence 3.)
 * Facts of the chain may be kept while its logs keep them true, but a status is as old as the clock: a record holds for one second of it.
 */
import { findDidController } from '../domain/machine/did-controller.ts';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { AttestationRecords, MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import { judgeVerifyStatus, type VerifyStatus } from '../domain/evidence/verify-status.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { Ctx } from '../ports/ctx.ts';
import { chain, type MaybePromise } from './maybe-async.ts';
import { findMachine } from './find-machine.ts';
import { VersionedCache } from './versioned-cache.ts';

/** Of a machine of the main chain. The two statuses are independent. Two answers of one snapshot and second are the same object. */
export interface VerifyRecord {
  readonly id: MachineId;
  readonly chainId: number;
  readonly didController: Address;
  readonly operator: Address;
  readonly kyb: VerifyStatus;
  readonly chip: VerifyStatus;
}

/** Throws what every read throws, for a machine of the alt chain too, which has no record here; and `ChainUnreadable` wherever a part of the record is unreadable: there are no blanks. */
export function getVerifyRecord(ctx: Ctx, id: MachineId): MaybePromise<VerifyRecord> {
  return chain(findMachine(ctx, id, { firstEvents: false }), ({ main, snapshot, alt }) => {
    if (alt !== undefined) throw new Fault('MachineHomedElsewhere', { ordinal: alt.chain.ordinal });
    const now = nowSeconds(ctx.clock);
    const records = ctx.actionState.of(createRecords);
    return records.get(snapshot, [now], () => ({ ...toRecord(snapshot, now), chainId: main.chain.chainId }));
  });
}

const createRecords = () => new VersionedCache<MachineSnapshot, VerifyRecord>();

function toRecord(snapshot: MachineSnapshot, now: number): Omit<VerifyRecord, 'chainId'> {
  const owner = unwrap(snapshot.owner);
  const operator = unwrapOptional(snapshot.operator) ?? owner;
  const attested = readAttestations(snapshot, operator);
  return {
    id: snapshot.id,
    didController: findDidController(snapshot, owner),
    operator,
    kyb: judgeVerifyStatus(attested?.kyb, now),
    chip: judgeVerifyStatus(attested?.chip, now),
  };
}

/** Undefined: no registry of attestations is configured. KYB must be that of the operator who is named beside it. */
function readAttestations({ attestations }: MachineSnapshot, operator: Address): AttestationRecords | undefined {
  const records = unwrapOptional(attestations);
  if (records !== undefined && records.operator !== operator) throw chainUnreadable('main', 'contradiction');
  return records;
}
