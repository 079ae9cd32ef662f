/**
 * Local test network: a main chain with all contracts, an alt chain, personas with months of history on both, exchange rates, and the
 * settings that point the service at it (configuration.md 2 and 3).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BINDING_DISCRIMINATOR } from './alt-chain/accounts.ts';
import { startAltChain } from './alt-chain/alt-chain.ts';
import type { AltChain } from './alt-chain/alt-chain.ts';
import type { SampleAltMachine } from './personas/alt-persona.ts';
import { BINDING_SEED } from './alt-chain/placements.ts';
import { startAnvil } from './main-chain/anvil.ts';
import { startBlockProducer } from './main-chain/block-producer.ts';
import { createChainWriter } from './main-chain/chain-writer.ts';
import { ALT_ORDINAL, deployContracts } from './main-chain/deploy.ts';
import type { Deployment } from './main-chain/deploy.ts';
import { deployPayments } from './main-chain/payments.ts';
import type { PaymentContracts } from './main-chain/payments.ts';
import { MinedPayments } from './payment-hashes.ts';
import { formatEuroRates } from './euro-rates.ts';
import { formatSourcesFile, formatTokensFile } from './payment-source-files.ts';
import { toFixtures } from './fixtures.ts';
import type { Fixtures } from './fixtures.ts';
import { createOnboarding } from './chips/onboarding.ts';
import { writeStatementKey } from './statement-key.ts';
import { listSampleMachines } from './personas/sample-machines.ts';
import type { SampleMachine } from './personas/sample-machines.ts';
import { listSampleAltMachines } from './personas/alt-personas.ts';
import { DEFAULT_FLEET_SIZE } from './personas/fleet-personas.ts';
import { blockTimestamp } from './personas/planned-event.ts';
import { createRpc } from './main-chain/rpc.ts';
import { DEPLOYED_DAYS_AGO, GENESIS_DAYS_AGO, genesisTimestamp, seedMainChain } from './seed.ts';
import type { SeedingInput, SeedingResult } from './seed.ts';

export interface DevnetOptions {
  /** Folder for `env`, `fixtures.json`, the keys and the rates; absent = a temporary folder that `stop` removes. */
  readonly dir?: string;
  /** Absent = any free port. */
  readonly evmPort?: number;
  /** Absent = any free port. */
  readonly svmPort?: number;
  /** Whether to start the alt chain with its machines; absent = true. */
  readonly altChain?: boolean;
  /** Machines of the main chain; absent = the personas and the fleet. */
  readonly machines?: readonly SampleMachine[];
  /** Machines of the alt chain; absent = the personas. */
  readonly altMachines?: readonly SampleAltMachine[];
  /** Number of main-chain machines of the operator `fleet`. */
  readonly fleet?: number;
  /** `steady` (default) mines every two seconds, `on-demand` when a transaction or finality needs a block, `none` leaves it to the caller. */
  readonly blocks?: 'steady' | 'on-demand' | 'none';
  /** Suppresses progress messages on standard error. */
  readonly quiet?: boolean;
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  /** Undefined: the devnet has no alt chain. */
  readonly altChain: AltChain | undefined;
  readonly fixtures: Fixtures;
  /** Environment variables of the service, by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops both chains and resolves when only the files in `dir` are left. */
  stop(): Promise<void>;
}

/** The settings contain tokens. */
const OWNER_ONLY = { mode: 0o600 };

/** The nodes are local, and a year of payments is followed at the start. */
const LOCAL_CALLS_PER_SECOND = 2_000;

/** Rates cover more days than the events. */
const RATE_DAYS = GENESIS_DAYS_AGO + 10;

/** Starts both chains, deploys, seeds, and starts block production. The caller stops it. */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const report = options.quiet === true ? () => undefined : (text: string) => console.error(text);
  const now = Math.floor(Date.now() / 1000);
  const dir = options.dir === undefined ? mkdtempSync(join(tmpdir(), 'devnet-')) : resolve(options.dir);
  const sampleMachines = options.machines ?? listSampleMachines(options.fleet ?? DEFAULT_FLEET_SIZE);
  const sampleAltMachines = (options.altChain ?? true) ? (options.altMachines ?? listSampleAltMachines()) : [];
  const anvil = await startAnvil({ port: options.evmPort, genesisTimestamp: genesisTimestamp(now) });
  const mined = new MinedPayments();
  // The main chain runs in another process, so both chains are seeded in parallel.
  const altStarting =
    sampleAltMachines.length === 0
      ? undefined
      : startAltChain(sampleAltMachines, { port: options.svmPort, now, mainChainPayments: mined });
  let blockProducer: { stop(): void } | undefined;
  async function stop(): Promise<void> {
    blockProducer?.stop();
    const [started] = await Promise.all([altStarting?.catch(() => undefined), anvil.stop()]);
    await started?.stop();
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
  }
  try {
    const [altChain, { deployment, payments, transactions, blocks }] = await Promise.all([
      altStarting,
      buildMainChain(anvil.rpcUrl, sampleMachines, sampleAltMachines, { now, mined }),
    ]);
    report(
      `main chain at ${anvil.rpcUrl}: ${sampleMachines.length} machines, ${transactions} transactions, ${blocks} blocks`,
    );
    if (altChain !== undefined) {
      const { rpcUrl, node } = altChain;
      report(
        `alt chain at ${rpcUrl}: ${sampleAltMachines.length} machines, ${altChain.transactions} transactions, slot ${node.slot}`,
      );
    }
    mkdirSync(dir, { recursive: true });
    const onboarding = createOnboarding(dir, now);
    const fixtures = toFixtures({
      rpcUrl: anvil.rpcUrl,
      deployment,
      now,
      sampleMachines,
      altChain,
      sampleAltMachines,
      onboarding,
      payments,
    });
    const ratesFile = join(dir, 'eurofx.csv');
    const [tokensFile, sourcesFile] = [join(dir, 'tokens.json'), join(dir, 'sources.json')];
    const env = {
      ...toEnvironment(anvil.rpcUrl, deployment, ratesFile),
      TOKENS_FILE: tokensFile,
      SOURCES_FILE: sourcesFile,
      SOURCE_CALLS_PER_SECOND: String(LOCAL_CALLS_PER_SECOND),
      ...(altChain && toAltEnvironment(altChain)),
      ...onboarding.env,
      STATEMENT_KEY_FILE: writeStatementKey(dir),
    };
    writeFileSync(ratesFile, formatEuroRates(now, RATE_DAYS), OWNER_ONLY);
    writeFileSync(tokensFile, formatTokensFile(), OWNER_ONLY);
    writeFileSync(sourcesFile, formatSourcesFile(anvil.rpcUrl, payments, altChain), OWNER_ONLY);
    if (options.dir !== undefined) writeDescription(dir, env, fixtures);
    const { blocks: mode = 'steady' } = options;
    if (mode !== 'none') blockProducer = startBlockProducer(createRpc(anvil.rpcUrl), { isSteady: mode === 'steady' });
    return { rpcUrl: anvil.rpcUrl, deployment, altChain, fixtures, env, stop };
  } catch (error) {
    mined.fail(error);
    await stop();
    throw error;
  }
}

