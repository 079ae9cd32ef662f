/** For tests: an environment in which every group is set, and a reader of configurations that has its files in memory. */
import { readConfig, type ConfigOptions, type ConfigReading } from '../config.ts';

export type Variables = Readonly<Record<string, string>>;

/** A file that is not given cannot be read. */
export function read(env: Variables, options: ConfigOptions & { readonly files?: Variables } = {}): ConfigReading {
  const { files = {}, ...rest } = options;
  return readConfig(env, {
    ...rest,
    readFile(path) {
      if (files[path] === undefined) throw new Error(`no such file: ${path}`);
      return files[path];
    },
  });
}

export const address = (digit: string) => `0x${digit.repeat(40)}`;
export const CONTRACTS: Variables = {
  INFO_DESK_ADDRESS: address('1'),
  MACHINE_REGISTRY_ADDRESS: address('2'),
  MACHINE_STATE_AND_SYNC_ADDRESS: address('3'),
  MACHINE_SUBSCRIPTION_ADDRESS: address('4'),
  EVENT_REGISTRY_ADDRESS: address('5'),
  CROSS_CHAIN_MIRROR_ADDRESS: address('6'),
};
export const MAIN: Variables = { MAIN_RPC_URLS: 'https://node.example/key', MAIN_CHAIN_ID: '31337', ...CONTRACTS };
export const LEGACY: Variables = {
  LEGACY_IDENTITY_REGISTRY_ADDRESS: address('7'),
  LEGACY_STAKING_ADDRESS: address('8'),
  LEGACY_EVENT_REGISTRY_ADDRESS: address('9'),
};
/** Base58 of 32 bytes. */
export const key = (digit: string) => digit.repeat(44);
export const ALT: Variables = {
  ALT_RPC_URLS: 'http://alt.example:8899/key',
  ALT_GENESIS_HASH: key('2'),
  ALT_MACHINE_REGISTRY_PROGRAM: key('3'),
  ALT_STATE_AND_SYNC_PROGRAM: key('4'),
  ALT_SUBSCRIPTION_PROGRAM: key('5'),
  ALT_EVENT_REGISTRY_PROGRAM: key('6'),
};
export const VERIFY: Variables = {
  ONBOARDING_TOKENS: 'token-one, token-two',
  TRUST_ROOT_FILE: 'root.pem',
  TRUST_ROOT_SHA256: 'a'.repeat(64),
  TRUST_INTERMEDIATE_FILE: 'intermediate.der',
  TRUST_INTERMEDIATE_SHA256: 'b'.repeat(64),
};
export const TRACES: Variables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key',
};
export const ALL: Variables = { ...MAIN, ...LEGACY, ...ALT, ...VERIFY };
