/**
 * Client of the attestation registry: lists chip records, records and revokes attestations (chain-evm 2.8; decisions
 * 2). Used by the administrative command only: the service itself sends no transaction and holds no key.
 */
import {
  BaseError,
  createPublicClient,
  decodeErrorResult,
  encodeFunctionData,
  fallback,
  hexToBytes,
  http,
  keccak256,
  parseAbi,
  parseAbiItem,
  serializeTransaction,
  stringToBytes,
  type Hex,
  type ParseEventLogsReturnType,
} from 'viem';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';

/** Times in Unix seconds; an `expiresAt` of 0 means never. */
export type AttestationChange =
  | {
      readonly kind: 'attest-chip';
      readonly machineId: MachineId;
      readonly expiresAt: number;
      readonly leafFingerprint: Hex;
      readonly chipRef: Hex;
      readonly evidenceHash: Hex;
      /** Undefined: the registry refuses a chip that was revoked before. */
      readonly reinstatementReason: string | undefined;
    }
  | { readonly kind: 'revoke-chip'; readonly machineId: MachineId }
  | {
      readonly kind: 'attest-kyb';
      readonly operator: Address;
      readonly expiresAt: number;
      readonly evidenceHash: Hex;
    }
  | { readonly kind: 'revoke-kyb'; readonly operator: Address };

/** Times of a record in Unix seconds; `expiresAt` 0 means never, `revokedAt` 0 means not revoked. */
export interface RecordTimes {
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number;
}

/** Newest chip record of a machine, by the logs. */
export interface ChipRecord extends RecordTimes {
  readonly machineId: MachineId;
  /** SHA-256 of the leaf certificate. */
  readonly leafFingerprint: Hex;
  /** Undefined: the record is older than the stored evidence. */
  readonly evidence: { readonly chipRef: Hex; readonly evidenceHash: Hex } | undefined;
  /** Block of the attestation, and index of its log in the block. */
  readonly blockNumber: bigint;
  readonly logIndex: number;
  /** Latest revocation of any record of the machine; 0: none. */
  readonly lastRevokedAt: number;
}

/** Newest KYB record of an operator, by the logs. */
export interface KybRecord extends RecordTimes {
  readonly operator: Address;
}

/** Records of the registry by its logs, up to one block. */
export interface LoggedRecords {
  readonly blockNumber: bigint;
  readonly chips: ReadonlyMap<MachineId, ChipRecord>;
  readonly operators: ReadonlyMap<Address, KybRecord>;
  /** Chips of which a record was ever revoked. */
  readonly revokedChips: ReadonlySet<Hex>;
}

/** Returns whether a record is neither revoked nor expired. */
export function isInForce({ issuedAt, expiresAt, revokedAt }: RecordTimes, nowSeconds: number): boolean {
  return issuedAt !== 0 && revokedAt === 0 && (expiresAt === 0 || expiresAt > nowSeconds);
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
  | 'the registry rejects the change: the chip backs another machine'
  | 'the registry rejects the change: a record of this chip was revoked; pass --override-revocation REASON'
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
  /** Returns all records by the logs. Like all methods, throws `AttestationFailed`. */
  readLogged(): Promise<LoggedRecords>;
  /** Returns the stored chip record of a machine at a block. */
  readChip(machineId: MachineId, blockNumber: bigint): Promise<RecordTimes>;
  /** Returns the stored KYB record of an operator at a block. */
  readKyb(operator: Address, blockNumber: bigint): Promise<RecordTimes>;
  /** Returns whether the token was transferred after a log. */
  isTransferredAfter(machineId: MachineId, after: Pick<ChipRecord, 'blockNumber' | 'logIndex'>): Promise<boolean>;
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
  readonly machineRegistry: Address;
  /** Block before which the registry has no logs. */
  readonly startBlock: number;
}

