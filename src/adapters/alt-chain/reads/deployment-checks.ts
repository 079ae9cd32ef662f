/**
 * Deployment checks: compares the configuration with the nodes and programs found (end of chain-svm 5). Runs at start, in
 * `svc doctor` and every ten minutes. Problems name variables, never values.
 */
import type { Deadline } from '../../rpc/deadline.ts';
import { isContradiction, type DeploymentProblem } from '../../rpc/deployment-problem.ts';
import { decodeAccount } from '../accounts/account-decoder.ts';
import { deriveSingletonAddresses, type AltPrograms } from '../accounts/account-addresses.ts';
import { configLayout } from '../accounts/config.ts';
import { registryLayout } from '../accounts/registry.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';
import type { AltConfig, AltRegistry } from '../../../domain/alt-chain/alt-deployment.ts';
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { AltNodes } from '../rpc/alt-nodes.ts';
import { RpcFailure, toUnreadableCause } from '../../rpc/rpc-failure.ts';
import { getMultipleAccounts } from '../rpc/rpc-methods.ts';
import type { RawAccount } from '../rpc/rpc-account.ts';

export interface ConfiguredPrograms extends AltPrograms {
  readonly infoDesk: AltKey | undefined;
}

const VARIABLES = {
  machineRegistry: 'ALT_MACHINE_REGISTRY_PROGRAM',
  stateAndSync: 'ALT_STATE_AND_SYNC_PROGRAM',
  subscriptionTerminal: 'ALT_SUBSCRIPTION_PROGRAM',
  eventRegistry: 'ALT_EVENT_REGISTRY_PROGRAM',
  infoDesk: 'ALT_INFO_DESK_PROGRAM',
} as const;
const BINDING = 'ALT_BINDING_PROGRAM';
const GENESIS = 'ALT_GENESIS_HASH';
const ORDINAL = 'ALT_ORDINAL';
const NODES = 'ALT_RPC_URLS';

/** Owner of every upgradeable program. */
export const UPGRADEABLE_LOADER = parseAltKey('BPFLoaderUpgradeab1e11111111111111111111111')!;

export interface AltCheckOptions {
  readonly genesisHash: AltKey;
  readonly ordinal: number;
  readonly programs: ConfiguredPrograms | undefined;
  readonly bindingProgram: AltKey | undefined;
  /** False for a local chain that holds accounts but no programs. */
  readonly checksProgramAccounts: boolean;
  readonly nodes: AltNodes;
  readonly deadline: Deadline;
}

/** Result of the deployment checks. */
export interface DeploymentVerdict {
  readonly problems: readonly DeploymentProblem[];
  /** Undefined when it could not be checked. */
  readonly isMachinesSound: boolean | undefined;
  readonly isBindingSound: boolean | undefined;
}

/** Runs all checks. Problems of the nodes, of the program accounts and of the singletons come in this order. */
export async function checkAltDeployment(options: AltCheckOptions): Promise<DeploymentVerdict> {
  const nodeProblems = await checkNodes(options);
  try {
    const programs = await checkProgramAccounts(options);
    const singletons = await checkSingletons(options);
    const problems = [...programs, ...singletons];
    const isOfBinding = ({ variable }: DeploymentProblem) => variable === BINDING;
    return {
      problems: [...nodeProblems, ...problems],
      isMachinesSound: judgeSound(problems.filter((problem) => !isOfBinding(problem))),
      isBindingSound: judgeSound(problems.filter(isOfBinding)),
    };
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const problem = { kind: 'unreadable', variable: NODES, cause: toUnreadableCause(error) } as const;
    return { problems: [...nodeProblems, problem], isMachinesSound: undefined, isBindingSound: undefined };
  }
}

/**
 * Returns undefined where an account could not be read or decoded, unless another one contradicts the configuration. One odd response may
 * be the reason, and each read decodes the singletons again.
 */
function judgeSound(problems: readonly DeploymentProblem[]): boolean | undefined {
  if (problems.some((problem) => isContradiction(problem) && problem.kind !== 'undecodable-singleton')) return false;
  return problems.length === 0 ? true : undefined;
}

