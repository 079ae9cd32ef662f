/** Why could a replay not be made? The three ways, and the exit code that `svc replay` gives for each. */
export type ReplayFailureKind =
  /** The service answered with something else than an explanation of a rating that can be replayed. */
  | 'refused'
  /** The service or the chain did not answer, or the node refused a read. */
  | 'unreachable'
  /** Both answered, but what they say cannot be true together, or contradicts itself. */
  | 'contradictory';

const EXIT_CODES: Readonly<Record<ReplayFailureKind, 1 | 3 | 4>> = { refused: 1, unreachable: 3, contradictory: 4 };

/** No comparison was made. The message is for people; it never holds an RPC URL. */
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
