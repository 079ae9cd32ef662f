/**
 * Tests of every variable of configuration.md 1: its default, what it accepts and what it rejects. No problem contains
 * a value.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { address, ALL, key, read, VERIFY } from '../testing/fixtures/sample-environment.ts';
import { VARIABLES, type Variable } from './config/variables.ts';
import { formatBaseUrl, type Config } from './config.ts';
import { DEFAULT_NAMESPACE } from './domain/identifiers/namespace.ts';
import { rule } from '../test/conformance/rule.ts';

/** What is stored of a token. */
const toToken = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  characters: text.length,
});

it('an empty environment is a valid configuration that is not initialized', () => {
  expect(read({})).toEqual({
    config: {
      listen: { host: '127.0.0.1', port: 8000 },
      admin: { host: '127.0.0.1', port: 9464 },
      publicUrl: undefined,
      database: { kind: 'sqlite', path: './data/svc.db' },
      databaseReadUrl: undefined,
      redisUrl: undefined,
      mainChain: undefined,
      altChain: undefined,
      verify: undefined,
      challengeLifetimeSeconds: 270,
      storesEvidence: true,
      partnerData: 'off',
      additions: 'on',
      fxSource: undefined,
      tokensFile: undefined,
      sourcesFile: undefined,
      watchFile: undefined,
      sourceCallsPerSecond: 20,
      namespaceFile: undefined,
      blockExplorers: { main: undefined, alt: undefined },
      namespace: DEFAULT_NAMESPACE,
      rateLimits: 'on',
      rateLimitIpv6Prefix: 64,
      trustedProxies: [],
      indexer: 'auto',
      indexProof: 'background',
      pollIntervalSeconds: 60,
      tracing: undefined,
      log: { level: 'info', format: 'json' },
    },
    problems: [],
    warnings: [],
  });
});

it('an environment with every group set is read completely', () => {
  const { config, problems, warnings } = read(ALL);
  expect([problems, warnings]).toEqual([[], []]);
  expect(config.mainChain).toEqual({
    rpcUrls: ['https://node.example/key'],
    rpcHosts: ['node.example'],
    chainId: 31337,
    quorum: 1,
    startBlock: 0,
    addresses: {
      infoDesk: address('1'),
      machineRegistry: address('2'),
      machineStateAndSync: address('3'),
      machineSubscription: address('4'),
      eventRegistry: address('5'),
      crossChainMirror: address('6'),
      adminFlags: undefined,
      attestationRegistry: undefined,
      multicall3: undefined,
      legacy: {
        identityRegistry: address('7'),
        staking: address('8'),
        didStore: undefined,
        eventRegistry: address('9'),
      },
    },
  });
  expect(config.altChain).toEqual({
    rpcUrls: ['http://alt.example:8899/key'],
    genesisHash: key('2'),
    ordinal: 5,
    firstSlot: 0,
    programs: {
      machineRegistry: key('3'),
      stateAndSync: key('4'),
      subscription: key('5'),
      eventRegistry: key('6'),
      infoDesk: undefined,
    },
    binding: undefined,
  });
  expect(config.verify).toEqual({
    onboardingTokens: ['token-one', 'token-two'].map(toToken),
    root: { file: 'root.pem', sha256: 'a'.repeat(64) },
    intermediate: { file: 'intermediate.der', sha256: 'b'.repeat(64) },
  });
});

