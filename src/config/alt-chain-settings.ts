/**
 * Settings of the alt chain: its programs and nodes. The machines' programs (all or none) and the wallet binding are
 * independent, because routes for legacy machines need only the binding.
 */
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { Environment } from './environment.ts';
import { ALT_KEY_VALUE, CALLS_PER_SECOND, HTTP_URL, listOfValues, wholeNumber, type ValueParser } from './parsers.ts';

/** Program that binds wallets to addresses of the main chain (chain-svm 3.8). */
export interface AltBindingSettings {
  readonly program: AltKey;
  /** First seed of a binding's address. */
  readonly seed: string;
  /** First eight bytes of a binding, as 16 lower-case hex digits. */
  readonly discriminator: string;
}

export interface AltChainSettings {
  /** At least one; the first healthy one is used. */
  readonly rpcUrls: readonly string[];
  readonly genesisHash: AltKey;
  /** Ordinal of the chain among home chains. */
  readonly ordinal: number;
  /** First slot of the deployment's events. */
  readonly firstSlot: number;
  /** Ceiling of this process; undefined: learned from refusals of the nodes. */
  readonly callsPerSecond: number | undefined;
  readonly programs:
    | {
        readonly machineRegistry: AltKey;
        readonly stateAndSync: AltKey;
        readonly subscription: AltKey;
        readonly eventRegistry: AltKey;
        readonly infoDesk: AltKey | undefined;
      }
    | undefined;
  readonly binding: AltBindingSettings | undefined;
}

export const DEFAULT_ALT_ORDINAL = 5;
export const DEFAULT_BINDING_SEED = 'OperatorBinding';
export const DEFAULT_BINDING_DISCRIMINATOR = 'e24e20d708982d63';

/** Required programs; the info desk is optional. */
const PROGRAMS = {
  machineRegistry: 'ALT_MACHINE_REGISTRY_PROGRAM',
  stateAndSync: 'ALT_STATE_AND_SYNC_PROGRAM',
  subscription: 'ALT_SUBSCRIPTION_PROGRAM',
  eventRegistry: 'ALT_EVENT_REGISTRY_PROGRAM',
} as const;

/** Limited by the chain's maximum seed length. */
const BINDING_SEED: ValueParser<string> = {
  rule: '1 to 32 printable ASCII characters',
  parse: (text) => (/^[\x20-\x7e]{1,32}$/.test(text) ? text : undefined),
};

const DISCRIMINATOR: ValueParser<string> = {
  rule: '16 hex digits',
  parse: (text) => (/^[0-9a-fA-F]{16}$/.test(text) ? text.toLowerCase() : undefined),
};

/** Returns undefined when neither programs nor a binding are configured, or with problems recorded. */
export function readAltChainSettings(environment: Environment): AltChainSettings | undefined {
  const programs = readPrograms(environment);
  const binding = readBinding(environment);
  // 0 is no chain and 1 is the main chain.
  const ordinal = environment.read('ALT_ORDINAL', wholeNumber(2, 65_535)) ?? DEFAULT_ALT_ORDINAL;
  const firstSlot = environment.read('ALT_FIRST_SLOT', wholeNumber(0, Number.MAX_SAFE_INTEGER)) ?? 0;
  const callsPerSecond = environment.read('ALT_RPC_CALLS_PER_SECOND', CALLS_PER_SECOND);

  const isConfigured = [...Object.values(PROGRAMS), 'ALT_BINDING_PROGRAM' as const].some((name) =>
    environment.has(name),
  );
  const rpcParser = listOfValues(HTTP_URL);
  const reason = 'with programs of the alt chain';
  const rpcUrls = isConfigured
    ? environment.require('ALT_RPC_URLS', rpcParser, reason)
    : environment.read('ALT_RPC_URLS', rpcParser);
  const genesisHash = isConfigured
    ? environment.require('ALT_GENESIS_HASH', ALT_KEY_VALUE, reason)
    : environment.read('ALT_GENESIS_HASH', ALT_KEY_VALUE);

  if (!isConfigured && environment.has('ALT_RPC_URLS')) {
    environment.addWarning('ALT_RPC_URLS', 'has no effect without programs of the alt chain');
  }
  if (rpcUrls === undefined || genesisHash === undefined) return undefined;
  if (programs === undefined && binding === undefined) return undefined;
  return { rpcUrls, genesisHash, ordinal, firstSlot, callsPerSecond, programs, binding };
}

function readPrograms(environment: Environment): AltChainSettings['programs'] {
  const programs = environment.readGroup(PROGRAMS, ALT_KEY_VALUE);
  const infoDesk = environment.read('ALT_INFO_DESK_PROGRAM', ALT_KEY_VALUE);
  const isConfigured = Object.values(PROGRAMS).some((name) => environment.has(name));
  if (environment.has('ALT_INFO_DESK_PROGRAM') && !isConfigured) {
    environment.addProblem('ALT_INFO_DESK_PROGRAM', 'set without the other programs of the alt chain');
  }
  return programs && { ...programs, infoDesk };
}

function readBinding(environment: Environment): AltBindingSettings | undefined {
  const program = environment.read('ALT_BINDING_PROGRAM', ALT_KEY_VALUE);
  const seed = environment.read('ALT_BINDING_SEED', BINDING_SEED) ?? DEFAULT_BINDING_SEED;
  const discriminator = environment.read('ALT_BINDING_DISCRIMINATOR', DISCRIMINATOR) ?? DEFAULT_BINDING_DISCRIMINATOR;
  return program && { program, seed, discriminator };
}
