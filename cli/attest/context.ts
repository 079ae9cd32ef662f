/** Context of the attest commands: the service's database, pinned certificates and main chain, and the attestation registry. */
import { existsSync } from 'node:fs';
import {
  createAttestationRegistry,
  type AttestationRegistry,
} from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { readTrustFiles } from '../../src/adapters/trust/trust-files.ts';
import { loadConfig, type Config } from '../../src/config.ts';
import type { EvidenceRules } from '../../src/domain/evidence/evidence-steps.ts';
import { NATIVE_CURVES } from '../../src/domain/signatures/native-curves.ts';
import { createSignatureChecks } from '../../src/domain/signatures/signature-checks.ts';
import type { Store } from '../../src/ports/store.ts';
import { CommandFailed } from '../exit-codes.ts';
import { SILENT_LOG } from '../../src/ports/runtime.ts';

export interface AttestContext {
  readonly config: Config;
  readonly store: Store;
  readonly main: MainChainAdapter;
  readonly registry: AttestationRegistry;
  readonly rules: EvidenceRules;
}

/** Opens the database for `work` and closes it. Throws `CommandFailed`. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the attestation registry. Throws `CommandFailed`. */
export function openRegistry({ mainChain }: Config): AttestationRegistry {
  const address = mainChain?.addresses.attestationRegistry;
  if (mainChain === undefined || address === undefined) {
    throw new CommandFailed(
      'usage',
      'ATTESTATION_REGISTRY_ADDRESS or the main chain is not configured: pass --env-file PATH',
    );
  }
  const { rpcUrls, chainId, startBlock } = mainChain;
  return createAttestationRegistry({
    ...{ rpcUrls, chainId, address, startBlock },
    machineRegistry: mainChain.addresses.machineRegistry,
  });
}

/** Opens the whole context for `work` and closes it. Throws `CommandFailed`. */
export async function withAttestContext<T>(config: Config, work: (context: AttestContext) => Promise<T>): Promise<T> {
  const registry = openRegistry(config);
  const rules = await readRules(config);
  return withStore(config, async (store) => {
    const main = createMainChain(config.mainChain!, { clock: { nowMilliseconds: Date.now }, log: SILENT_LOG });
    try {
      return await work({ config, store, main, registry, rules });
    } finally {
      await main.close();
    }
  });
}

/** Loads the configuration of the service. Throws `CommandFailed` when it has problems. */
export function loadAttestConfig(envFile: string | undefined): Config {
  const { config, problems } = loadConfig({ envFile });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return config;
}

/** Opens an existing database; a new, empty one holds no evidence. */
async function openStore({ database }: Config): Promise<Store> {
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new CommandFailed('usage', 'DATABASE_URL: the file does not exist; name the database of the service');
  }
  return createStore(database, { migratesOlder: false }).catch(() => {
    throw new CommandFailed('unreachable', 'DATABASE_URL: the database cannot be opened; run svc doctor');
  });
}

async function readRules({ verify, namespace }: Config): Promise<EvidenceRules> {
  if (verify === undefined)
    throw new CommandFailed('usage', 'onboarding is not configured: set its trust files and tokens');
  const { trust, problems } = await readTrustFiles(verify);
  if (trust === undefined) throw new CommandFailed('usage', problems.join('\n'));
  return { namespace, trust, checks: createSignatureChecks(NATIVE_CURVES) };
}
