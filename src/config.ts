/**
 * Service configuration; the only file that reads the process environment (configuration.md 1). All problems are
 * reported at once, by variable name and never by value. The result is frozen and passed down. A configuration without
 * contract addresses is valid: the service is not initialized then (decisions 5).
 */
import { readFileSync } from 'node:fs';
import { readAltChainSettings, type AltChainSettings } from './config/alt-chain-settings.ts';
import { Environment, type ProcessEnvironment, type ReadFile } from './config/environment.ts';
import {
  ADDRESS_RANGE,
  BASE_URL,
  BLOCK_EXPLORER_URL,
  BOOLEAN,
  CALLS_PER_SECOND,
  DATABASE,
  FILE,
  FILE_OR_URL,
  HOST,
  listOfValues,
  oneOf,
  PORT,
  POSTGRES_URL,
  REDIS_URL,
  wholeNumber,
  type DatabaseSetting,
} from './config/parsers.ts';
import { readMainChainSettings, type MainChainSettings } from './config/main-chain-settings.ts';
import { parseNamespace } from './config/namespace-file.ts';
import { removeEnvFileVariables } from './config/node-env-file.ts';
import { readStatementSettings, type StatementSettings } from './config/statement-settings.ts';
import { CERTIFICATE_VARIABLES, readTracingSettings, type TracingSettings } from './config/tracing-settings.ts';
import { readVerifySettings, type VerifySettings } from './config/verify-settings.ts';
import { INDEX_PROOFS, type IndexProof } from './domain/index-rules/index-proof.ts';
import type { BlockExplorers } from './domain/identifiers/block-explorers.ts';
import { DEFAULT_NAMESPACE, type Namespace } from './domain/identifiers/namespace.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Listener {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
}

export interface Config {
  readonly listen: Listener;
  /** Listener for metrics; undefined: off. */
  readonly admin: Listener | undefined;
  /** Base URL of links without a trailing slash; undefined: the listening address (`formatBaseUrl`). */
  readonly publicUrl: string | undefined;
  readonly database: DatabaseSetting;
  /** PostgreSQL read replica that lists are read from while it is usable; undefined: none. */
  readonly databaseReadUrl: string | undefined;
  /** Undefined: rate limits are counted in this process. */
  readonly redisUrl: string | undefined;
  /** Undefined: the service is not initialized. */
  readonly mainChain: MainChainSettings | undefined;
  readonly altChain: AltChainSettings | undefined;
  /** Undefined: this server issues no challenges and accepts no evidence. */
  readonly verify: VerifySettings | undefined;
  readonly challengeLifetimeSeconds: number;
  readonly storesEvidence: boolean;
  readonly partnerData: 'on' | 'off';
  /** Routes and members beyond the interface. */
  readonly additions: 'on' | 'off';
  /** A file or an http(s) URL. */
  readonly fxSource: string | undefined;
  readonly tokensFile: string | undefined;
  /** Undefined: no payments are followed. */
  readonly sourcesFile: string | undefined;
  /** Undefined: no webhooks are sent. */
  readonly watchFile: string | undefined;
  /** Ceiling of this process for each source. */
  readonly sourceCallsPerSecond: number;
  readonly namespaceFile: string | undefined;
  readonly namespace: Namespace;
  /** Block explorers that the pages link to. */
  readonly blockExplorers: BlockExplorers;
  readonly rateLimits: 'on' | 'off';
  readonly rateLimitIpv6Prefix: number;
  /** IP addresses and networks in CIDR notation. */
  readonly trustedProxies: readonly string[];
  /** `auto`: indexes while holding the leader lock; `only`: serves health checks only. */
  readonly indexer: 'auto' | 'off' | 'only';
  readonly indexProof: IndexProof;
  readonly pollIntervalSeconds: number;
  /** Undefined: no statement is signed. */
  readonly statements: StatementSettings | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
  readonly log: { readonly level: (typeof LOG_LEVELS)[number]; readonly format: 'json' | 'pretty' };
}

export interface ConfigReading {
  /** Complete even with problems: an invalid setting has its default or is off. Must not be served with any problem. */
  readonly config: Config;
  readonly problems: readonly string[];
  /** Findings that do not prevent a start. */
  readonly warnings: readonly string[];
}

export interface ConfigOptions {
  /** File of `KEY=VALUE` lines; the environment takes precedence. */
  readonly envFile?: string | undefined;
  /** Treats an incomplete Verify configuration as none. */
  readonly lenient?: boolean | undefined;
  /** Whether logs are written to a terminal. */
  readonly isTerminal?: boolean | undefined;
}

/**
 * Removes variables that Node loaded from the env files on its command line. Must be called before the environment is
 * read.
 */
export function removeNodeEnvFileVariables(args: readonly string[]): void {
  removeEnvFileVariables(args, process.env);
}

/** Reads the configuration from the environment of this process. */
export function loadConfig(options: ConfigOptions = {}): ConfigReading {
  return readConfig(process.env, { ...options, readFile: (path) => readFileSync(path, 'utf8') });
}

/**
 * Reads the secrets of signing commands. They are not part of `Config`, so that no printed configuration contains them.
 */
export function loadSigningSecrets(): { readonly key: string | undefined; readonly passphrase: string | undefined } {
  const { SVC_KEY: key, SVC_KEY_PASSPHRASE: passphrase } = process.env;
  return { key, passphrase };
}

/** Reads the token of onboarding provider commands, which for the same reason is not part of `Config`. */
export function loadOnboardingToken(): string | undefined {
  return process.env['SVC_ONBOARDING_TOKEN'];
}

