/**
 * How is the service configured? The only file that reads the process environment (configuration.md 1).
 * Every problem is told at once, by the variable's name and never by its value; the result is frozen and passed down. No
 * contract addresses is a legal configuration: the service is not initialised then (decisions 5).
 */
import { readFileSync } from 'node:fs';
import { readAltChainSettings, type AltChainSettings } from './config/alt-chain-settings.ts';
import { Environment, type ProcessEnvironment, type ReadFile } from './config/environment.ts';
import {
  ADDRESS_RANGE,
  BASE_URL,
  BOOLEAN,
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
import { forgetNodeEnvFiles } from './config/node-env-file.ts';
import { CERTIFICATE_VARIABLES, readTracingSettings, type TracingSettings } from './config/tracing-settings.ts';
import { readVerifySettings, type VerifySettings } from './config/verify-settings.ts';
import { DEFAULT_NAMESPACE, type Namespace } from './domain/identifiers/namespace.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Listener {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}

export interface Config {
  readonly listen: Listener;
  /** Metrics and profiling; undefined = off. */
  readonly admin: Listener | undefined;
  /** Base of links without a slash at its end; undefined = the address that is listened on (`formatBaseUrl`). */
  readonly publicUrl: string | undefined;
  readonly database: DatabaseSetting;
  /** A copy of it, PostgreSQL too, that lists are read from while it is fit; undefined: there is none. */
  readonly databaseReadUrl: string | undefined;
  /** Undefined: rates are counted in this process. */
  readonly redisUrl: string | undefined;
  /** Undefined: not initialised. */
  readonly mainChain: MainChainSettings | undefined;
  readonly altChain: AltChainSettings | undefined;
  /** Undefined: this server issues no challenge and takes no evidence. */
  readonly verify: VerifySettings | undefined;
  readonly challengeLifetimeSeconds: number;
  readonly keepEvidence: boolean;
  readonly partnerData: 'on' | 'off';
  /** What the interface does not ask for: routes and members of ours. */
  readonly additions: 'on' | 'off';
  /** A file or an http(s) URL. */
  readonly fxSource: string | undefined;
  readonly tokensFile: string | undefined;
  readonly namespaceFile: string | undefined;
  readonly namespace: Namespace;
  readonly rateLimits: 'on' | 'off';
  readonly rateLimitIpv6Prefix: number;
  /** Addresses and networks in CIDR notation. */
  readonly trustedProxies: readonly string[];
  /** `auto`: where the leader lock is held; `only`: no HTTP but the probes. */
  readonly indexer: 'auto' | 'off' | 'only';
  readonly pollIntervalSeconds: number;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
  readonly log: { readonly level: (typeof LOG_LEVELS)[number]; readonly format: 'json' | 'pretty' };
}

export interface ConfigReading {
  /** Complete whatever the problems are: a setting with a problem has its default, or is off. Not to be served with any. */
  readonly config: Config;
  readonly problems: readonly string[];
  /** Odd, but no reason not to start. */
  readonly warnings: readonly string[];
}

export interface ConfigOptions {
  /** `KEY=VALUE` lines; the environment wins over them. */
  readonly envFile?: string | undefined;
  /** Half a configuration of Verify counts as none. */
  readonly lenient?: boolean | undefined;
  /** Logs are read by a person at a terminal. */
  readonly isTerminal?: boolean | undefined;
}

/** To be called before anything is read: takes out of the environment what Node put there from the files that the command line names. */
export function forgetEnvFilesOfNode(args: readonly string[]): void {
  forgetNodeEnvFiles(args, process.env);
}

/** Reads the configuration from the environment of this process. */
export function loadConfig(options: ConfigOptions = {}): ConfigReading {
  return readConfig(process.env, { ...options, readFile: (path) => readFileSync(path, 'utf8') });
}

/** What a command that signs may find in the environment. No part of `Config`, so that nothing that prints a configuration prints it. */
export function loadSigningSecrets(): { readonly key: string | undefined; readonly passphrase: string | undefined } {
  const { SVC_KEY: key, SVC_KEY_PASSPHRASE: passphrase } = process.env;
  return { key, passphrase };
}

/** What a command of an onboarding provider may find in the environment. No part of `Config`, for the same reason. */
export function loadOnboardingToken(): string | undefined {
  return process.env['SVC_ONBOARDING_TOKEN'];
}

/** Runs what reads the environment by itself, while nothing is in it but what names a collector's certificates. */
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

/** Reads the configuration from the given environment; never throws. */
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
    keepEvidence: environment.read('KEEP_EVIDENCE', BOOLEAN) ?? true,
    partnerData: environment.read('PARTNER_DATA', oneOf(['on', 'off'])) ?? 'off',
    additions: environment.read('ADDITIONS', oneOf(['on', 'off'])) ?? 'on',
    fxSource: environment.read('FX_SOURCE', FILE_OR_URL),
    tokensFile: environment.read('TOKENS_FILE', FILE),
    ...readNamespace(environment),
    rateLimits: environment.read('RATE_LIMITS', oneOf(['on', 'off'])) ?? 'on',
    rateLimitIpv6Prefix: environment.read('RATE_LIMIT_IPV6_PREFIX', wholeNumber(1, 128)) ?? 128,
    trustedProxies: environment.read('TRUSTED_PROXIES', listOfValues(ADDRESS_RANGE)) ?? [],
    indexer: environment.read('INDEXER', oneOf(['auto', 'off', 'only'])) ?? 'auto',
    pollIntervalSeconds: environment.read('POLL_INTERVAL_SECONDS', wholeNumber(1, 3600)) ?? 60,
    tracing: readTracingSettings(environment),
    log: {
      level: environment.read('LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info',
      format: environment.read('LOG_FORMAT', oneOf(['json', 'pretty'])) ?? (options.isTerminal ? 'pretty' : 'json'),
    },
  };
  if (config.databaseReadUrl !== undefined && config.database.kind !== 'postgres') {
    environment.note('DATABASE_READ_URL', 'is a copy of a PostgreSQL database, and DATABASE_URL names none');
  }
  if (config.mainChain === undefined && config.altChain !== undefined) {
    environment.warn('ALT_RPC_URLS', 'the alt chain is not served without the contracts of the main chain');
  }
  return { config: deepFreeze(config), problems: environment.problems, warnings: environment.warnings };
}

/** The base of links to a listener: an IPv6 address stands in brackets. */
export function formatBaseUrl({ host, port }: Listener): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readListeners(environment: Environment): Pick<Config, 'listen' | 'admin' | 'publicUrl'> {
  const host = environment.read('HOST', HOST) ?? '127.0.0.1';
  const port = environment.read('PORT', PORT) ?? 8000;
  const adminHost = environment.read('ADMIN_HOST', HOST) ?? '127.0.0.1';
  const adminPort = environment.read('ADMIN_PORT', PORT) ?? 9464;
  if (port !== 0 && port === adminPort && host === adminHost) {
    environment.note('ADMIN_PORT', 'must not be the public PORT');
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
  for (const problem of problems) environment.note('NAMESPACE_FILE', problem);
  return { namespaceFile, namespace };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
