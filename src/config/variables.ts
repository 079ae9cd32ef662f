/** Names of all variables in the order of configuration.md 1, and those that are secrets. */
import { findNearestWord } from '../domain/nearest-word.ts';

export const VARIABLES = [
  ...['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT', 'PUBLIC_URL', 'DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL'],
  ...['MAIN_RPC_URLS', 'MAIN_CHAIN_ID', 'MAIN_START_BLOCK', 'MAIN_RPC_QUORUM'],
  ...['MAIN_RPC_CALLS_PER_SECOND', 'MAIN_RPC_CALLS_PER_DAY'],
  ...['INFO_DESK_ADDRESS', 'MACHINE_REGISTRY_ADDRESS', 'MACHINE_STATE_AND_SYNC_ADDRESS'],
  ...['MACHINE_SUBSCRIPTION_ADDRESS', 'EVENT_REGISTRY_ADDRESS', 'CROSS_CHAIN_MIRROR_ADDRESS'],
  ...['ADMIN_FLAGS_ADDRESS', 'ATTESTATION_REGISTRY_ADDRESS', 'MULTICALL3_ADDRESS'],
  ...['LEGACY_IDENTITY_REGISTRY_ADDRESS', 'LEGACY_STAKING_ADDRESS'],
  ...['LEGACY_DID_STORE_ADDRESS', 'LEGACY_EVENT_REGISTRY_ADDRESS'],
  ...['ALT_RPC_URLS', 'ALT_GENESIS_HASH', 'ALT_ORDINAL', 'ALT_FIRST_SLOT', 'ALT_RPC_CALLS_PER_SECOND'],
  ...['ALT_MACHINE_REGISTRY_PROGRAM', 'ALT_STATE_AND_SYNC_PROGRAM', 'ALT_SUBSCRIPTION_PROGRAM'],
  ...['ALT_EVENT_REGISTRY_PROGRAM', 'ALT_INFO_DESK_PROGRAM'],
  ...['ALT_BINDING_PROGRAM', 'ALT_BINDING_SEED', 'ALT_BINDING_DISCRIMINATOR'],
  ...['ONBOARDING_TOKENS', 'TRUST_ROOT_FILE', 'TRUST_ROOT_SHA256'],
  ...['TRUST_INTERMEDIATE_FILE', 'TRUST_INTERMEDIATE_SHA256', 'CHALLENGE_LIFETIME_SECONDS', 'KEEP_EVIDENCE'],
  ...['PARTNER_DATA', 'ADDITIONS', 'FX_SOURCE', 'TOKENS_FILE', 'NAMESPACE_FILE'],
  ...['MAIN_EXPLORER_URL', 'ALT_EXPLORER_URL'],
  ...['SOURCES_FILE', 'SOURCE_CALLS_PER_SECOND'],
  ...['RATE_LIMITS', 'RATE_LIMIT_IPV6_PREFIX', 'TRUSTED_PROXIES', 'INDEXER', 'INDEX_PROOF', 'POLL_INTERVAL_SECONDS'],
  ...['STATEMENT_KEY_FILE', 'STATEMENT_KEY_PASSPHRASE', 'STATEMENT_LIFETIME_SECONDS', 'WATCH_FILE'],
  ...['LOG_LEVEL', 'LOG_FORMAT'],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'OTEL_TRACES_SAMPLER_ARG'],
] as const;

export type Variable = (typeof VARIABLES)[number];

/** Secrets; each may be set through `NAME_FILE` instead. */
export const SECRETS = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'MAIN_RPC_URLS', 'ALT_RPC_URLS', 'ONBOARDING_TOKENS'],
  ...['STATEMENT_KEY_PASSPHRASE', 'OTEL_EXPORTER_OTLP_HEADERS'],
] as const;

const NAMES: ReadonlySet<string> = new Set<string>([...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`)]);
const NAMES_OF_SEVERAL_WORDS = [...NAMES].filter((name) => name.includes('_'));

/**
 * Returns the variable that a mistyped name resembles; undefined when the name is known or unlike any. Names of one
 * word are ignored: `HOME` is not a mistyped `HOST`.
 */
export function suggestVariable(name: string): string | undefined {
  if (NAMES.has(name) || !name.includes('_')) return undefined;
  const withoutFile = name.replace(/_FILE$/, '');
  if (withoutFile !== name && NAMES.has(withoutFile)) return withoutFile;
  return findNearestWord(name, NAMES_OF_SEVERAL_WORDS);
}