/** Reads the URL of the service that commands call unless an option names another. */
export function loadServiceUrl(): string | undefined {
  return process.env['SVC_BASE_URL'];
}

/** Runs code that reads the environment itself, with only the collector's certificate variables in it. */
export function runWithCertificates<T>(run: () => T): T {
  const { env } = process;
  process.env = Object.fromEntries(
    CERTIFICATE_VARIABLES.filter((name) => name in env).map((name) => [name, env[name]]),
  );
  try {
    return run();
  } finally {
    process.env = env;
  }
}

/** Reads the configuration from the given environment. Never throws. */
export function readConfig(
  env: ProcessEnvironment,
  options: ConfigOptions & { readonly readFile: ReadFile },
): ConfigReading {
  const environment = new Environment(env, options);
  const config: Config = {
    ...readListeners(environment),
    database: environment.read('DATABASE_URL', DATABASE) ?? { kind: 'sqlite', path: './data/svc.db' },
    databaseReadUrl: environment.read('DATABASE_READ_URL', POSTGRES_URL),
    redisUrl: environment.read('REDIS_URL', REDIS_URL),
    mainChain: readMainChainSettings(environment),
    altChain: readAltChainSettings(environment),
    verify: readVerifySettings(environment, options.lenient ?? false),
    challengeLifetimeSeconds: environment.read('CHALLENGE_LIFETIME_SECONDS', wholeNumber(60, 300)) ?? 270,
    storesEvidence: environment.read('KEEP_EVIDENCE', BOOLEAN) ?? true,
    partnerData: environment.read('PARTNER_DATA', oneOf(['on', 'off'])) ?? 'off',
    additions: environment.read('ADDITIONS', oneOf(['on', 'off'])) ?? 'on',
    fxSource: environment.read('FX_SOURCE', FILE_OR_URL),
    tokensFile: environment.read('TOKENS_FILE', FILE),
    sourcesFile: environment.read('SOURCES_FILE', FILE),
    watchFile: environment.read('WATCH_FILE', FILE),
    sourceCallsPerSecond: environment.read('SOURCE_CALLS_PER_SECOND', CALLS_PER_SECOND) ?? 20,
    ...readNamespace(environment),
    blockExplorers: {
      main: environment.read('MAIN_EXPLORER_URL', BLOCK_EXPLORER_URL),
      alt: environment.read('ALT_EXPLORER_URL', BLOCK_EXPLORER_URL),
    },
    rateLimits: environment.read('RATE_LIMITS', oneOf(['on', 'off'])) ?? 'on',
    rateLimitIpv6Prefix: environment.read('RATE_LIMIT_IPV6_PREFIX', wholeNumber(1, 128)) ?? 64,
    trustedProxies: environment.read('TRUSTED_PROXIES', listOfValues(ADDRESS_RANGE)) ?? [],
    indexer: environment.read('INDEXER', oneOf(['auto', 'off', 'only'])) ?? 'auto',
    indexProof: environment.read('INDEX_PROOF', oneOf(INDEX_PROOFS)) ?? 'background',
    pollIntervalSeconds: environment.read('POLL_INTERVAL_SECONDS', wholeNumber(1, 3600)) ?? 60,
    statements: readStatementSettings(environment),
    tracing: readTracingSettings(environment),
    log: {
      level: environment.read('LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info',
      format: environment.read('LOG_FORMAT', oneOf(['json', 'pretty'])) ?? (options.isTerminal ? 'pretty' : 'json'),
    },
  };
  if (config.databaseReadUrl !== undefined && config.database.kind !== 'postgres') {
    environment.addProblem('DATABASE_READ_URL', 'requires a postgres:// DATABASE_URL');
  }
  if (config.mainChain === undefined && config.altChain !== undefined) {
    environment.addWarning('ALT_RPC_URLS', 'has no effect without the contracts of the main chain');
  }
  return { config: deepFreeze(config), problems: environment.problems, warnings: environment.warnings };
}

/** Returns the base URL of a listener; an IPv6 address is put in brackets. */
export function formatBaseUrl({ host, port }: Listener): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readListeners(environment: Environment): Pick<Config, 'listen' | 'admin' | 'publicUrl'> {
  const host = environment.read('HOST', HOST) ?? '127.0.0.1';
  const port = environment.read('PORT', PORT) ?? 8000;
  const adminHost = environment.read('ADMIN_HOST', HOST) ?? '127.0.0.1';
  const adminPort = environment.read('ADMIN_PORT', PORT) ?? 9464;
  if (port !== 0 && port === adminPort && host === adminHost) {
    environment.addProblem('ADMIN_PORT', 'must not be the public PORT');
  }
  return {
    listen: { host, port },
    admin: adminPort === 0 ? undefined : { host: adminHost, port: adminPort },
    publicUrl: environment.read('PUBLIC_URL', BASE_URL),
  };
}

function readNamespace(environment: Environment): Pick<Config, 'namespaceFile' | 'namespace'> {
  const namespaceFile = environment.read('NAMESPACE_FILE', FILE);
  const text = namespaceFile === undefined ? undefined : environment.readFileOf('NAMESPACE_FILE', namespaceFile);
  const { namespace = DEFAULT_NAMESPACE, problems = [] } = text === undefined ? {} : parseNamespace(text);
  for (const problem of problems) environment.addProblem('NAMESPACE_FILE', problem);
  return { namespaceFile, namespace };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
