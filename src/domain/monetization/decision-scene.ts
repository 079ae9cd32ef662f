/** Who decides about which machine in tests? Test support: keys that really sign, and machines of both homes. */
import type { Address, MachineId } from '../identifiers.ts';
import type { Reading } from '../machine-facts.ts';
import { DEFAULT_NAMESPACE } from '../namespace.ts';
import { createAltChainKey, createMainChainKey, NATIVE_CHECKS } from '../signatures/signing-keys.ts';
import type { DecidingHome, DecidingMachine, DecidingSnapshot } from './deciding-machine.ts';
import type { DecisionTerms } from './decision-judgement.ts';
import type { Decision, PublishedDeployment } from './decision.ts';
import { prepareDecision } from './prepared-decision.ts';

export const NOW = 1_788_900_000;
export const ID = 42n as MachineId;
export const ALT_ORDINAL = 5;

export const OWNER = createMainChainKey(new Uint8Array(32).fill(1));
export const CONTROLLER = createMainChainKey(new Uint8Array(32).fill(2));
export const STRANGER = createMainChainKey(new Uint8Array(32).fill(3));
export const ALT_OWNER = createAltChainKey(new Uint8Array(32).fill(7));
export const ALT_STRANGER = createAltChainKey(new Uint8Array(32).fill(8));

export const DEPLOYMENT: PublishedDeployment = {
  chainId: '31337',
  registry: '0x00000000000000000000000000000000000000aa' as Address,
};

export const TERMS: DecisionTerms = { namespace: DEFAULT_NAMESPACE, deployment: DEPLOYMENT, checks: NATIVE_CHECKS };

export const MAIN: DecidingHome = { chain: 'main' };
export const ALT: DecidingHome = { chain: 'alt', ordinal: ALT_ORDINAL, owner: ALT_OWNER.key };

export const OPT_IN: Decision = { machineId: ID, optedIn: true, timestamp: NOW };
export const OPT_OUT: Decision = { machineId: ID, optedIn: false, timestamp: NOW };

export const ABSENT = { state: 'absent' } as const;
export const UNREADABLE = { state: 'unreadable', cause: 'transport' } as const;

export function present<T>(value: T): Reading<T> {
  return { state: 'present', value };
}

/** Bonded and free to be opted in. */
export const FREE: DecidingSnapshot = {
  owner: present(OWNER.address),
  controller: present(CONTROLLER.address),
  subscriptionStatus: present('Active'),
  available: present(true),
  generalPaused: present(false),
  technicalPaused: present(false),
  operatorPaused: present(false),
};

export const NO_GLOBALS: DecidingMachine['globals'] = { generalPausedGlobal: false, technicalPausedGlobal: false };

export const MAIN_MACHINE: DecidingMachine = { home: MAIN, snapshot: FREE, globals: NO_GLOBALS };
export const ALT_MACHINE: DecidingMachine = {
  home: ALT,
  snapshot: { ...FREE, owner: ABSENT, controller: ABSENT, available: ABSENT },
  globals: NO_GLOBALS,
};

/** The bytes that the owner of a home signs. */
export function messageOf(
  decision: Decision,
  { home = MAIN, deployment = DEPLOYMENT }: { home?: DecidingHome; deployment?: PublishedDeployment } = {},
): Uint8Array {
  return prepareDecision(decision, home, deployment, DEFAULT_NAMESPACE).message;
}

/** The members of a body as an honest client of a home writes them. */
export function membersOf(decision: Decision, home: DecidingHome = MAIN): Record<string, unknown> {
  const message = messageOf(decision, { home });
  const members = { opted_in: decision.optedIn, timestamp: decision.timestamp };
  return home.chain === 'main'
    ? { ...members, signature: OWNER.sign(message) }
    : { ...members, signature: ALT_OWNER.sign(message), signer_pubkey: ALT_OWNER.key };
}