async function checkNodes({ nodes, genesisHash, deadline }: AltCheckOptions): Promise<DeploymentProblem[]> {
  const causes = new Map<number, UnreadableCause>();
  const hashes = await nodes.readGenesisHashes(deadline, (position, failure) =>
    causes.set(position, toUnreadableCause(failure)),
  );
  return hashes.flatMap((hash, i): DeploymentProblem[] => {
    const endpoint = i + 1;
    if (hash === undefined) return [{ kind: 'unreachable', variable: NODES, endpoint, cause: causes.get(i) }];
    if (hash === genesisHash) return [];
    return [{ kind: 'wrong-chain', variable: GENESIS, endpoint, serves: 'another cluster' }];
  });
}

async function checkProgramAccounts(options: AltCheckOptions): Promise<DeploymentProblem[]> {
  const { programs, bindingProgram, checksProgramAccounts, nodes, deadline } = options;
  if (!checksProgramAccounts) return [];
  const configured = [
    ...Object.entries(VARIABLES).map(([role, variable]) => ({
      variable,
      key: programs?.[role as keyof typeof VARIABLES],
    })),
    { variable: BINDING, key: bindingProgram },
  ].filter((each): each is { variable: typeof each.variable; key: AltKey } => each.key !== undefined);
  const { accounts } = await nodes.callWithRetry(getMultipleAccounts(configured.map(({ key }) => key)), deadline);
  return configured.flatMap(({ variable }, i) => {
    const kind = findProgramProblem(accounts[i]!);
    return kind === undefined ? [] : [{ kind, variable }];
  });
}

function findProgramProblem(account: ReadResult<RawAccount>) {
  if (account.state === 'absent') return 'missing-account';
  if (account.state === 'unreadable') return 'unreadable-account';
  if (!account.value.executable) return 'not-executable';
  return account.value.owner === UPGRADEABLE_LOADER ? undefined : 'foreign-loader';
}

async function checkSingletons(options: AltCheckOptions): Promise<DeploymentProblem[]> {
  const { programs, ordinal, nodes, deadline } = options;
  if (programs === undefined) return [];
  const { registry, config } = deriveSingletonAddresses(programs);
  const { accounts } = await nodes.callWithRetry(getMultipleAccounts([registry, config]), deadline);
  const [registryAccount, configAccount] = accounts as [ReadResult<RawAccount>, ReadResult<RawAccount>];
  const { machineRegistry, stateAndSync } = programs;
  const of = (program: AltKey) => ({ program, subject: undefined });
  return [
    ...checkRegistry(decodeAccount(registryAccount, registryLayout, of(machineRegistry)), ordinal),
    ...checkConfig(decodeAccount(configAccount, configLayout, of(stateAndSync)), ordinal, machineRegistry),
  ];
}

function checkRegistry(registry: ReadResult<AltRegistry>, ordinal: number): DeploymentProblem[] {
  if (registry.state !== 'present') return [toSingletonProblem(VARIABLES.machineRegistry, registry)];
  const { localOrdinal } = registry.value;
  return localOrdinal === ordinal ? [] : [wrongOrdinal('the machine registry', localOrdinal)];
}

function checkConfig(config: ReadResult<AltConfig>, ordinal: number, machineRegistry: AltKey): DeploymentProblem[] {
  if (config.state !== 'present') return [toSingletonProblem(VARIABLES.stateAndSync, config)];
  const { localOrdinal, registryProgram } = config.value;
  const problems: DeploymentProblem[] = [];
  if (localOrdinal !== ordinal) problems.push(wrongOrdinal('state and sync', localOrdinal));
  if (registryProgram !== machineRegistry) {
    problems.push({ kind: 'foreign-registry', variable: VARIABLES.stateAndSync });
  }
  return problems;
}

function toSingletonProblem(
  variable: string,
  reading: Exclude<ReadResult<unknown>, { state: 'present' }>,
): DeploymentProblem {
  if (reading.state === 'absent') return { kind: 'missing-singleton', variable };
  return { kind: reading.cause === 'malformed' ? 'unreadable-account' : 'undecodable-singleton', variable };
}

function wrongOrdinal(program: string, ordinal: number): DeploymentProblem {
  return { kind: 'wrong-ordinal', variable: ORDINAL, program, ordinal };
}
