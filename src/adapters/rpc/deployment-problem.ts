/**
 * Problems found by the deployment checks of either chain (chain-evm 1, chain-svm 5).
 * A problem names the configuration variable it concerns, never the variable's value.
 */
import type { UnreadableCause } from '../../domain/faults.ts';
import { explainCause } from '../../domain/index-rules/index-cause.ts';

/** Texts of the problems that carry no details besides their variable. */
const FIXED_TEXTS = {
  'missing-code': 'no code at this address',
  'no-info-desk': 'does not respond to infoDesk()',
  'foreign-info-desk': 'names another InfoDesk',
  'unregistered-contract': 'is not registered as a machine data contract in InfoDesk',
  'unknown-peer': 'cannot be looked up in the address book of InfoDesk',
  'missing-peer': 'has no role in the address book of InfoDesk',
  'peer-mismatch': 'differs from the address book of InfoDesk',
  'no-economic-authority': 'is not the economic authority',
  'no-flags': 'does not respond to flagsOf(uint256)',
  'incomplete-facts': 'some facts of the deployment cannot be read',
  'missing-account': 'no account at this address',
  'unreadable-account': 'its account cannot be read',
  'not-executable': 'no program at this address',
  'foreign-loader': 'a program that another loader owns',
  'missing-singleton': 'its singleton is not there',
  'undecodable-singleton': 'its singleton cannot be decoded',
  'foreign-registry': 'serves another machine registry',
} as const;

/** Kinds of problems that carry no details besides their variable. */
export type PlainProblemKind = keyof typeof FIXED_TEXTS;

export type DeploymentProblem =
  | { readonly kind: PlainProblemKind; readonly variable: string }
  /** A node does not respond; nodes are numbered from 1 in the order of the configuration. */
  | {
      readonly kind: 'unreachable';
      readonly variable: string;
      readonly endpoint: number;
      /** Why, where it is known. */
      readonly cause?: UnreadableCause | undefined;
    }
  /** The contracts or accounts cannot be read from any node. */
  | { readonly kind: 'unreadable'; readonly variable: string; readonly cause: UnreadableCause }
  /** A node serves another chain; its identity is printed where it is short. */
  | { readonly kind: 'wrong-chain'; readonly variable: string; readonly endpoint: number; readonly serves: string }
  /** The same for a node that enough others outvote. */
  | { readonly kind: 'outvoted'; readonly variable: string; readonly endpoint: number; readonly serves: string }
  /** A program of the alt chain names another chain ordinal than the configured one. */
  | { readonly kind: 'wrong-ordinal'; readonly variable: string; readonly program: string; readonly ordinal: number };

const HARMLESS_KINDS: ReadonlySet<DeploymentProblem['kind']> = new Set([
  'unreachable',
  'unreadable',
  'unreadable-account',
  'outvoted',
]);

/** Returns whether the chain contradicts the configuration; what cannot be read contradicts nothing, nor does an outvoted node. */
export function isContradiction({ kind }: DeploymentProblem): boolean {
  return !HARMLESS_KINDS.has(kind);
}

/** Returns what is wrong, without the variable. */
export function describeDeploymentProblem(problem: DeploymentProblem): string {
  switch (problem.kind) {
    case 'unreachable':
      return `endpoint ${problem.endpoint} does not respond`;
    case 'unreadable':
      return `the chain cannot be read (${problem.cause})`;
    case 'wrong-chain':
      return `${explainCause({ kind: 'wrong-chain' }).text} (${describeServedChain(problem)})`;
    case 'outvoted':
      return describeServedChain(problem);
    case 'wrong-ordinal':
      return `${problem.program} is that of chain ${problem.ordinal}`;
    default:
      return FIXED_TEXTS[problem.kind];
  }
}

/** Returns which node serves which chain. */
export function describeServedChain({
  endpoint,
  serves,
}: {
  readonly endpoint: number;
  readonly serves: string;
}): string {
  return `endpoint ${endpoint} serves ${serves}`;
}

/** Returns one line, `VARIABLE: what is wrong`. */
export function formatDeploymentProblem(problem: DeploymentProblem): string {
  return `${problem.variable}: ${describeDeploymentProblem(problem)}`;
}
