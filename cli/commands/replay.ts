/**
 * `svc replay`: recomputes a served rating from the raw events and compares. Reads the configured chains and rates with independent
 * readers and an independent model.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createRpc } from '../replay/json-rpc.ts';
import type { RateTable } from '../replay/model/conversion.ts';
import { buildRateTable, MalformedRates } from '../replay/rates.ts';
import { hashSources, MalformedSources, parseSources } from '../replay/sources.ts';
import { ReplayFailure } from '../replay/replay-failure.ts';
import type { JsonObject } from '../replay/replay-json.ts';
import { formatReplay } from '../replay/replay-report.ts';
import { replay as replayMachine, type ReplayResult } from '../replay/replay.ts';
import { loadConfig, type Config } from '../../src/config.ts';
import { formatMachineDid } from '../../src/domain/identifiers/identifiers.ts';
import { dayOf, formatDay } from '../../src/domain/rating/utc-day.ts';
import { defineCommand, EXAMPLE_DID, SERVICE_OPTIONS } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson } from '../output.ts';

const DEVNET_ENV = '.devnet/env';
const FEED_TIMEOUT_MILLISECONDS = 30_000;

export const replay = defineCommand({
  name: 'replay',
  about: 'Recomputes a served rating from the raw events with independent code, and compares.',
  operands: ['ID'],
  options: {
    fleet: { type: 'boolean', about: 'also read the claims of all machines: no account serves two at a time' },
    flows: { type: 'boolean', about: 'also read the transfers from the accounts of the machine back to its payers' },
    ...SERVICE_OPTIONS,
  },
  example: `svc replay ${EXAMPLE_DID} --env-file .devnet/env`,
  async run(options, [id = '']) {
    const { 'base-url': baseUrl, 'env-file': envFile, json = false } = options;
    const reads = { readsFleet: options.fleet === true, readsFlows: options.flows === true };
    const result = await replayRating({ machine: id, baseUrl, envFile, ...reads });
    process.stdout.write(json ? formatJson(result) : formatReplay(result));
    return result.equal ? EXIT_CODES.ok : EXIT_CODES.verificationFailed;
  },
});

/** Opens the configured main chain for independent reads. Throws `CommandFailed`. */
export function openRawChain(envFile: string | undefined) {
  const { config, problems } = loadConfig({ envFile: envFile ?? findDevnetEnv(), lenient: true });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  const { rpcUrls, ...location } = locateChain(config);
  return { location, rpc: createRpc({ urls: rpcUrls, fetch, wait: (milliseconds) => delay(milliseconds) }) };
}

/** Converts the failure of a replay to that of a command; any other error stays. */
export function toReplayError(error: unknown): unknown {
  return error instanceof ReplayFailure ? new CommandFailed(OUTCOMES[error.kind], error.message) : error;
}

/** Recomputes the rating of a machine, as served now or as explained in `served`. Throws `CommandFailed`. */
export async function replayRating({
  machine,
  baseUrl = DEFAULT_BASE_URL,
  envFile,
  readsFleet = false,
  readsFlows = false,
  ...request
}: {
  /** Decimal id or DID. */
  readonly machine: string;
  readonly baseUrl: string | undefined;
  readonly envFile: string | undefined;
  readonly served?: JsonObject;
  readonly readsFleet?: boolean;
  readonly readsFlows?: boolean;
}): Promise<ReplayResult> {
  const { config, problems } = loadConfig({ envFile: envFile ?? findDevnetEnv(), lenient: true });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  const { namespace } = config;
  const did = formatMachineDid(parseMachineOperand(machine, namespace), namespace);
  try {
    const chains = { chain: locateChain(config), ...locateAltChain(config) };
    const { sourcesHash, sources } = await loadSources(config);
    const payments = { sources, payoutHeader: namespace.payout_header, readsFleet, readsFlows };
    const rates = await loadRates(config);
    return await replayMachine({ ...request, ...chains, did, baseUrl, rates, sourcesHash, payments });
  } catch (error) {
    if (error instanceof MalformedRates) throw new CommandFailed('usage', `currency rates: ${error.message}`);
    if (error instanceof MalformedSources) throw new CommandFailed('usage', `SOURCES_FILE: ${error.message}`);
    throw toReplayError(error);
  }
}

/** Finds the settings of a demo in this folder, used when the environment configures no chain. */
function findDevnetEnv(): string | undefined {
  const { config } = loadConfig({ lenient: true });
  if (config.mainChain !== undefined || !existsSync(DEVNET_ENV)) return undefined;
  process.stderr.write(`using the settings in ${DEVNET_ENV}\n`);
  return DEVNET_ENV;
}

const OUTCOMES = { refused: 'refused', unreachable: 'unreachable', contradictory: 'verificationFailed' } as const;

function locateChain({ mainChain }: Config) {
  if (mainChain === undefined) {
    throw new CommandFailed(
      'usage',
      'the main chain is not configured: pass the settings of the service with --env-file PATH',
    );
  }
  const { rpcUrls, chainId, startBlock, addresses } = mainChain;
  return {
    rpcUrls,
    chainId: BigInt(chainId),
    startBlock: BigInt(startBlock),
    eventRegistry: addresses.eventRegistry,
    machineRegistry: addresses.machineRegistry,
    machineSubscription: addresses.machineSubscription,
    crossChainMirror: addresses.crossChainMirror,
    ...(addresses.adminFlags === undefined ? {} : { adminFlags: addresses.adminFlags }),
    ...(addresses.attestationRegistry === undefined ? {} : { attestationRegistry: addresses.attestationRegistry }),
  };
}

function locateAltChain({ altChain }: Config) {
  if (altChain?.programs === undefined) return {};
  const { rpcUrls, genesisHash, programs } = altChain;
  const { machineRegistry, eventRegistry } = programs;
  return { altChain: { rpcUrls, genesisHash, machineRegistry, eventRegistry } };
}

/** The feed is complete up to yesterday, and rates of earlier days never change. */
async function loadRates({ fxSource, tokensFile }: Config): Promise<RateTable> {
  return buildRateTable({
    ...(fxSource === undefined ? {} : { ecbCsv: await readSource('FX_SOURCE', fxSource) }),
    ...(tokensFile === undefined ? {} : { tokensJson: await readSource('TOKENS_FILE', tokensFile) }),
    through: formatDay(dayOf(Date.now() / 1000) - 1),
  });
}

async function loadSources({ sourcesFile }: Config) {
  if (sourcesFile === undefined) return { sourcesHash: null, sources: [] };
  const json = await readSource('SOURCES_FILE', sourcesFile);
  return { sourcesHash: hashSources(json), sources: parseSources(json) };
}

/** The error does not name the source: a URL may contain a key. */
async function readSource(variable: string, source: string): Promise<string> {
  try {
    if (!/^https?:/i.test(source)) return await readFile(source, 'utf8');
    const response = await fetch(source, { signal: AbortSignal.timeout(FEED_TIMEOUT_MILLISECONDS) });
    if (response.ok) return await response.text();
  } catch {
    // Reported below, like any other failure.
  }
  throw new CommandFailed('unreachable', `${variable}: cannot be read`);
}
