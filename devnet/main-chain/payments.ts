/** Token and router of the local main chain, which is also a payment source, and the transactions that pay with them. */
import { encodeDeployData, encodeFunctionData, maxUint256 } from 'viem';
import type { Address } from 'viem';
import { abiOf, loadArtifacts } from '../../contracts/artifacts.ts';
import type { ContractName } from '../../contracts/artifacts.ts';
import { accountOf, ADMIN_NAME } from '../accounts.ts';
import type { Call, ChainWriter } from './chain-writer.ts';

export interface PaymentContracts {
  /** USDC: 6 decimals, and in `TOKENS_FILE` with the fixed rate 1. */
  readonly token: Address;
  readonly router: Address;
}

export const TOKEN_SYMBOL = 'USDC';
export const TOKEN_DECIMALS = 6;
/** Token units in a US cent. */
const UNITS_PER_CENT = 10_000n;

/** One payee of a payment. */
export interface PaymentPart {
  readonly to: Address;
  readonly cents: bigint;
}

/** Deploys both contracts in one block. */
export async function deployPayments(writer: ChainWriter, timestamp?: number): Promise<PaymentContracts> {
  const from = accountOf(ADMIN_NAME).address;
  const deploy = (name: ContractName): Call => {
    const { abi, bytecode } = loadArtifacts().contracts[name];
    return { label: `deploy ${name}`, from, data: encodeDeployData({ abi, bytecode }) };
  };
  const receipts = await writer.mine([deploy('PaymentToken'), deploy('PaymentRouter')], timestamp);
  return { token: receipts[0]!.contractAddress!, router: receipts[1]!.contractAddress! };
}

export function mintTokens({ token }: PaymentContracts, { to, cents }: PaymentPart): Call {
  return tokenCall(token, accountOf(ADMIN_NAME).address, 'mint', [to, toUnits(cents)]);
}

/** Allows the router to take any amount. */
export function approveRouter({ token, router }: PaymentContracts, from: Address): Call {
  return tokenCall(token, from, 'approve', [router, maxUint256]);
}

export function transferTokens({ token }: PaymentContracts, from: Address, { to, cents }: PaymentPart): Call {
  return tokenCall(token, from, 'transfer', [to, toUnits(cents)]);
}

/** Pays one or more payees through the router in one transaction. */
export function payThroughRouter(
  { token, router }: PaymentContracts,
  from: Address,
  parts: readonly PaymentPart[],
): Call {
  const args = [token, parts.map(({ to }) => to), parts.map(({ cents }) => toUnits(cents))];
  const data = encodeFunctionData({ abi: abiOf('PaymentRouter'), functionName: 'pay', args });
  return { label: 'pay', from, to: router, data };
}

function tokenCall(token: Address, from: Address, functionName: string, args: readonly unknown[]): Call {
  const data = encodeFunctionData({ abi: abiOf('PaymentToken'), functionName, args });
  return { label: functionName, from, to: token, data };
}

function toUnits(cents: bigint): bigint {
  return cents * UNITS_PER_CENT;
}
