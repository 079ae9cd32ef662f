/** JSON-RPC responses for accounts and transactions, in the format of mainnet nodes. */
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import type { StoredAccount } from './account-history.ts';
import type { ExecutedTransaction, TokenBalance } from './chain.ts';
import type { NodeFaults } from './node-faults.ts';
import { TOKEN_PROGRAM } from './token-accounts.ts';
import { encodeData, RPC_ERROR, RpcErrorResponse } from './rpc-parameters.ts';
import type { DataSlice, Encoding } from './rpc-parameters.ts';

const RENT_EPOCH_NEVER = Number(2n ** 64n - 1n);
const OUTER_STACK_HEIGHT = 1;

export function toRpcAccount(account: StoredAccount, encoding: Encoding, slice: DataSlice | undefined): object {
  const { data, executable, lamports, owner } = account;
  const shown = slice === undefined ? data : data.subarray(slice.offset, slice.offset + slice.length);
  return {
    data: encodeData(shown, encoding),
    executable,
    lamports: Number(lamports),
    owner,
    rentEpoch: RENT_EPOCH_NEVER,
    space: data.length,
  };
}

/** Formats a transaction. Throws `RpcErrorResponse` for a version 0 transaction when the client supports legacy ones only. */
export function toRpcTransaction(
  transaction: ExecutedTransaction,
  blockTime: number | null,
  maxVersion: number | undefined,
  encoding: 'json' | 'base58' | 'base64',
  logs: NodeFaults['logs'],
): object {
  const { message, slot, wire } = transaction;
  if (message.version === 0 && maxVersion === undefined) {
    throw new RpcErrorResponse(
      RPC_ERROR.unsupportedVersion,
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the ' +
        'following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  return {
    blockTime,
    meta: toMeta(transaction, logs),
    slot,
    transaction: encoding === 'json' ? toJson(transaction) : encodeWire(wire, encoding),
    ...(maxVersion === undefined ? {} : { version: message.version }),
  };
}

function toMeta(transaction: ExecutedTransaction, logs: NodeFaults['logs']): object {
  const { balances, computeUnits, err, fee, inner, loaded, tokens } = transaction;
  return {
    computeUnitsConsumed: computeUnits,
    err,
    fee,
    innerInstructions: inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((each) => ({ ...each, data: formatBase58(each.data) })),
    })),
    loadedAddresses: { readonly: loaded.readonly, writable: loaded.writable },
    logMessages: toLogMessages(transaction, logs),
    postBalances: balances.after.map(Number),
    postTokenBalances: tokens.after.map(toTokenBalance),
    preBalances: balances.before.map(Number),
    preTokenBalances: tokens.before.map(toTokenBalance),
    rewards: [],
    status: err === null ? { Ok: null } : { Err: err },
  };
}

function toTokenBalance({ accountIndex, mint, owner, units, decimals }: TokenBalance): object {
  const uiAmount = Number(units) / 10 ** decimals;
  return {
    ...{ accountIndex, mint, owner, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: String(units), decimals, uiAmount, uiAmountString: String(uiAmount) },
  };
}

function toLogMessages(
  { logs, signatures }: ExecutedTransaction,
  faults: NodeFaults['logs'],
): readonly string[] | null {
  const fault = faults.get(signatures[0]!);
  if (fault === 'null') return null;
  return fault === undefined ? logs : [...logs.slice(0, fault.keep), 'Log truncated'];
}

function toJson({ message, signatures }: ExecutedTransaction): object {
  const { numReadonlyNonSignerAccounts, numReadonlySignerAccounts, numSignerAccounts } = message.header;
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : undefined;
  return {
    message: {
      accountKeys: message.staticAccounts,
      ...(lookups === undefined
        ? {}
        : {
            addressTableLookups: lookups.map(({ lookupTableAddress, readonlyIndexes, writableIndexes }) => ({
              accountKey: lookupTableAddress,
              ...{ readonlyIndexes, writableIndexes },
            })),
          }),
      header: {
        numReadonlySignedAccounts: numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
        numRequiredSignatures: numSignerAccounts,
      },
      instructions: message.instructions.map(({ accountIndices, data, programAddressIndex }) => ({
        accounts: accountIndices ?? [],
        data: data === undefined ? '' : formatBase58(new Uint8Array(data)),
        programIdIndex: programAddressIndex,
        stackHeight: OUTER_STACK_HEIGHT,
      })),
      recentBlockhash: message.lifetimeToken,
    },
    signatures,
  };
}

function encodeWire(wire: Uint8Array, encoding: 'base58' | 'base64'): [string, string] {
  return [encoding === 'base64' ? Buffer.from(wire).toString('base64') : formatBase58(wire), encoding];
}
