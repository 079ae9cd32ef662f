/** A new chain with machines of one owner, a service with chip onboarding, and `svc` as providers and attesters run it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringToHex } from 'viem';
import { inject } from 'vitest';
import { runSvc, type SvcResult } from '../../../testing/harness/run-svc.ts';
import { accountOf } from '../../../devnet/accounts.ts';
import { createContractReader } from '../../../devnet/main-chain/contract-reader.ts';
import { startBareChain, type BareChain } from '../../../devnet/main-chain/bare-chain.ts';
import { activateMachine, machineIdOf } from '../../../devnet/main-chain/calls.ts';
import { formatMachineDid, type MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';

export interface ChipOnboardingFixture {
  readonly chain: BareChain;
  readonly service: ProxiedService;
  readonly folder: string;
  readonly dids: readonly string[];
  readonly ids: readonly MachineId[];
  /** Returns a path in the fixture's folder, and writes the file if a text is given. */
  fileOf(name: string, text?: string | Uint8Array): string;
  /** Returns the stored chip record of a machine. */
  readChip(machine: number): Promise<{ readonly expiresAt: bigint }>;
  /** Runs a command with the settings of service, chain, token and database. */
  svc(...args: readonly string[]): Promise<SvcResult>;
  close(): Promise<void>;
}

export const OWNER = accountOf('owner of chips');
const MACHINES = ['first', 'second'];

export async function startChipOnboardingFixture(): Promise<ChipOnboardingFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'onboarding-'));
  const fileOf = (name: string, text?: string | Uint8Array) => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  const chain = await startBareChain();
  const credentials = MACHINES.map((name) => ({
    machineType: 'robot',
    credentialSubject: stringToHex(`machine with a chip: ${name}`),
  }));
  await chain.writer.mine(
    credentials.map((each) => activateMachine(chain.deployment, { from: OWNER.address, ...each })),
  );
  const ids = credentials.map((each) => machineIdOf(each) as MachineId);
  const env = { ...toEnvironment(chain), DATABASE_URL: `sqlite:${join(folder, 'svc.db')}` };
  const service = await startProxiedService(env);
  const onboarding = Object.entries(inject('devnetEnv')).filter(([name]) => /^(?:ONBOARDING|TRUST)_/.test(name));
  const envFile = fileOf(
    'env',
    [...Object.entries(env), ...onboarding].map(([name, value]) => `${name}=${value}\n`).join(''),
  );
  return {
    chain,
    service,
    folder,
    ids,
    dids: ids.map((id) => formatMachineDid(id, DEFAULT_NAMESPACE)),
    fileOf,
    readChip: async (machine) =>
      (await createContractReader(chain).read('attestationRegistry', 'chipOf', [ids[machine]])) as {
        readonly expiresAt: bigint;
      },
    svc: (...args) =>
      runSvc([...args, '--env-file', envFile], {
        env: { SVC_ONBOARDING_TOKEN: inject('fixtures').onboardingToken, SVC_KEY: OWNER.key },
      }),
    async close() {
      await service.close();
      await chain.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function toEnvironment({ rpcUrl, deployment }: BareChain): Readonly<Record<string, string>> {
  const { chainId, startBlock, addresses } = deployment;
  const toVariable = (name: string) => `${name.replace(/[A-Z]/g, '_$&').toUpperCase()}_ADDRESS`;
  return {
    // A new chain has no finalized block, and neither evidence nor record needs an index.
    INDEXER: 'off',
    MAIN_RPC_URLS: rpcUrl,
    MAIN_CHAIN_ID: String(chainId),
    MAIN_START_BLOCK: String(startBlock),
    ...Object.fromEntries(Object.entries(addresses).map(([name, address]) => [toVariable(name), address])),
  };
}
