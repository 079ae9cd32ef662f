/** What does whoever attests work with? The service's own database, its pinned certificates, its main chain, and the registry of attestations. */
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
import { createNativeCurves, NATIVE_SECP256K1 } from '../../src/domain/signatures/native-curves.ts';
import { createSignatureChecks } from '../../src/domain/signatures/signature-checks.ts';
import type { Store } from '../../src/ports/store.ts';
import { CommandFailed } from '../exit-codes.ts';

export interface Workplace {
  readonly config: Config;
  readonly store: Store;
  readonly main: MainChainAdapter;
  readonly registry: AttestationRegistry;
  readonly rules: EvidenceRules;
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Opens the database alone, and closes it after `work`. Throws `CommandFailed`. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the chain's part alone. Throws `CommandFailed`. */
export function openRegistry({ mainChain }: Config): AttestationRegistry {
  const address = mainChain?.addresses.attestationRegistry;
  if (mainChain === undefined || address === undefined) {
    throw new CommandFailed(
      'usage',
      'ATTESTATION_REGISTRY_ADDRESS and the main chain must be configured: --env-file PATH',
    );
  }
  const { rpcUrls, chainId, startBlock } = mainChain;
  return createAttestationRegistry({ rpcUrls, chainId, address, startBlock });
}

/** Opens everything, and closes it after `work`. Throws `CommandFailed`. */
export async function withWorkplace<T>(config: Config, work: (workplace: Workplace) => Promise<T>): Promise<T> {
  const registry = openRegistry(config);
  const rules = await readRules(config);
  return withStore(config, async (store) => {
    const main = createMainChain(config.mainChain!, { clock: { nowMilliseconds: Date.now }, log: SILENT });
    try {
      return await work({ config, store, main, registry, rules });
    } finally {
      await main.close();
    }
  });
}

export function loadWorkConfig(envFile: string | undefined): Config {
  const { config, problems } = loadConfig({ envFile });
  if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
  return config;
}

/** One that is there: to attest from an empty one would be a mistake. */
async function openStore({ database }: Config): Promise<Store> {
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new CommandFailed('usage', 'DATABASE_URL: there is no such file; name the database of the service');
  }
  const url = database.kind === 'postgres' ? database.url : `sqlite:${database.path}`;
  return createStore(url).catch(() => {
    throw new CommandFailed('unreachable', 'DATABASE_URL: the database cannot be opened; see svc doctor');
  });
}

async function readRules({ verify, namespace }: Config): Promise<EvidenceRules> {
  if (verify === undefined)
    throw new CommandFailed('usage', 'the trust files and tokens of onboarding must be configured');
  const { trust, problems } = await readTrustFiles(verify);
  if (trust === undefined) throw new CommandFailed('usage', problems.join('\n'));
  return { namespace, trust, checks: createSignatureChecks(createNativeCurves(NATIVE_SECP256K1)) };
}
