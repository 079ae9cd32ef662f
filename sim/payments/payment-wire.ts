/** JSON-RPC encoding of the blocks, receipts and logs of the payment source. */
import { address, uint } from '../chain/abi-words.ts';
import { keccakOf } from '../chain/keccak.ts';
import { quantity } from '../nodes/wire-blocks.ts';
import type { MinedPayment, PaymentBlock } from './payment-chain.ts';

export const TRANSFER_TOPIC = `0x${keccakOf('Transfer(address,address,uint256)')}`;
const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;

export function toPaymentHeader({ number, hash, parentHash, timestamp, transactions }: PaymentBlock) {
  return {
    ...{ number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) },
    ...{ logsBloom: EMPTY_BLOOM, receiptsRoot: hash, transactions: transactions.map((each) => each.hash) },
  };
}

export function toPaymentReceipt({ transaction, block }: MinedPayment) {
  return {
    transactionHash: transaction.hash,
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    status: quantity(transaction.isSuccessful ? 1 : 0),
    from: transaction.from,
    logs: toPaymentLogs(block).filter(({ transactionHash }) => transactionHash === transaction.hash),
  };
}

/** Returns the logs of a block; a failed transaction has none. */
export function toPaymentLogs({ number, hash: blockHash, transactions }: PaymentBlock) {
  return transactions
    .filter(({ isSuccessful }) => isSuccessful)
    .flatMap(({ hash, transfers }) => transfers.map((transfer) => ({ ...transfer, hash })))
    .map(({ contract, from, to, units, hash }, index) => ({
      address: contract,
      topics: [TRANSFER_TOPIC, `0x${address(from)}`, `0x${address(to)}`],
      data: `0x${uint(units)}`,
      ...{ blockNumber: quantity(number), blockHash, logIndex: quantity(index), transactionHash: hash },
    }));
}
