/**
 * Client of the attestation registry: lists chip records, records and revokes attestations (chain-evm 2.8; decisions
 * 2). Used by the administrative command only: the service itself sends no transaction and holds no key.
 */
import {
  createPublicClient,
  encodeFunctionData,
  fallback,
  hexToBytes,
  http,
  keccak256,
  parseAbi,
  serializeTransaction,
  type Hex,
} from 'viem';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';

/** Times in Unix seconds; an `expiresAt` of 0 means never. */
export type AttestationChange =
  | {
      readonly kind: 'attest-chip';
      readonly machineId: MachineId;
      readonly expiresAt: number;
      readonly leafFingerprint: Hex;
    }
  | { readonly kind: 'revoke-chip'; readonly machineId: MachineId }
  | { readonly kind: 'attest-kyb'; readonly operator: Address; readonly expiresAt: number }
  | { readonly kind: 'revoke-kyb'; readonly operator: Address };

/** Newest chip record of a machine that is not revoked; it may have expired. */
export interface ChipRecordInForce {
  readonly machineId: MachineId;
  /** SHA-256 of the leaf certificate. */
  readonly leafFingerprint: Hex;
}

export interface TransactionSigner {
  readonly address: Address;
  /** Returns r, s and v (27 or 28). */
  signHash(hash: Uint8Array): Hex;
}

/** Fixed texts: messages of a node are not passed on. */
export type AttestationProblem =
  | 'no node responds'
  | 'the nodes serve another chain'
  | 'the registry rejects the change: the key is not an attester, or the record does not exist'
  | 'the transaction was sent but is not mined yet'
  | 'the transaction was mined but failed';

export class AttestationFailed extends Error {
  readonly problem: AttestationProblem;

  constructor(problem: AttestationProblem) {
    super(problem);
    this.name = 'AttestationFailed';
    this.problem = problem;
  }
}

export interface AttestationRegistry {
  /** Returns the chip records in force. Like all methods, throws `AttestationFailed`. */
  listChipRecordsInForce(): Promise<ChipRecordInForce[]>;
  /**
   * Reserves the account's next nonce. What is checked between this call and `send` remains true: of two changes of one
   * account opened at the same time, only one is ever mined.
   */
  openChange(signer: TransactionSigner): Promise<{ send(change: AttestationChange): Promise<Hex> }>;
}

export interface AttestationRegistryOptions {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly address: Address;
  /** Block before which the registry has no logs. */
  readonly startBlock: number;
}

const ABI = parseAbi([
  'function attestKyb(address operator, uint64 expiresAt)',
  'function revokeKyb(address operator)',
  'function attestChip(uint256 machineId, uint64 expiresAt, bytes32 certificateHash)',
  'function revokeChip(uint256 machineId)',
  'event ChipAttested(uint256 indexed machineId, uint64 issuedAt, uint64 expiresAt, bytes32 certificateHash)',
  'event ChipRevoked(uint256 indexed machineId, uint64 revokedAt)',
]);
const CHIP_EVENTS = ABI.filter((item) => item.type === 'event');

/** Accepted by most nodes; a range that a node refuses is halved. */
const MAX_LOG_BLOCKS = 10_000n;
const MINED_WITHIN_MILLISECONDS = 120_000;
const POLLING_MILLISECONDS = 500;
/** Margin on the gas price, which may rise until the transaction is mined. */
const PRICE_PERCENT = 125n;

export function createAttestationRegistry(options: AttestationRegistryOptions): AttestationRegistry {
  const { rpcUrls, chainId, address } = options;
  const client = createPublicClient({
    transport: fallback(rpcUrls.map((url) => http(url))),
    pollingInterval: POLLING_MILLISECONDS,
  });

  async function requireChain(): Promise<void> {
    const found = await reach(() => client.getChainId());
    if (found !== chainId) throw new AttestationFailed('the nodes serve another chain');
  }

  function readLogs(fromBlock: bigint, toBlock: bigint) {
    return client.getLogs({ address, events: CHIP_EVENTS, fromBlock, toBlock, strict: true });
  }

  async function* readAllLogs(): AsyncGenerator<Awaited<ReturnType<typeof readLogs>>> {
    const last = await reach(() => client.getBlockNumber({ cacheTime: 0 }));
    let blocks = MAX_LOG_BLOCKS;
    for (let from = BigInt(options.startBlock); from <= last;) {
      const to = from + blocks - 1n < last ? from + blocks - 1n : last;
      const logs = await readLogs(from, to).catch(() => undefined);
      if (logs === undefined && blocks === 1n) throw new AttestationFailed('no node responds');
      if (logs === undefined) {
        blocks /= 2n;
        continue;
      }
      yield logs;
      from = to + 1n;
    }
  }

  return {
    async listChipRecordsInForce() {
      await requireChain();
      const inForce = new Map<bigint, Hex>();
      for await (const logs of readAllLogs()) {
        for (const { eventName, args } of logs) {
          if (eventName === 'ChipRevoked') inForce.delete(args.machineId);
          else inForce.set(args.machineId, args.certificateHash);
        }
      }
      return Array.from(inForce, ([machineId, leafFingerprint]) => ({
        machineId: machineId as MachineId,
        leafFingerprint,
      }));
    },
    async openChange(signer) {
      await requireChain();
      const nonce = await reach(() => client.getTransactionCount({ address: signer.address, blockTag: 'pending' }));
      return {
        async send(change) {
          const data = encode(change);
          const gas = await client.estimateGas({ account: signer.address, to: address, data }).catch(refuse);
          const gasPrice = ((await reach(() => client.getGasPrice())) * PRICE_PERCENT) / 100n;
          // Legacy transactions are accepted by every chain.
          const transaction = { type: 'legacy', chainId, nonce, to: address, data, gas, gasPrice } as const;
          const signature = signer.signHash(hexToBytes(keccak256(serializeTransaction(transaction))));
          const serializedTransaction = serializeTransaction(transaction, toParts(signature));
          const hash = await reach(() => client.sendRawTransaction({ serializedTransaction }));
          const receipt = await client
            .waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MILLISECONDS })
            .catch(() => {
              throw new AttestationFailed('the transaction was sent but is not mined yet');
            });
          if (receipt.status !== 'success') throw new AttestationFailed('the transaction was mined but failed');
          return hash;
        },
      };
    },
  };
}

function encode(change: AttestationChange): Hex {
  switch (change.kind) {
    case 'attest-chip': {
      const { machineId, expiresAt, leafFingerprint } = change;
      const args = [machineId, BigInt(expiresAt), leafFingerprint] as const;
      return encodeFunctionData({ abi: ABI, functionName: 'attestChip', args });
    }
    case 'revoke-chip':
      return encodeFunctionData({ abi: ABI, functionName: 'revokeChip', args: [change.machineId] });
    case 'attest-kyb': {
      const args = [change.operator, BigInt(change.expiresAt)] as const;
      return encodeFunctionData({ abi: ABI, functionName: 'attestKyb', args });
    }
    case 'revoke-kyb':
      return encodeFunctionData({ abi: ABI, functionName: 'revokeKyb', args: [change.operator] });
  }
}

function toParts(signature: Hex): { r: Hex; s: Hex; v: bigint } {
  return {
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: BigInt(`0x${signature.slice(130)}`),
  };
}

async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch {
    throw new AttestationFailed('no node responds');
  }
}

function refuse(error: unknown): never {
  const isRevert = error instanceof Error && /revert/i.test(error.message);
  throw new AttestationFailed(
    isRevert
      ? 'the registry rejects the change: the key is not an attester, or the record does not exist'
      : 'no node responds',
  );
}
