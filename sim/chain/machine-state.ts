/** State of the virtual main chain at one block: all that its contracts hold. Values are immutable; a new block has new ones. */

export const ZERO = '0x0000000000000000000000000000000000000000';

/** The protocol ordinal of the simulated main chain. */
export const LOCAL_ORDINAL = 1;

export interface Endpoint {
  readonly id: string;
  readonly type: string;
  readonly url: string;
}

export interface SimEvent {
  readonly type: number;
  readonly value: bigint;
  readonly currency: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly trust: number;
  /** Hex without `0x`. */
  readonly metadata: string;
  /** Unix seconds of the block that stored it. */
  readonly blockTimestamp: number;
  /** Whether its trust level is 2 and a chip record was in force when it was stored. */
  readonly isAttested: boolean;
  /** Transaction that it cites; undefined for none. */
  readonly citation?: { readonly chainId: bigint; readonly hash: string } | undefined;
  /** Index of its log in the block, and the owner there; undefined on the alt chain. */
  readonly origin?: { readonly logIndex: number; readonly owner: string | undefined } | undefined;
}

/** Attestation of a chip or an operator, in Unix seconds; 0 for none, never and not revoked. */
export interface SimRecord {
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number;
}

export const NO_RECORD: SimRecord = { issuedAt: 0, expiresAt: 0, revokedAt: 0 };

/** Returns whether a record holds at a time. */
export function isInForce({ issuedAt, expiresAt, revokedAt }: SimRecord, seconds: number): boolean {
  return issuedAt > 0 && revokedAt === 0 && (expiresAt === 0 || seconds < expiresAt);
}

export interface Subscription {
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly isTerminated: boolean;
}

/** Change of hands: the number of events before it, its block time in Unix seconds, and the owners. */
export interface ChangeOfHands {
  readonly seq: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** Whether it was minted to the new owner. */
  readonly isMint: boolean;
}

/** End of payout claims: the number of events before it, and its block time in Unix seconds. */
export interface ClaimEnd {
  readonly seq: number;
  readonly at: number;
}

/** Transfer to an owner, or a burn to the zero address. */
export interface Transfer extends ClaimEnd {
  readonly to: string;
}

export interface Machine {
  readonly id: bigint;
  /** Undefined: no token on this chain. */
  readonly owner: string | undefined;
  /** Newest owner that a transfer named; stays after a burn. */
  readonly lastOwner: string | undefined;
  readonly transfers: readonly Transfer[];
  readonly hands: readonly ChangeOfHands[];
  /** Changes of hands and burns. */
  readonly claimEnds: readonly ClaimEnd[];
  /** Transaction of the newest change of hands, and whether the owner has set the controller in a later one. */
  readonly handsTransaction: object | undefined;
  readonly isAccepted: boolean;
  /** Controllers since the newest change of hands, in order. */
  readonly controllers: readonly string[];
  /** Newest chip record, and the number of logs of all records. */
  readonly chip: SimRecord;
  readonly chipLogs: number;
  readonly controller: string;
  /** Recorded while the machine is homed elsewhere. */
  readonly recordedOperator: string;
  readonly endpoints: readonly Endpoint[];
  readonly subscription: Subscription;
  readonly generalPaused: boolean;
  readonly technicalPaused: boolean;
  readonly operatorPaused: boolean;
  readonly relocating: boolean;
  readonly home: number;
  readonly prior: number;
  /** Readable records since the last import. */
  readonly events: readonly SimEvent[];
  readonly flaggedAt: number;
  readonly override: number | undefined;
}

export interface World {
  readonly machines: ReadonlyMap<bigint, Machine>;
  /** KYB records of operators. */
  readonly kyb: ReadonlyMap<string, SimRecord>;
  readonly generalPausedGlobal: boolean;
  readonly technicalPausedGlobal: boolean;
  readonly graceSeconds: number;
  readonly runoffSeconds: number;
  /** Whether contracts read the block number of the chain that this one settles on. */
  readonly isRollup: boolean;
  /** Every event ever submitted: an import does not lower it. */
  readonly submittedEvents: number;
}

export const EMPTY_WORLD: World = {
  machines: new Map(),
  kyb: new Map(),
  generalPausedGlobal: false,
  technicalPausedGlobal: false,
  graceSeconds: 60,
  runoffSeconds: 120,
  isRollup: false,
  submittedEvents: 0,
};

export const NO_MACHINE: Omit<Machine, 'id'> = {
  owner: undefined,
  lastOwner: undefined,
  transfers: [],
  hands: [],
  claimEnds: [],
  handsTransaction: undefined,
  isAccepted: true,
  controllers: [],
  chip: NO_RECORD,
  chipLogs: 0,
  controller: ZERO,
  recordedOperator: ZERO,
  endpoints: [],
  subscription: { periodStart: 0, periodEnd: 0, isTerminated: false },
  generalPaused: false,
  technicalPaused: false,
  operatorPaused: false,
  relocating: false,
  home: 0,
  prior: 0,
  events: [],
  flaggedAt: 0,
  override: undefined,
};

export function machineOf(world: World, id: bigint): Machine {
  return world.machines.get(id) ?? { id, ...NO_MACHINE };
}

export const STATUS_NAMES = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'] as const;

/** Returns the subscription status, 0 to 4, at a block time. */
export function statusAt(
  { subscription: { periodStart, periodEnd, isTerminated } }: Machine,
  { graceSeconds, runoffSeconds }: World,
  timestamp: number,
): number {
  if (periodStart === 0) return 0;
  if (isTerminated) return 4;
  if (timestamp < periodEnd) return 1;
  if (timestamp < periodEnd + graceSeconds) return 2;
  return timestamp < periodEnd + graceSeconds + runoffSeconds ? 3 : 4;
}

/** Returns the owner, or the recorded operator of a machine homed elsewhere; the zero address for none. */
export function operatorOf({ owner, recordedOperator }: Machine): string {
  return owner ?? recordedOperator;
}
