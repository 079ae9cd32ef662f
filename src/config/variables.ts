/** Which variables are there? Every name of configuration.md 1, in its order, and which of them are secrets. */

export const VARIABLES = [
  ...['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT', 'PUBLIC_URL', 'DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL'],
  ...['MAIN_RPC_URLS', 'MAIN_CHAIN_ID', 'MAIN_START_BLOCK'],
  ...['INFO_DESK_ADDRESS', 'MACHINE_REGISTRY_ADDRESS', 'MACHINE_STATE_AND_SYNC_ADDRESS'],
  ...['MACHINE_SUBSCRIPTION_ADDRESS', 'EVENT_REGISTRY_ADDRESS', 'CROSS_CHAIN_MIRROR_ADDRESS'],
  ...['ADMIN_FLAGS_ADDRESS', 'ATTESTATION_REGISTRY_ADDRESS', 'MULTICALL3_ADDRESS'],
  ...['LEGACY_IDENTITY_REGISTRY_ADDRESS', 'LEGACY_STAKING_ADDRESS'],
  ...['LEGACY_DID_STORE_ADDRESS', 'LEGACY_EVENT_REGISTRY_ADDRESS'],
  ...['ALT_RPC_URLS', 'ALT_GENESIS_HASH', 'ALT_ORDINAL', 'ALT_FIRST_SLOT'],
  ...['ALT_MACHINE_REGISTRY_PROGRAM', 'ALT_STATE_AND_SYNC_PROGRAM', 'ALT_SUBSCRIPTION_PROGRAM'],
  ...['ALT_EVENT_REGISTRY_PROGRAM', 'ALT_INFO_DESK_PROGRAM'],
  ...['ALT_BINDING_PROGRAM', 'ALT_BINDING_SEED', 'ALT_BINDING_DISCRIMINATOR'],
  ...['ONBOARDING_TOKENS', 'TRUST_ROOT_FILE', 'TRUST_ROOT_SHA256'],
  ...['TRUST_INTERMEDIATE_FILE', 'TRUST_INTERMEDIATE_SHA256', 'CHALLENGE_LIFETIME_SECONDS', 'KEEP_EVIDENCE'],
  ...['PARTNER_DATA', 'ADDITIONS', 'FX_SOURCE', 'TOKENS_FILE', 'NAMESPACE_FILE'],
  ...['RATE_LIMITS', 'RATE_LIMIT_IPV6_PREFIX', 'TRUSTED_PROXIES', 'INDEXER', 'POLL_INTERVAL_SECONDS'],
  ...['LOG_LEVEL', 'LOG_FORMAT'],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'OTEL_TRACES_SAMPLER_ARG'],
] as const;

export type Variable = (typeof VARIABLES)[number];

/** May come from `NAME_FILE` instead. */
export const SECRETS = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'MAIN_RPC_URLS', 'ALT_RPC_URLS', 'ONBOARDING_TOKENS'],
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

const NAMES: ReadonlySet<string> = new Set<string>([...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`)]);
const MAX_MISTYPED_LETTERS = 2;

/**
 * The variable that an unknown name was meant to be; undefined when the name is known or like none. Names of one word are
 * left alone: `HOME` is not a mistyped `HOST`.
 */
export function findIntended(name: string): string | undefined {
  if (NAMES.has(name) || !name.includes('_')) return undefined;
  const withoutFile = name.replace(/_FILE$/, '');
  if (withoutFile !== name && NAMES.has(withoutFile)) return withoutFile;
  let nearest: string | undefined;
  let nearestDistance = MAX_MISTYPED_LETTERS + 1;
  for (const known of NAMES) {
    if (!known.includes('_') || Math.abs(known.length - name.length) > MAX_MISTYPED_LETTERS) continue;
    const distance = editDistance(name, known);
    if (distance < nearestDistance) [nearest, nearestDistance] = [known, distance];
  }
  return nearest;
}

/** How many letters must be added, removed or replaced to make one text the other. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