/** Deploys the contracts and seeds the main chain. */
async function buildMainChain(
  rpcUrl: string,
  sampleMachines: readonly SampleMachine[],
  sampleAltMachines: readonly SampleAltMachine[],
  input: SeedingInput,
): Promise<SeedingResult & { readonly deployment: Deployment; readonly payments: PaymentContracts }> {
  const writer = createChainWriter(rpcUrl);
  const timestamp = blockTimestamp(input.now, DEPLOYED_DAYS_AGO);
  const deployment = await deployContracts(writer, { timestamp });
  const payments = await deployPayments(writer, timestamp);
  const seeded = await seedMainChain(writer, { deployment, payments }, sampleMachines, sampleAltMachines, input);
  return { ...seeded, deployment, payments };
}

function toEnvironment(
  rpcUrl: string,
  { addresses, chainId, startBlock }: Deployment,
  ratesFile: string,
): Record<string, string> {
  return {
    MAIN_RPC_URLS: rpcUrl,
    MAIN_CHAIN_ID: String(chainId),
    MAIN_START_BLOCK: String(startBlock),
    INFO_DESK_ADDRESS: addresses.infoDesk,
    MACHINE_REGISTRY_ADDRESS: addresses.machineRegistry,
    MACHINE_STATE_AND_SYNC_ADDRESS: addresses.machineStateAndSync,
    MACHINE_SUBSCRIPTION_ADDRESS: addresses.machineSubscription,
    EVENT_REGISTRY_ADDRESS: addresses.eventRegistry,
    CROSS_CHAIN_MIRROR_ADDRESS: addresses.crossChainMirror,
    ADMIN_FLAGS_ADDRESS: addresses.adminFlags,
    ATTESTATION_REGISTRY_ADDRESS: addresses.attestationRegistry,
    MULTICALL3_ADDRESS: addresses.multicall3,
    LEGACY_IDENTITY_REGISTRY_ADDRESS: addresses.legacyIdentityRegistry,
    LEGACY_STAKING_ADDRESS: addresses.legacyStaking,
    LEGACY_DID_STORE_ADDRESS: addresses.legacyDidStore,
    LEGACY_EVENT_REGISTRY_ADDRESS: addresses.legacyEventRegistry,
    FX_SOURCE: ratesFile,
  };
}

function toAltEnvironment({ rpcUrl, genesisHash, firstSlot, programs }: AltChain): Record<string, string> {
  return {
    ALT_RPC_URLS: rpcUrl,
    ALT_GENESIS_HASH: genesisHash,
    ALT_ORDINAL: String(ALT_ORDINAL),
    ALT_FIRST_SLOT: String(firstSlot),
    ALT_MACHINE_REGISTRY_PROGRAM: programs.machineRegistry,
    ALT_STATE_AND_SYNC_PROGRAM: programs.stateAndSync,
    ALT_SUBSCRIPTION_PROGRAM: programs.subscription,
    ALT_EVENT_REGISTRY_PROGRAM: programs.eventRegistry,
    ALT_INFO_DESK_PROGRAM: programs.infoDesk,
    ALT_BINDING_PROGRAM: programs.binding,
    ALT_BINDING_SEED: BINDING_SEED,
    ALT_BINDING_DISCRIMINATOR: BINDING_DISCRIMINATOR,
  };
}

function writeDescription(dir: string, env: Readonly<Record<string, string>>, fixtures: Fixtures): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(dir, 'env'), lines.join(''), OWNER_ONLY);
  writeFileSync(join(dir, 'fixtures.json'), `${JSON.stringify(fixtures, null, 2)}\n`, OWNER_ONLY);
  writeKeys(join(dir, 'keys'), fixtures);
}

/** Writes the key that signs for each machine as `NAME.key`, and that of the attester, in the form of `--key-file`. */
function writeKeys(dir: string, { machines, mainChain }: Fixtures): void {
  mkdirSync(dir, { recursive: true });
  const keys = machines.map(({ name, ownerKey, controllerKey }) => [name, controllerKey ?? ownerKey] as const);
  for (const [name, key] of [...keys, ['attester', mainChain.admin.key] as const]) {
    writeFileSync(join(dir, `${name}.key`), `${key}\n`, OWNER_ONLY);
  }
}