const ABI = parseAbi([
  'struct Attestation { uint64 issuedAt; uint64 expiresAt; uint64 revokedAt; }',
  'function chipOf(uint256 machineId) view returns (Attestation)',
  'function kybOf(address operator) view returns (Attestation)',
  'function attestKyb(address operator, uint64 expiresAt, bytes32 evidenceHash)',
  'function revokeKyb(address operator)',
  'function attestChip(uint256 machineId, uint64 expiresAt, bytes32 certificateHash, bytes32 chipRef, bytes32 evidenceHash)',
  'function reinstateChip(uint256 machineId, uint64 expiresAt, bytes32 certificateHash, bytes32 chipRef, bytes32 evidenceHash, bytes32 reasonHash)',
  'function revokeChip(uint256 machineId)',
  'event ChipAttested(uint256 indexed machineId, uint64 issuedAt, uint64 expiresAt, bytes32 certificateHash)',
  'event ChipRevoked(uint256 indexed machineId, uint64 revokedAt)',
  'event ChipEvidence(uint256 indexed machineId, bytes32 indexed chipRef, bytes32 evidenceHash)',
  'event KybAttested(address indexed operator, uint64 issuedAt, uint64 expiresAt)',
  'event KybRevoked(address indexed operator, uint64 revokedAt)',
  'error ChipInUse(uint256 otherMachineId)',
  'error ChipRevokedBefore(uint256 machineId)',
]);
const EVENTS = ABI.filter((item) => item.type === 'event');
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)');

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

  function readHead(): Promise<bigint> {
    return reach(() => client.getBlockNumber({ cacheTime: 0 }));
  }

  function readLogs(fromBlock: bigint, toBlock: bigint) {
    return client.getLogs({ address, events: EVENTS, fromBlock, toBlock, strict: true });
  }

  /** Reads the logs of a range, in parts that the node accepts. */
  async function* readInParts<T>(
    first: bigint,
    last: bigint,
    read: (fromBlock: bigint, toBlock: bigint) => Promise<T>,
  ): AsyncGenerator<T> {
    let blocks = MAX_LOG_BLOCKS;
    for (let from = first; from <= last;) {
      const to = from + blocks - 1n < last ? from + blocks - 1n : last;
      const logs = await read(from, to).catch(() => undefined);
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
    async readLogged() {
      await requireChain();
      const blockNumber = await readHead();
      const chips = new Map<MachineId, ChipRecord>();
      const operators = new Map<Address, KybRecord>();
      const revokedChips = new Set<Hex>();
      for await (const logs of readInParts(BigInt(options.startBlock), blockNumber, readLogs)) {
        for (const log of logs) applyLog(log, { chips, operators, revokedChips });
      }
      return { blockNumber, chips, operators, revokedChips };
    },
    readChip: (machineId, blockNumber) =>
      reach(async () =>
        toTimes(
          await client.readContract({ address, abi: ABI, functionName: 'chipOf', args: [machineId], blockNumber }),
        ),
      ),
    readKyb: (operator, blockNumber) =>
      reach(async () =>
        toTimes(await client.readContract({ address, abi: ABI, functionName: 'kybOf', args: [operator], blockNumber })),
      ),
    async isTransferredAfter(machineId, { blockNumber, logIndex }) {
      const args = { tokenId: machineId };
      const read = (fromBlock: bigint, toBlock: bigint) =>
        client.getLogs({ address: options.machineRegistry, event: TRANSFER, args, fromBlock, toBlock });
      for await (const logs of readInParts(blockNumber, await readHead(), read)) {
        if (logs.some((log) => log.blockNumber > blockNumber || log.logIndex > logIndex)) return true;
      }
      return false;
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
      const { machineId, expiresAt, leafFingerprint, chipRef, evidenceHash, reinstatementReason: reason } = change;
      const args = [machineId, BigInt(expiresAt), leafFingerprint, chipRef, evidenceHash] as const;
      if (reason === undefined) return encodeFunctionData({ abi: ABI, functionName: 'attestChip', args });
      const withReason = [...args, keccak256(stringToBytes(reason))] as const;
      return encodeFunctionData({ abi: ABI, functionName: 'reinstateChip', args: withReason });
    }
    case 'revoke-chip':
      return encodeFunctionData({ abi: ABI, functionName: 'revokeChip', args: [change.machineId] });
    case 'attest-kyb': {
      const args = [change.operator, BigInt(change.expiresAt), change.evidenceHash] as const;
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
  const reason = findRevertReason(error);
  if (reason === 'ChipInUse') {
    throw new AttestationFailed('the registry rejects the change: the chip backs another machine');
  }
  if (reason === 'ChipRevokedBefore') {
    throw new AttestationFailed(
      'the registry rejects the change: a record of this chip was revoked; pass --override-revocation REASON',
    );
  }
  const isRevert = error instanceof Error && /revert/i.test(error.message);
  throw new AttestationFailed(
    isRevert
      ? 'the registry rejects the change: the key is not an attester, or the record does not exist'
      : 'no node responds',
  );
}

/** Returns the name of the error that the registry reverted with, where the node returned it. */
function findRevertReason(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const cause = error.walk((each) => typeof (each as { readonly data?: unknown }).data === 'string');
  const { data } = (cause ?? {}) as { readonly data?: Hex };
  if (data === undefined) return undefined;
  try {
    return decodeErrorResult({ abi: ABI, data }).errorName;
  } catch {
    return undefined;
  }
}

type RegistryLog = ParseEventLogsReturnType<typeof ABI, undefined, true>[number];

interface Draft {
  readonly chips: Map<MachineId, ChipRecord>;
  readonly operators: Map<Address, KybRecord>;
  readonly revokedChips: Set<Hex>;
}

function applyLog(log: RegistryLog, { chips, operators, revokedChips }: Draft): void {
  switch (log.eventName) {
    case 'ChipAttested': {
      const { certificateHash: leafFingerprint, issuedAt, expiresAt } = log.args;
      const machineId = log.args.machineId as MachineId;
      const lastRevokedAt = chips.get(machineId)?.lastRevokedAt ?? 0;
      const times = toTimes({ issuedAt, expiresAt, revokedAt: 0n });
      const { blockNumber, logIndex } = log;
      chips.set(machineId, {
        machineId,
        leafFingerprint,
        ...times,
        evidence: undefined,
        blockNumber,
        logIndex,
        lastRevokedAt,
      });
      return;
    }
    case 'ChipEvidence': {
      const { chipRef, evidenceHash } = log.args;
      const record = chips.get(log.args.machineId as MachineId);
      if (record !== undefined) chips.set(record.machineId, { ...record, evidence: { chipRef, evidenceHash } });
      return;
    }
    case 'ChipRevoked': {
      const record = chips.get(log.args.machineId as MachineId);
      if (record === undefined) return;
      const revokedAt = Number(log.args.revokedAt);
      if (record.evidence !== undefined) revokedChips.add(record.evidence.chipRef);
      chips.set(record.machineId, { ...record, revokedAt, lastRevokedAt: revokedAt });
      return;
    }
    case 'KybAttested': {
      const operator = log.args.operator.toLowerCase() as Address;
      operators.set(operator, { operator, ...toTimes({ ...log.args, revokedAt: 0n }) });
      return;
    }
    case 'KybRevoked': {
      const record = operators.get(log.args.operator.toLowerCase() as Address);
      if (record !== undefined) operators.set(record.operator, { ...record, revokedAt: Number(log.args.revokedAt) });
    }
  }
}

function toTimes(record: { readonly issuedAt: bigint; readonly expiresAt: bigint; readonly revokedAt: bigint }) {
  return {
    issuedAt: Number(record.issuedAt),
    expiresAt: Number(record.expiresAt),
    revokedAt: Number(record.revokedAt),
  };
}
