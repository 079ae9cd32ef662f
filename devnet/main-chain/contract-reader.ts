/** Contract reads for tests: returns decoded results and revert reasons. The service has a separate reader. */
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { abiOf } from '../../contracts/artifacts.ts';
import type { BareChain } from './bare-chain.ts';
import type { Call } from './chain-writer.ts';
import { CONTRACT_BEHIND } from './deploy.ts';
import type { MainChainAddresses } from './deploy.ts';
import { RpcError } from './rpc.ts';

type ContractKey = keyof MainChainAddresses;

/** Decoded revert reason, `Name(argument,…)`. */
export type RevertReason = string;

export interface ContractReader {
  /** Returns the result at the newest block; throws on a revert. */
  read(contract: ContractKey, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  /** Returns the revert reason of a read; throws when it succeeds. */
  readRevert(contract: ContractKey, functionName: string, args?: readonly unknown[]): Promise<RevertReason>;
  /** Returns the revert reason of a call in the next block; throws when it would succeed. `contract` defines the errors. */
  revertOf(call: Call, contract: ContractKey): Promise<RevertReason>;
}

export function createContractReader({ deployment, writer }: Pick<BareChain, 'deployment' | 'writer'>): ContractReader {
  async function call(request: object): Promise<Hex> {
    return writer.rpc.request<Hex>('eth_call', [request, 'latest']);
  }

  async function readReason(request: object, contract: ContractKey): Promise<RevertReason> {
    try {
      await call(request);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { errorName, args } = decodeErrorResult({ abi: abiOf(CONTRACT_BEHIND[contract]), data: error.data as Hex });
      return `${errorName}(${(args ?? []).map(String).join(',')})`;
    }
    throw new Error('the call did not revert');
  }

  function toRequest(contract: ContractKey, functionName: string, args: readonly unknown[]): object {
    const data = encodeFunctionData({ abi: abiOf(CONTRACT_BEHIND[contract]), functionName, args });
    return { to: deployment.addresses[contract], data };
  }

  return {
    async read(contract, functionName, args = []) {
      const data = await call(toRequest(contract, functionName, args));
      return decodeFunctionResult({ abi: abiOf(CONTRACT_BEHIND[contract]), functionName, args, data });
    },
    readRevert: (contract, functionName, args = []) => readReason(toRequest(contract, functionName, args), contract),
    revertOf: ({ from, to, data }, contract) => readReason({ from, to, data }, contract),
  };
}
