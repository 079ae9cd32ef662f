/** Error of a replay that cannot compare, by kind. */
export type ReplayFailureKind =
  /** The service returned no explanation of a rating that can be replayed. */
  | 'refused'
  /** The service or a node did not respond, or a node refused a read. */
  | 'unreachable'
  /** The responses contradict each other or themselves. */
  | 'contradictory';

/** No comparison was made. The message is for users and never contains an RPC URL. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';
  readonly kind: ReplayFailureKind;

  constructor(kind: ReplayFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
