/**
 * Account layouts that the alt chain's programs write and the service reads (chain-svm 3). Written from the tables, independently of the
 * service's reader; the event registry's two accounts are in `devnet/alt-node/event-accounts.ts`.
 */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltConfig, AltRegistry, AltTechnicalPause } from '../../src/domain/alt-chain/alt-deployment.ts';
import type {
  AltMachine,
  AltPauseFlags,
  AltSubscription,
  OperatorBinding,
} from '../../src/domain/alt-chain/alt-machine-facts.ts';
import { BorshWriter } from '../alt-node/borsh-writer.ts';

/** Status names, indexed by their number. */
const SUBSCRIPTION_STATUSES = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];

/** Relocation timeout and the delay before the next attempt. */
const TIMEOUT_SECONDS = 604_800;
const RETRY_SECONDS = 86_400;

/** Machine id and bump seed, which every account of a machine contains. */
export interface AltSubject {
  readonly machineId: bigint;
  readonly bump: number;
}

export function encodeMachine({ machineId, bump }: AltSubject, machine: AltMachine): Uint8Array {
  return new BorshWriter()
    .hex('1966160d3af38a4f')
    .word(machineId)
    .key(machine.owner)
    .key(machine.controller)
    .key(machine.manufacturer)
    .bool(machine.relocating)
    .i64(machine.onboardedAt)
    .u8(bump)
    .address(machine.operator)
    .text(machine.machineType)
    .blob(machine.credentialSubject)
    .list(machine.verificationMethods, (writer, { id, methodType, controller, publicKeyMultibase }) =>
      writer
        .text(id)
        .text(methodType)
        .key(controller as AltKey)
        .text(publicKeyMultibase),
    )
    .list(machine.authentication, (writer, index) => writer.u32(index))
    .list(machine.serviceEndpoints, (writer, { id, serviceType, serviceEndpoint }) =>
      writer.text(id).text(serviceType).text(serviceEndpoint),
    )
    .bytes();
}

export function encodeMachineState({ machineId, bump }: AltSubject, flags: AltPauseFlags): Uint8Array {
  return new BorshWriter()
    .hex('7ca3f97ab3ba8ff3')
    .word(machineId)
    .bool(flags.operatorPaused)
    .bool(flags.generalPaused)
    .bool(flags.technicalPaused)
    .bool(flags.subscriptionPaused)
    .u8(bump)
    .bytes();
}

/** Encodes a mirrored subscription. Throws `RangeError` for a status without a number. */
export function encodeSubscriptionTerminal({ machineId, bump }: AltSubject, mirrored: AltSubscription): Uint8Array {
  return new BorshWriter()
    .hex('65451ac76fb175bc')
    .word(machineId)
    .u8(mirrored.tier)
    .u8(SUBSCRIPTION_STATUSES.indexOf(mirrored.status))
    .i64(mirrored.periodEnd)
    .u64(mirrored.lastSeq)
    .u64(mirrored.lastNonce)
    .u64(mirrored.openRequestNonce)
    .i64(mirrored.updatedAt)
    .u8(bump)
    .bytes();
}

export interface RegistryFields extends AltRegistry {
  readonly admin: AltKey;
  readonly lifecycleAuthority: AltKey;
  readonly bump: number;
}

export function encodeRegistry(fields: RegistryFields): Uint8Array {
  return new BorshWriter()
    .hex('2fae6ef6b8b6fcda')
    .key(fields.admin)
    .key(fields.lifecycleAuthority)
    .u16(fields.localOrdinal)
    .u64(fields.machineCount)
    .u8(fields.bump)
    .bytes();
}

export interface ConfigFields extends AltConfig {
  readonly admin: AltKey;
  readonly adapterStore: AltKey;
  readonly bump: number;
}

/** Encodes the configuration; its three main-chain addresses are unset. */
export function encodeConfig(fields: ConfigFields): Uint8Array {
  return new BorshWriter()
    .hex('9b0caae01efacc82')
    .key(fields.admin)
    .key(fields.adapterStore)
    .key(fields.registryProgram)
    .u16(fields.localOrdinal)
    .address(undefined)
    .address(undefined)
    .address(undefined)
    .u8(fields.bump)
    .u32(TIMEOUT_SECONDS)
    .u32(RETRY_SECONDS)
    .bool(fields.generalPausedGlobal)
    .bool(fields.technicalPausedGlobal)
    .bytes();
}

export function encodeTechnicalPause({ paused, setAt }: AltTechnicalPause, bump: number): Uint8Array {
  return new BorshWriter().hex('440df73293858dfe').bool(paused).i64(setAt).u8(bump).bytes();
}

export const BINDING_DISCRIMINATOR = 'e24e20d708982d63';

/** Encodes a binding; without an operator it is revoked. */
export function encodeOperatorBinding(wallet: AltKey, binding: OperatorBinding, bump: number): Uint8Array {
  return new BorshWriter()
    .hex(BINDING_DISCRIMINATOR)
    .key(wallet)
    .address(binding.operator)
    .u64(binding.lastSeq)
    .i64(binding.updatedAt)
    .u8(bump)
    .bytes();
}
