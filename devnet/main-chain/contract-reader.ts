/**
 * What does a contract of the devnet answer, and with which error does it refuse? For tests; the service has its own reader.
 */
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { abiOf } from '../../contracts/artifacts.ts';
import type { BareChain } from './bare-chain.ts';
import type { Call } from './chain-writer.ts';
import { CONTRACT_BEHIND } from './deploy.ts';
import type { MainChainAddresses } from './deploy.ts';
import { RpcError } from './rpc.ts';

type ContractKey = keyof MainChainAddresses;

/** A refusal as `Name(argument,…)`. */
export type RevertReason = string;

export interface ContractReader {
  /** The answer at the newest block; throws on a revert. */
  read(contract: ContractKey, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  /** The error of a read; throws when it answers. */
  readRevert(contract: ContractKey, functionName: string, args?: readonly unknown[]): Promise<RevertReason>;
  /** The error that a call would meet in the next block; throws when it would pass. `contract` is whose errors are known. */
  revertOf(call: Call, contract: ContractKey): Promise<RevertReason>;
}

export function createContractReader({ deployment, writer }: Pick<BareChain, 'deployment' | 'writer'>): ContractReader {
  async function call(request: object): Promise<Hex> {
    return writer.rpc.request<Hex>('eth_call', [request, 'latest']);
  }

  async function refusal(request: object, contract: ContractKey): Promise<RevertReason> {
    try {
      await call(request);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { errorName, args } = decodeErrorResult({ abi: abiOf(CONTRACT_BEHIND[contract]), data: error.data as Hex });
      return `${errorName}(${(args ?? []).map(String).join(',')})`;
    }
    throw new Error('not refused');
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
    readRevert: (contract, functionName, args = []) => refusal(toRequest(contract, functionName, args), contract),
    revertOf: ({ from, to, data }, contract) => refusal({ from, to, data }, contract),
  };
}