/** Variable, text, selected part of the configuration, and its expected value. */
const GOOD: readonly (readonly [Variable, string, (config: Config) => unknown, unknown])[] = [
  ['HOST', '::', ({ listen }) => listen.host, '::'],
  ['HOST', 'localhost', ({ listen }) => listen.host, 'localhost'],
  ['PORT', '0', ({ listen }) => listen.port, 0],
  ['ADMIN_HOST', '10.0.0.1', ({ admin }) => admin?.host, '10.0.0.1'],
  ['ADMIN_PORT', '9000', ({ admin }) => admin?.port, 9000],
  ['ADMIN_PORT', '0', ({ admin }) => admin, undefined],
  ['MAIN_EXPLORER_URL', 'https://scan.example/', ({ blockExplorers }) => blockExplorers.main, 'https://scan.example/'],
  [
    'ALT_EXPLORER_URL',
    'https://explorer.example/?cluster=devnet',
    ({ blockExplorers }) => blockExplorers.alt,
    'https://explorer.example/?cluster=devnet',
  ],
  ['PUBLIC_URL', 'https://ratings.example/base//', ({ publicUrl }) => publicUrl, 'https://ratings.example/base'],
  ['DATABASE_URL', 'sqlite:/srv/svc.db', ({ database }) => database, { kind: 'sqlite', path: '/srv/svc.db' }],
  ['DATABASE_URL', 'sqlite:///srv/svc.db', ({ database }) => database, { kind: 'sqlite', path: '/srv/svc.db' }],
  ['DATABASE_URL', 'sqlite::memory:', ({ database }) => database, { kind: 'sqlite', path: ':memory:' }],
  [
    'DATABASE_URL',
    'postgres://u:p@db/svc',
    ({ database }) => database,
    { kind: 'postgres', url: 'postgres://u:p@db/svc' },
  ],
  ['DATABASE_URL', 'postgresql:///svc', ({ database }) => database, { kind: 'postgres', url: 'postgresql:///svc' }],
  ['REDIS_URL', 'rediss://cache:6379/1', ({ redisUrl }) => redisUrl, 'rediss://cache:6379/1'],
  ['MAIN_RPC_URLS', 'http://a, https://b/k ,', ({ mainChain }) => mainChain?.rpcUrls, ['http://a', 'https://b/k']],
  ['MAIN_CHAIN_ID', '9007199254740991', ({ mainChain }) => mainChain?.chainId, 9007199254740991],
  ['MAIN_START_BLOCK', '17', ({ mainChain }) => mainChain?.startBlock, 17],
  ['MAIN_RPC_CALLS_PER_SECOND', '25', ({ mainChain }) => mainChain?.callsPerSecond, 25],
  ['MAIN_RPC_CALLS_PER_DAY', '3000000', ({ mainChain }) => mainChain?.callsPerDay, 3_000_000],
  ['ALT_RPC_CALLS_PER_SECOND', '10', ({ altChain }) => altChain?.callsPerSecond, 10],
  [
    'INFO_DESK_ADDRESS',
    `0x${'Ab'.repeat(20)}`,
    ({ mainChain }) => mainChain?.addresses.infoDesk,
    `0x${'ab'.repeat(20)}`,
  ],
  ['ADMIN_FLAGS_ADDRESS', address('a'), ({ mainChain }) => mainChain?.addresses.adminFlags, address('a')],
  [
    'ATTESTATION_REGISTRY_ADDRESS',
    address('b'),
    ({ mainChain }) => mainChain?.addresses.attestationRegistry,
    address('b'),
  ],
  ['MULTICALL3_ADDRESS', address('c'), ({ mainChain }) => mainChain?.addresses.multicall3, address('c')],
  ['LEGACY_DID_STORE_ADDRESS', address('d'), ({ mainChain }) => mainChain?.addresses.legacy?.didStore, address('d')],
  ['ALT_RPC_URLS', 'http://a\nhttp://b', ({ altChain }) => altChain?.rpcUrls, ['http://a', 'http://b']],
  ['ALT_GENESIS_HASH', key('9'), ({ altChain }) => altChain?.genesisHash, key('9')],
  ['ALT_ORDINAL', '6', ({ altChain }) => altChain?.ordinal, 6],
  ['ALT_FIRST_SLOT', '301200450', ({ altChain }) => altChain?.firstSlot, 301200450],
  ['ALT_INFO_DESK_PROGRAM', key('8'), ({ altChain }) => altChain?.programs?.infoDesk, key('8')],
  [
    'ALT_BINDING_PROGRAM',
    key('7'),
    ({ altChain }) => altChain?.binding,
    { program: key('7'), seed: 'OperatorBinding', discriminator: 'e24e20d708982d63' },
  ],
  ['ONBOARDING_TOKENS', 'one', ({ verify }) => verify?.onboardingTokens, [toToken('one')]],
  ['TRUST_ROOT_SHA256', Array(32).fill('AB').join(':'), ({ verify }) => verify?.root.sha256, 'ab'.repeat(32)],
  ['CHALLENGE_LIFETIME_SECONDS', '300', (config) => config.challengeLifetimeSeconds, 300],
  ['KEEP_EVIDENCE', 'false', (config) => config.storesEvidence, false],
  ['PARTNER_DATA', 'on', (config) => config.partnerData, 'on'],
  ['ADDITIONS', 'off', (config) => config.additions, 'off'],
  ['FX_SOURCE', './rates.csv', (config) => config.fxSource, './rates.csv'],
  ['FX_SOURCE', 'https://rates.example/x.xml', (config) => config.fxSource, 'https://rates.example/x.xml'],
  ['TOKENS_FILE', 'tokens.json', (config) => config.tokensFile, 'tokens.json'],
  ['SOURCES_FILE', 'sources.json', (config) => config.sourcesFile, 'sources.json'],
  ['WATCH_FILE', 'watch.json', (config) => config.watchFile, 'watch.json'],
  ['SOURCE_CALLS_PER_SECOND', '2', (config) => config.sourceCallsPerSecond, 2],
  ['STATEMENT_KEY_FILE', 'new.json, old.json', ({ statements }) => statements?.keyFiles, ['new.json', 'old.json']],
  ['RATE_LIMITS', 'off', (config) => config.rateLimits, 'off'],
  ['RATE_LIMIT_IPV6_PREFIX', '128', (config) => config.rateLimitIpv6Prefix, 128],
  [
    'TRUSTED_PROXIES',
    '10.0.0.0/8, fd00::/8,192.0.2.1',
    (config) => config.trustedProxies,
    ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'],
  ],
  ['INDEXER', 'only', (config) => config.indexer, 'only'],
  ['INDEX_PROOF', 'before', (config) => config.indexProof, 'before'],
  ['POLL_INTERVAL_SECONDS', '1', (config) => config.pollIntervalSeconds, 1],
  ['LOG_LEVEL', 'debug', (config) => config.log.level, 'debug'],
  ['LOG_FORMAT', 'pretty', (config) => config.log.format, 'pretty'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'http://collector:4318/base',
    ({ tracing }) => tracing,
    { endpoint: 'http://collector:4318/base', headers: {}, serviceName: 'machine-rating', sampleRatio: 1 },
  ],
];

