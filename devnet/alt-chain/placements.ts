/**
 * Accounts that no transaction of the devnet writes, set directly in the open block: machine records, flags, mirrored bonds, singletons and
 * bindings (chain-svm 9).
 */
import { altKeyBytes } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { NO_PAUSE_FLAGS } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { AltMachine } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import {
  encodeConfig,
  encodeMachine,
  encodeMachineState,
  encodeOperatorBinding,
  encodeRegistry,
  encodeSubscriptionTerminal,
  encodeTechnicalPause,
} from './accounts.ts';
import { ALT_ADMIN_NAME, ALT_LIFECYCLE_NAME, altAccountOf } from './keys.ts';
import type { AltAccount } from './keys.ts';
import type { AltNode } from '../alt-node/alt-node.ts';
import { encodeEventRegistry } from '../alt-node/event-accounts.ts';
import { deriveAddress, singletonAddresses } from '../alt-node/program-addresses.ts';
import type { MachineAddresses } from '../alt-node/program-addresses.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import type { DevnetWallet } from '../personas/wallets.ts';
import { ALT_ORDINAL } from '../main-chain/deploy.ts';
import { credentialsOf } from '../personas/persona.ts';
import { DAY_SECONDS } from '../personas/planned-event.ts';

/** First seed in the address derivation of a binding. */
export const BINDING_SEED = 'OperatorBinding';

const PERIOD_SECONDS = 365 * DAY_SECONDS;

const admin = altAccountOf(ALT_ADMIN_NAME);
const lifecycleAuthority = altAccountOf(ALT_LIFECYCLE_NAME);

export function placeMachine(
  node: AltNode,
  { persona, machine: { id, controller, operator, owner: buyer } }: SampleAltMachine,
  { machine }: MachineAddresses,
  {
    createdAt,
    relocating,
    owner = buyer,
  }: { readonly createdAt: number; readonly relocating: boolean; readonly owner?: AltAccount },
): void {
  const facts: AltMachine = {
    owner: owner.key,
    controller: controller?.key,
    manufacturer: undefined,
    relocating,
    onboardedAt: BigInt(createdAt),
    operator: operator?.address as Address | undefined,
    ...credentialsOf(persona.name),
    verificationMethods: [],
    authentication: [],
    serviceEndpoints: persona.serviceEndpoints ?? [],
  };
  const data = encodeMachine({ machineId: id, bump: machine.bump }, facts);
  node.setAccount(machine.address, { owner: node.programs.machineRegistry, data });
}

export function placeState(
  node: AltNode,
  machineId: bigint,
  { machineState: { address, bump } }: MachineAddresses,
): void {
  const data = encodeMachineState({ machineId, bump }, NO_PAUSE_FLAGS);
  node.setAccount(address, { owner: node.programs.stateAndSync, data });
}

/** Writes the last report of the validators; there is one report for each paid period. */
export function placeSubscription(
  node: AltNode,
  machineId: bigint,
  { subscriptionTerminal: { address, bump } }: MachineAddresses,
  { since, periods }: { readonly since: number; readonly periods: number },
): void {
  const data = encodeSubscriptionTerminal(
    { machineId, bump },
    {
      tier: 0,
      status: 'Active',
      periodEnd: BigInt(since + periods * PERIOD_SECONDS),
      lastSeq: BigInt(periods),
      lastNonce: 0n,
      openRequestNonce: 0n,
      updatedAt: BigInt(node.unixTime),
    },
  );
  node.setAccount(address, { owner: node.programs.subscription, data });
}

export async function placeSingletons(node: AltNode, machineCount: bigint): Promise<void> {
  const { programs } = node;
  const { registry, config, eventRegistry } = await singletonAddresses();
  const technicalPause = await deriveAddress(programs.infoDesk, ['TechnicalPause']);
  const authorities = { admin: admin.key, lifecycleAuthority: lifecycleAuthority.key };
  const place = (address: AltKey, owner: AltKey, data: Uint8Array) => node.setAccount(address, { owner, data });
  const registryFields = { ...authorities, localOrdinal: ALT_ORDINAL, machineCount, bump: registry.bump };
  place(registry.address, programs.machineRegistry, encodeRegistry(registryFields));
  place(
    config.address,
    programs.stateAndSync,
    encodeConfig({
      admin: admin.key,
      adapterStore: admin.key,
      registryProgram: programs.machineRegistry,
      localOrdinal: ALT_ORDINAL,
      generalPausedGlobal: false,
      technicalPausedGlobal: false,
      bump: config.bump,
    }),
  );
  const eventFields = { ...authorities, paused: false, bump: eventRegistry.bump };
  place(eventRegistry.address, programs.eventRegistry, encodeEventRegistry(eventFields));
  const unlocked = encodeTechnicalPause({ paused: false, setAt: 0n }, technicalPause.bump);
  place(technicalPause.address, programs.infoDesk, unlocked);
}

/** Writes the bindings. An unbound wallet has no account; a revoked binding has a zero operator. */
export async function placeBindings(node: AltNode, wallets: readonly DevnetWallet[]): Promise<void> {
  for (const { wallet, state, boundTo } of wallets) {
    if (state === 'unbound') continue;
    const { address, bump } = await deriveAddress(node.programs.binding, [BINDING_SEED, altKeyBytes(wallet.key)]);
    const operator = boundTo?.address as Address | undefined;
    const lastSeq = state === 'revoked' ? 2n : 1n;
    const data = encodeOperatorBinding(wallet.key, { operator, lastSeq, updatedAt: BigInt(node.unixTime) }, bump);
    node.setAccount(address, { owner: node.programs.binding, data });
  }
}
