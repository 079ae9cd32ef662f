/**
 * Which records stand in the registry of attestations, and how is one recorded or revoked? (chain-evm 2.8; decisions 2.) For the administrative
 * command alone: the service itself sends no transaction and holds no key.
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

/** Times in Unix seconds; `expiresAt` 0: never. */
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

/** The newest record of a machine's chip that is not revoked; it may have expired. */
export interface ChipRecordInForce {
  readonly machineId: MachineId;
  /** SHA-256 of the leaf. */
  readonly leafFingerprint: Hex;
}

export interface TransactionSigner {
  readonly address: Address;
  /** r, s and 27 or 28. */
  signHash(hash: Uint8Array): Hex;
}

/** Fixed words: what a node said is not passed on. */
export type AttestationProblem =
  | 'no node answers'
  | 'the nodes are of another chain'
  | 'the registry refuses it: the key is no attester, or there is no such record'
  | 'the transaction was sent, and is not mined yet'
  | 'the transaction was mined, and failed';

export class AttestationFailed extends Error {
  readonly problem: AttestationProblem;

  constructor(problem: AttestationProblem) {
    super(problem);
    this.name = 'AttestationFailed';
    this.problem = problem;
  }
}

export interface AttestationRegistry {
  /** All methods throw `AttestationFailed`. */
  listStandingChipRecords(): Promise<ChipRecordInForce[]>;
  /**
   * Takes the account's next nonce now. What is checked after that and before `send` holds: of two changes of one account that were opened at
   * the same time only one is ever mined.
   */
  openChange(signer: TransactionSigner): Promise<{ send(change: AttestationChange): Promise<Hex> }>;
}

export interface AttestationRegistryOptions {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly address: Address;
  /** No log of it is older. */
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

/** Most nodes admit this; a range that a node refuses is halved. */
const MAX_LOG_BLOCKS = 10_000n;
const MINED_WITHIN_MILLISECONDS = 120_000;
const ASK_AGAIN_MILLISECONDS = 500;
/** The price may rise until the transaction is mined. */
const PRICE_PERCENT = 125n;

export function createAttestationRegistry(options: AttestationRegistryOptions): AttestationRegistry {
  const { rpcUrls, chainId, address } = options;
  const client = createPublicClient({
    transport: fallback(rpcUrls.map((url) => http(url))),
    pollingInterval: ASK_AGAIN_MILLISECONDS,
  });

  async function requireChain(): Promise<void> {
    const found = await reach(() => client.getChainId());
    if (found !== chainId) throw new AttestationFailed('the nodes are of another chain');
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
      if (logs === undefined && blocks === 1n) throw new AttestationFailed('no node answers');
      if (logs === undefined) {
        blocks /= 2n;
        continue;
      }
      yield logs;
      from = to + 1n;
    }
  }

  return {
    async listStandingChipRecords() {
      await requireChain();
      const standing = new Map<bigint, Hex>();
      for await (const logs of readAllLogs()) {
        for (const { eventName, args } of logs) {
          if (eventName === 'ChipRevoked') standing.delete(args.machineId);
          else standing.set(args.machineId, args.certificateHash);
        }
      }
      return Array.from(standing, ([machineId, leafFingerprint]) => ({
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
          // The oldest form, which every chain takes.
          const transaction = { type: 'legacy', chainId, nonce, to: address, data, gas, gasPrice } as const;
          const signature = signer.signHash(hexToBytes(keccak256(serializeTransaction(transaction))));
          const serializedTransaction = serializeTransaction(transaction, toParts(signature));
          const hash = await reach(() => client.sendRawTransaction({ serializedTransaction }));
          const receipt = await client
            .waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MILLISECONDS })
            .catch(() => {
              throw new AttestationFailed('the transaction was sent, and is not mined yet');
            });
          if (receipt.status !== 'success') throw new AttestationFailed('the transaction was mined, and failed');
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

async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch {
    throw new AttestationFailed('no node answers');
  }
}

function refuse(error: unknown): never {
  const isRevert = error instanceof Error && /revert/i.test(error.message);
  throw new AttestationFailed(
    isRevert ? 'the registry refuses it: the key is no attester, or there is no such record' : 'no node answers',
  );
}