it.each(GOOD)('%s accepts %j', (name, text, pick, value) => {
  const { config, problems } = read({ ...ALL, [name]: text });
  expect(problems).toEqual([]);
  expect(pick(config)).toEqual(value);
});

const NOT_NUMBERS = ['x', '-1', '1.5', '1e3', '0x10', '99999999999999999'];
const BAD_ADDRESSES = ['0x12', '1'.repeat(40), `0x${'g'.repeat(40)}`, address('0')];
const BAD_KEYS = ['0x12', key('0'), 'abc', key('2') + '2222'];
const BAD_URLS = [
  'node.example',
  'ws://node.example',
  'http://',
  'http:node',
  'http://a b',
  'http://a:50%@node.example',
];
const BAD_SHA256 = ['a'.repeat(63), 'g'.repeat(64)];

/** Texts that violate the rule of their variable. Variables that accept any text are omitted. */
const BAD: Readonly<Partial<Record<Variable, readonly string[]>>> = {
  HOST: ['two words', 'http://x', '-x'],
  PORT: [...NOT_NUMBERS, '65536'],
  ADMIN_HOST: ['two words'],
  ADMIN_PORT: [...NOT_NUMBERS, '65536'],
  PUBLIC_URL: ['ratings.example', 'http://u:p@x', 'http://x?q', 'http://x#f', 'ftp://x'],
  DATABASE_URL: ['svc.db', 'sqlite:', 'mysql://x', 'postgres:x'],
  DATABASE_READ_URL: ['sqlite:x', 'postgres://a b', 'postgres://copy/svc'],
  REDIS_URL: ['http://x', 'cache:6379'],
  MAIN_RPC_URLS: [...BAD_URLS, 'http://a,b', ','],
  MAIN_CHAIN_ID: [...NOT_NUMBERS, '0'],
  MAIN_START_BLOCK: NOT_NUMBERS,
  MAIN_RPC_QUORUM: [...NOT_NUMBERS, '0', '2', '10'],
  INFO_DESK_ADDRESS: BAD_ADDRESSES,
  MACHINE_REGISTRY_ADDRESS: BAD_ADDRESSES,
  MACHINE_STATE_AND_SYNC_ADDRESS: BAD_ADDRESSES,
  MACHINE_SUBSCRIPTION_ADDRESS: BAD_ADDRESSES,
  EVENT_REGISTRY_ADDRESS: BAD_ADDRESSES,
  CROSS_CHAIN_MIRROR_ADDRESS: BAD_ADDRESSES,
  ADMIN_FLAGS_ADDRESS: BAD_ADDRESSES,
  ATTESTATION_REGISTRY_ADDRESS: BAD_ADDRESSES,
  MULTICALL3_ADDRESS: BAD_ADDRESSES,
  LEGACY_IDENTITY_REGISTRY_ADDRESS: BAD_ADDRESSES,
  LEGACY_STAKING_ADDRESS: BAD_ADDRESSES,
  LEGACY_DID_STORE_ADDRESS: BAD_ADDRESSES,
  LEGACY_EVENT_REGISTRY_ADDRESS: BAD_ADDRESSES,
  ALT_RPC_URLS: BAD_URLS,
  ALT_GENESIS_HASH: BAD_KEYS,
  ALT_ORDINAL: [...NOT_NUMBERS, '0', '1', '65536'],
  ALT_FIRST_SLOT: NOT_NUMBERS,
  MAIN_RPC_CALLS_PER_SECOND: [...NOT_NUMBERS, '1', '100001'],
  MAIN_RPC_CALLS_PER_DAY: [...NOT_NUMBERS, '999', '10000000001'],
  ALT_RPC_CALLS_PER_SECOND: [...NOT_NUMBERS, '1', '100001'],
  SOURCE_CALLS_PER_SECOND: [...NOT_NUMBERS, '1', '100001'],
  STATEMENT_LIFETIME_SECONDS: [...NOT_NUMBERS, '59', '86401'],
  ALT_MACHINE_REGISTRY_PROGRAM: BAD_KEYS,
  ALT_STATE_AND_SYNC_PROGRAM: BAD_KEYS,
  ALT_SUBSCRIPTION_PROGRAM: BAD_KEYS,
  ALT_EVENT_REGISTRY_PROGRAM: BAD_KEYS,
  ALT_INFO_DESK_PROGRAM: BAD_KEYS,
  ALT_BINDING_PROGRAM: BAD_KEYS,
  ALT_BINDING_SEED: ['x'.repeat(33), 'é'],
  ALT_BINDING_DISCRIMINATOR: ['e24e20d708982d6', 'z24e20d708982d63', '0xe24e20d708982d63'],
  ONBOARDING_TOKENS: ['two words', 'x'.repeat(513), 'good,b\u00e4d'],
  TRUST_ROOT_SHA256: BAD_SHA256,
  TRUST_INTERMEDIATE_SHA256: BAD_SHA256,
  CHALLENGE_LIFETIME_SECONDS: [...NOT_NUMBERS, '59', '301'],
  KEEP_EVIDENCE: ['yes', 'TRUE', '1', 'on'],
  PARTNER_DATA: ['true', 'ON'],
  ADDITIONS: ['none', 'OFF'],
  FX_SOURCE: ['https://', 'http://a b'],
  NAMESPACE_FILE: ['missing.json'],
  MAIN_EXPLORER_URL: ['scan.example', 'https://u:p@scan.example', 'https://scan.example/#x', 'ftp://scan.example'],
  ALT_EXPLORER_URL: ['explorer.example', 'javascript:alert(1)'],
  RATE_LIMITS: ['true', 'Off'],
  RATE_LIMIT_IPV6_PREFIX: [...NOT_NUMBERS, '0', '129'],
  TRUSTED_PROXIES: ['10.0.0.0/33', 'fd00::/129', 'proxy', '10.0.0', '10.0.0.1/8/9', 'fe80::1%eth0'],
  INDEXER: ['on', 'AUTO'],
  INDEX_PROOF: ['on', 'after'],
  POLL_INTERVAL_SECONDS: [...NOT_NUMBERS, '0', '3601'],
  LOG_LEVEL: ['INFO', 'verbose'],
  LOG_FORMAT: ['text'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    ...['collector:4318', 'grpc://collector:4317', 'http://a b'],
    ...[
      'http://collector?key=x',
      'http://collector/?',
      'http://collector/#x',
      'http://user:x@collector',
      'http://x@collector',
    ],
  ],
  OTEL_EXPORTER_OTLP_HEADERS: ['authorization', 'a b=c', 'a=b c', 'a=%zz', 'a=b,', 'a=%0D%0A'],
  OTEL_SERVICE_NAME: ['two words', 'x'.repeat(129)],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', '.5', '1e-3', 'all'],
};

