/**
 * Digest of the logs of one block, as the index used them. It is stored until the block is proven, so that the proof
 * concerns what was stored and not what a node returns later. Only the order of logs counts, not their indexes, which
 * receipts do not commit to.
 */
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { keccak256 } from './keccak.ts';

/** Members of a log that decide what the index stores of it. */
export interface DigestedLog {
  readonly address: string;
  readonly ownershipOf: readonly bigint[];
  readonly event:
    | {
        readonly kind: string;
        readonly generation: string;
        readonly machineId: bigint;
        readonly eventIndex?: bigint;
        readonly eventType?: number;
        readonly value?: bigint;
      }
    | undefined;
  readonly registry: Readonly<Record<string, string | bigint | undefined>> | undefined;
  readonly transactionHash: string;
}

/** Returns 32 bytes as `0x` hex; equal exactly when the index would store the same, but for controllers of mints. */
export function digestLogs(logs: readonly DigestedLog[]): string {
  return `0x${bytesToHex(keccak256(utf8ToBytes(logs.map(describeLog).join('\n'))))}`;
}

/** Digest of a block whose forged logs were removed by a repair. */
export const NO_LOGS_DIGEST = digestLogs([]);

function describeLog({ address, ownershipOf, event, registry, transactionHash }: DigestedLog): string {
  return [address, ownershipOf.join(','), ...describeEvent(event), ...describeRegistry(registry, transactionHash)].join(
    ' ',
  );
}

function describeEvent(event: DigestedLog['event']): readonly (string | number | bigint)[] {
  if (event === undefined) return [];
  const { kind, generation, machineId, eventIndex, eventType, value } = event;
  return [kind, generation, machineId, eventIndex ?? '', eventType ?? '', value ?? ''];
}

/**
 * The transaction decides whether a controller was set together with a change of hands. The controller of a mint only shows that a log of
 * another one is missing; it is left out, so that digests of releases before it was stored remain right.
 */
function describeRegistry(registry: DigestedLog['registry'], transactionHash: string): readonly string[] {
  if (registry === undefined || registry['kind'] === 'minted') return [];
  const members = Object.entries(registry).sort(([a], [b]) => (a < b ? -1 : 1));
  return [transactionHash, ...members.map(([name, value]) => `${name}=${value ?? ''}`)];
}
