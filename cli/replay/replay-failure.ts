/** Error of a replay that cannot compare: three kinds, each with the exit code of `svc replay`. */
export type ReplayFailureKind =
  /** The service returned no explanation of a rating that can be replayed. */
  | 'refused'
  /** The service or a node did not respond, or a node refused a read. */
  | 'unreachable'
  /** The responses contradict each other or themselves. */
  | 'contradictory';

const EXIT_CODES: Readonly<Record<ReplayFailureKind, 1 | 3 | 4>> = { refused: 1, unreachable: 3, contradictory: 4 };

/** No comparison was made. The message is for users and never contains an RPC URL. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';
  readonly kind: ReplayFailureKind;
  readonly exitCode: 1 | 3 | 4;

  constructor(kind: ReplayFailureKind, message: string) {
    super(message);
    this.kind = kind;
    this.exitCode = EXIT_CODES[kind];
  }
}
