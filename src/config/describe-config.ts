/**
 * Printed configuration of `svc serve --check` and `svc doctor`: every variable with its effective value. Secrets show
 * only that they are set. URLs show only scheme and host, because paths, queries and user names may contain keys.
 */
import { formatBaseUrl, type Config } from '../config.ts';
import { DEFAULT_ALT_ORDINAL, DEFAULT_BINDING_DISCRIMINATOR, DEFAULT_BINDING_SEED } from './alt-chain-settings.ts';
import { DEFAULT_STATEMENT_LIFETIME_SECONDS } from './statement-settings.ts';
import { DEFAULT_SERVICE_NAME, DEFAULT_SAMPLE_RATIO } from './tracing-settings.ts';
import type { Variable } from './variables.ts';

/** Null: not set, and without a default. */
export type ConfigDescription = Readonly<Record<Variable, string | null>>;

/** Describes every variable in the order of the documentation. */
export function describeConfig(config: Config): ConfigDescription {
  const { mainChain, altChain, verify } = config;
  const legacy = mainChain?.addresses.legacy;
  const texts: Record<Variable, string | number | boolean | null | undefined> = {
    HOST: config.listen.host,
    PORT: config.listen.port,
    ADMIN_HOST: config.admin?.host,
    ADMIN_PORT: config.admin?.port ?? 0,
    PUBLIC_URL: config.publicUrl ?? formatBaseUrl(config.listen),
    DATABASE_URL: config.database.kind === 'sqlite' ? `sqlite:${config.database.path}` : redactUrl(config.database.url),
    DATABASE_READ_URL: config.databaseReadUrl && redactUrl(config.databaseReadUrl),
    REDIS_URL: config.redisUrl && redactUrl(config.redisUrl),
    MAIN_RPC_URLS: mainChain?.rpcUrls.map(redactUrl).join(', '),
    MAIN_CHAIN_ID: mainChain?.chainId,
    MAIN_START_BLOCK: mainChain?.startBlock ?? 0,
    MAIN_RPC_QUORUM: mainChain?.quorum ?? 1,
    MAIN_RPC_CALLS_PER_SECOND: mainChain?.callsPerSecond ?? 'learned',
    MAIN_RPC_CALLS_PER_DAY: mainChain?.callsPerDay,
    INFO_DESK_ADDRESS: mainChain?.addresses.infoDesk,
    MACHINE_REGISTRY_ADDRESS: mainChain?.addresses.machineRegistry,
    MACHINE_STATE_AND_SYNC_ADDRESS: mainChain?.addresses.machineStateAndSync,
    MACHINE_SUBSCRIPTION_ADDRESS: mainChain?.addresses.machineSubscription,
    EVENT_REGISTRY_ADDRESS: mainChain?.addresses.eventRegistry,
    CROSS_CHAIN_MIRROR_ADDRESS: mainChain?.addresses.crossChainMirror,
    ADMIN_FLAGS_ADDRESS: mainChain?.addresses.adminFlags,
    ATTESTATION_REGISTRY_ADDRESS: mainChain?.addresses.attestationRegistry,
    MULTICALL3_ADDRESS: mainChain?.addresses.multicall3 ?? 'canonical',
    LEGACY_IDENTITY_REGISTRY_ADDRESS: legacy?.identityRegistry,
    LEGACY_STAKING_ADDRESS: legacy?.staking,
    LEGACY_DID_STORE_ADDRESS: legacy?.didStore,
    LEGACY_EVENT_REGISTRY_ADDRESS: legacy?.eventRegistry,
    ALT_RPC_URLS: altChain?.rpcUrls.map(redactUrl).join(', '),
    ALT_GENESIS_HASH: altChain?.genesisHash,
    ALT_ORDINAL: altChain?.ordinal ?? DEFAULT_ALT_ORDINAL,
    ALT_FIRST_SLOT: altChain?.firstSlot ?? 0,
    ALT_RPC_CALLS_PER_SECOND: altChain?.callsPerSecond ?? 'learned',
    ALT_MACHINE_REGISTRY_PROGRAM: altChain?.programs?.machineRegistry,
    ALT_STATE_AND_SYNC_PROGRAM: altChain?.programs?.stateAndSync,
    ALT_SUBSCRIPTION_PROGRAM: altChain?.programs?.subscription,
    ALT_EVENT_REGISTRY_PROGRAM: altChain?.programs?.eventRegistry,
    ALT_INFO_DESK_PROGRAM: altChain?.programs?.infoDesk,
    ALT_BINDING_PROGRAM: altChain?.binding?.program,
    ALT_BINDING_SEED: altChain?.binding?.seed ?? DEFAULT_BINDING_SEED,
    ALT_BINDING_DISCRIMINATOR: altChain?.binding?.discriminator ?? DEFAULT_BINDING_DISCRIMINATOR,
    ONBOARDING_TOKENS: verify && `${verify.onboardingTokens.length} set, not shown`,
    TRUST_ROOT_FILE: verify?.root.file,
    TRUST_ROOT_SHA256: verify?.root.sha256,
    TRUST_INTERMEDIATE_FILE: verify?.intermediate.file,
    TRUST_INTERMEDIATE_SHA256: verify?.intermediate.sha256,
    CHALLENGE_LIFETIME_SECONDS: config.challengeLifetimeSeconds,
    KEEP_EVIDENCE: config.storesEvidence,
    PARTNER_DATA: config.partnerData,
    ADDITIONS: config.additions,
    FX_SOURCE: config.fxSource && describeSource(config.fxSource),
    TOKENS_FILE: config.tokensFile,
    NAMESPACE_FILE: config.namespaceFile,
    MAIN_EXPLORER_URL: config.blockExplorers.main,
    ALT_EXPLORER_URL: config.blockExplorers.alt,
    SOURCES_FILE: config.sourcesFile,
    SOURCE_CALLS_PER_SECOND: config.sourceCallsPerSecond,
    RATE_LIMITS: config.rateLimits,
    RATE_LIMIT_IPV6_PREFIX: config.rateLimitIpv6Prefix,
    TRUSTED_PROXIES: config.trustedProxies.join(', ') || undefined,
    INDEXER: config.indexer,
    INDEX_PROOF: config.indexProof,
    POLL_INTERVAL_SECONDS: config.pollIntervalSeconds,
    STATEMENT_KEY_FILE: config.statements?.keyFiles.join(', '),
    STATEMENT_KEY_PASSPHRASE: config.statements?.passphrase && 'set, not shown',
    STATEMENT_LIFETIME_SECONDS: config.statements?.lifetimeSeconds ?? DEFAULT_STATEMENT_LIFETIME_SECONDS,
    WATCH_FILE: config.watchFile,
    LOG_LEVEL: config.log.level,
    LOG_FORMAT: config.log.format,
    OTEL_EXPORTER_OTLP_ENDPOINT: config.tracing && redactUrl(config.tracing.endpoint),
    OTEL_EXPORTER_OTLP_HEADERS: config.tracing && `${Object.keys(config.tracing.headers).length} set, not shown`,
    OTEL_SERVICE_NAME: config.tracing?.serviceName ?? DEFAULT_SERVICE_NAME,
    OTEL_TRACES_SAMPLER_ARG: config.tracing?.sampleRatio ?? DEFAULT_SAMPLE_RATIO,
  };
  const entries = Object.entries(texts).map(([name, value]) => [name, value === undefined ? null : String(value)]);
  return Object.fromEntries(entries) as ConfigDescription;
}

function describeSource(source: string): string {
  return /^https?:/i.test(source) ? redactUrl(source) : source;
}

/** Returns scheme, host and port of a URL. */
function redactUrl(text: string): string {
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
}