describe.each(Object.entries(BAD))('%s rejects', (name, texts) => {
  it.each(texts)('%j by name, without the value', (text) => {
    rule('security.configuration-problems');
    const { problems } = read({ ...ALL, [name]: text });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });
});

it('MAIN_RPC_QUORUM counts nodes of one host once', () => {
  const urls = (hosts: string) => ({ ...ALL, MAIN_RPC_QUORUM: '2', MAIN_RPC_URLS: hosts });
  const { config, problems } = read(urls('https://a.one.com/key,https://b.two.com/key'));
  expect([config.mainChain?.quorum, problems]).toEqual([2, []]);
  expect(read(urls('https://a.one.com/key,https://b.one.com/key')).problems).toEqual([
    'MAIN_RPC_QUORUM: 2 hosts must agree, but MAIN_RPC_URLS names 1',
  ]);
});

it('DATABASE_READ_URL accepts a read replica of a PostgreSQL database', () => {
  const env = { DATABASE_URL: 'postgres://db/svc', DATABASE_READ_URL: 'postgres://copy/svc' };
  const { config, problems } = read(env);
  expect([config.databaseReadUrl, problems]).toEqual(['postgres://copy/svc', []]);
});

it('the other tracing variables take effect only with a collector', () => {
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%2Cb, x-tenant=c',
    OTEL_SERVICE_NAME: 'ratings.eu-1',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example', ...env }).config.tracing).toEqual({
    endpoint: 'https://collector.example',
    headers: { authorization: 'Bearer a,b', 'x-tenant': 'c' },
    serviceName: 'ratings.eu-1',
    sampleRatio: 0.01,
  });
  expect(read(env)).toEqual(read({}));
});

