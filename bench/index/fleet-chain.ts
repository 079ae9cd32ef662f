/**
 * Local chain for the comparison of indexers. Its registry moves many tokens in one transaction; the other contracts are the
 * devnet's, so that the service's own adapter reads it unchanged.
 */
import { readFileSync } from 'node:fs';
import solc from 'solc';
import { encodeDeployData, encodeFunctionData, type Abi, type Address, type Hex } from 'viem';
import { accountOf, ADMIN_NAME } from '../../devnet/accounts.ts';
import { startAnvil } from '../../devnet/main-chain/anvil.ts';
import { createChainWriter, type ChainWriter } from '../../devnet/main-chain/chain-writer.ts';
import { deployContracts, type Deployment } from '../../devnet/main-chain/deploy.ts';
import type { MainChainAddresses } from '../../src/adapters/main-chain/main-chain-config.ts';

export interface FleetChainPlan {
  readonly transfers: number;
  readonly machines: number;
  /** Blocks with transfers. */
  readonly blocks: number;
  /** Empty blocks after each of them. */
  readonly emptyBlocksBetween: number;
}

/** Parameters of an indexer; plain data, so that they can be passed to another process. */
export interface FleetChain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly startBlock: number;
  readonly finalizedBlock: number;
  readonly addresses: MainChainAddresses;
}

const TRANSACTIONS_PER_BLOCK = 5;

/** Starts a chain, deploys and seeds it; everything seeded is final. The caller stops it. */
export async function startFleetChain(plan: FleetChainPlan): Promise<FleetChain & { stop(): Promise<void> }> {
  const anvil = await startAnvil();
  try {
    const writer = createChainWriter(anvil.rpcUrl);
    const deployment = await deployContracts(writer);
    const { registry, mirror, abi } = await deployRegistry(writer, plan.machines);
    await seed(writer, plan, registry, abi);
    // Ponder treats blocks as final only after 30 more.
    await writer.rpc.request('anvil_mine', ['0x40']);
    const { number } = await writer.rpc.request<{ number: Hex }>('eth_getBlockByNumber', ['finalized', false]);
    return {
      rpcUrl: anvil.rpcUrl,
      chainId: deployment.chainId,
      startBlock: deployment.startBlock,
      finalizedBlock: Number(number),
      addresses: toAddresses(deployment, registry, mirror),
      stop: anvil.stop,
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

function toAddresses({ addresses: own }: Deployment, registry: Address, mirror: Address): MainChainAddresses {
  const all = {
    infoDesk: own.infoDesk,
    machineRegistry: registry,
    machineStateAndSync: own.machineStateAndSync,
    machineSubscription: own.machineSubscription,
    eventRegistry: own.eventRegistry,
    crossChainMirror: mirror,
    multicall3: own.multicall3,
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, address]) => [name, address.toLowerCase()]),
  ) as unknown as MainChainAddresses;
}

async function deployRegistry(
  writer: ChainWriter,
  machines: number,
): Promise<{ registry: Address; mirror: Address; abi: Abi }> {
  const contracts = compile();
  const from = accountOf(ADMIN_NAME).address;
  async function deploy(name: string, args: readonly unknown[]): Promise<Address> {
    const { abi, bytecode } = contracts(name);
    const [receipt] = await writer.mine([
      { label: `deploy ${name}`, from, data: encodeDeployData({ abi, bytecode, args }) },
    ]);
    return receipt!.contractAddress!;
  }
  const registry = await deploy('FleetRegistry', [BigInt(machines)]);
  const mirror = await deploy('FleetMirror', [registry]);
  return { registry, mirror, abi: contracts('FleetRegistry').abi };
}

async function seed(writer: ChainWriter, plan: FleetChainPlan, to: Address, abi: Abi): Promise<void> {
  const from = accountOf(ADMIN_NAME).address;
  const perCall = plan.transfers / (plan.blocks * TRANSACTIONS_PER_BLOCK);
  const callsPerBlock = perCall >= 1 ? TRANSACTIONS_PER_BLOCK : 1;
  const count = plan.transfers / (plan.blocks * callsPerBlock);
  if (!Number.isInteger(count)) throw new Error('the transfers do not divide evenly among the blocks');
  const data = encodeFunctionData({ abi, functionName: 'move', args: [BigInt(count)] });
  const calls = Array.from({ length: callsPerBlock }, () => ({ label: 'move', from, to, data }));
  for (let block = 0; block < plan.blocks; block++) {
    await writer.mine(calls);
    if (plan.emptyBlocksBetween > 0) {
      await writer.rpc.request('anvil_mine', [`0x${plan.emptyBlocksBetween.toString(16)}`]);
    }
  }
}

interface CompilerOutput {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts?: Record<
    string,
    Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}

function compile(): (name: string) => { readonly abi: Abi; readonly bytecode: Hex } {
  const file = 'FleetRegistry.sol';
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), 'utf8') } },
    settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  if (output.errors !== undefined) throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'));
  return (name) => {
    const { abi, evm } = output.contracts![file]![name]!;
    return { abi, bytecode: `0x${evm.bytecode.object}` };
  };
}