const STATEMENTS = { STATEMENT_KEY_PASSPHRASE: 'a b', STATEMENT_LIFETIME_SECONDS: '60' };

it('the other variables of statements take effect only with a key', () => {
  expect(read({ STATEMENT_KEY_FILE: 'key.json', ...STATEMENTS }).config.statements).toEqual({
    keyFiles: ['key.json'],
    passphrase: 'a b',
    lifetimeSeconds: 60,
  });
  expect(read(STATEMENTS)).toEqual(read({}));
});

it('every variable has a case', () => {
  const covered = new Set<string>([
    ...Object.keys(BAD),
    ...GOOD.map(([name]) => name),
    ...Object.keys({ ...VERIFY, ...STATEMENTS }),
  ]);
  expect(VARIABLES.filter((name) => !covered.has(name))).toEqual([]);
});

it('all problems are reported at once', () => {
  rule('security.configuration-problems');
  const { problems, config } = read({ PORT: 'x', ADMIN_PORT: 'x', KEEP_EVIDENCE: 'x', INDEXER: 'x', LOG_LEVEL: 'x' });
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    ...['PORT', 'ADMIN_PORT', 'KEEP_EVIDENCE', 'INDEXER', 'LOG_LEVEL'],
  ]);
  expect(config).toEqual(read({}).config);
});

it('an empty text counts as not set', () => {
  expect(read({ PORT: '', REDIS_URL: ' ', INFO_DESK_ADDRESS: '' })).toEqual(read({}));
});

it('the configuration is deeply frozen', () => {
  const { config } = read(ALL);
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  expect(isFrozen(config)).toBe(true);
});

it('formatBaseUrl puts an IPv6 address in brackets', () => {
  expect(formatBaseUrl({ host: '127.0.0.1', port: 8000 })).toBe('http://127.0.0.1:8000');
  expect(formatBaseUrl({ host: '::1', port: 80 })).toBe('http://[::1]:80');
});
