/**
 * Does the configuration describe the deployment that the nodes show? (End of chain-svm 5.) Asked at start, by `svc doctor`, and
 * every ten minutes. Problems name variables, never values.
 */
import type { Deadline } from '../../rpc/deadline.ts';
import { judgeAccount } from '../accounts/account-verdict.ts';
import { deriveSingletonAddresses, type AltPrograms } from '../accounts/account-addresses.ts';
import { configLayout } from '../accounts/config.ts';
import { registryLayout } from '../accounts/registry.ts';
import type { AltConfig, AltRegistry } from '../../../domain/alt-chain/alt-deployment.ts';
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { ReadResult } from '../../../domain/machine/machine-facts.ts';
import type { AltNodes } from '../rpc/alt-nodes.ts';
import { AltRpcError } from '../rpc/json-rpc.ts';
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
const REACH = 'ALT_RPC_URLS:';

/** Owns every program that can be upgraded. */
export const UPGRADEABLE_LOADER = parseAltKey('BPFLoaderUpgradeab1e11111111111111111111111')!;

/** Tells a problem of reaching the nodes from one of what they answered. */
export function isAltReachProblem(problem: string): boolean {
  return problem.startsWith(REACH);
}

export interface AltCheckOptions {
  readonly genesisHash: AltKey;
  readonly ordinal: number;
  readonly programs: ConfiguredPrograms | undefined;
  readonly bindingProgram: AltKey | undefined;
  /** A local chain may have accounts of programs that are not there. */
  readonly checksProgramAccounts: boolean;
  readonly endpoints: AltNodes;
  readonly deadline: Deadline;
}

/** What was found out; each problem a line that begins with the variable it is about. */
export interface DeploymentVerdict {
  readonly problems: readonly string[];
  /** Undefined: could not be asked. */
  readonly isMachinesSound: boolean | undefined;
  readonly isBindingSound: boolean | undefined;
}

/** Never throws. */
export async function judgeDeployment(options: AltCheckOptions): Promise<DeploymentVerdict> {
  const nodes = await checkNodes(options);
  try {
    const programs = await checkProgramAccounts(options);
    const singletons = await checkSingletons(options);
    const isOfBinding = (problem: string) => problem.startsWith(BINDING);
    return {
      problems: [...nodes, ...programs, ...singletons],
      isMachinesSound: [...programs, ...singletons].every(isOfBinding),
      isBindingSound: !programs.some(isOfBinding),
    };
  } catch (error) {
    if (!(error instanceof AltRpcError)) throw error;
    const problem = `${REACH} the chain cannot be read (${error.unreadable})`;
    return { problems: [...nodes, problem], isMachinesSound: undefined, isBindingSound: undefined };
  }
}

async function checkNodes({ endpoints, genesisHash, deadline }: AltCheckOptions): Promise<string[]> {
  const hashes = await endpoints.readGenesisHashes(deadline);
  return hashes.flatMap((hash, i) => {
    if (hash === undefined) return [`${REACH} endpoint ${i + 1} does not answer`];
    return hash === genesisHash ? [] : [`${GENESIS}: endpoint ${i + 1} serves another cluster`];
  });
}

async function checkProgramAccounts(options: AltCheckOptions): Promise<string[]> {
  const { programs, bindingProgram, checksProgramAccounts, endpoints, deadline } = options;
  if (!checksProgramAccounts) return [];
  const configured = [
    ...Object.entries(VARIABLES).map(([role, variable]) => ({
      variable,
      key: programs?.[role as keyof typeof VARIABLES],
    })),
    { variable: BINDING, key: bindingProgram },
  ].filter((each): each is { variable: typeof each.variable; key: AltKey } => each.key !== undefined);
  const { accounts } = await endpoints.askPatiently(getMultipleAccounts(configured.map(({ key }) => key)), deadline);
  return configured.flatMap(({ variable }, i) => {
    const problem = judgeProgram(accounts[i]!);
    return problem === undefined ? [] : [`${variable}: ${problem}`];
  });
}

function judgeProgram(account: ReadResult<RawAccount>): string | undefined {
  if (account.state === 'absent') return 'no account at this address';
  if (account.state === 'unreadable') return 'its account cannot be read';
  if (!account.value.executable) return 'no program at this address';
  return account.value.owner === UPGRADEABLE_LOADER ? undefined : 'a program that another loader owns';
}

async function checkSingletons({ programs, ordinal, endpoints, deadline }: AltCheckOptions): Promise<string[]> {
  if (programs === undefined) return [];
  const { registry, config } = deriveSingletonAddresses(programs);
  const { accounts } = await endpoints.askPatiently(getMultipleAccounts([registry, config]), deadline);
  const [registryAccount, configAccount] = accounts as [ReadResult<RawAccount>, ReadResult<RawAccount>];
  const { machineRegistry, stateAndSync } = programs;
  const of = (program: AltKey) => ({ program, subject: undefined });
  return [
    ...judgeRegistry(judgeAccount(registryAccount, registryLayout, of(machineRegistry)), ordinal),
    ...judgeConfig(judgeAccount(configAccount, configLayout, of(stateAndSync)), ordinal, machineRegistry),
  ];
}

function judgeRegistry(registry: ReadResult<AltRegistry>, ordinal: number): string[] {
  if (registry.state !== 'present') return [describeMissing(VARIABLES.machineRegistry, registry.state)];
  const { localOrdinal } = registry.value;
  return localOrdinal === ordinal ? [] : [`ALT_ORDINAL: the machine registry is that of chain ${localOrdinal}`];
}

function judgeConfig(config: ReadResult<AltConfig>, ordinal: number, machineRegistry: AltKey): string[] {
  if (config.state !== 'present') return [describeMissing(VARIABLES.stateAndSync, config.state)];
  const { localOrdinal, registryProgram } = config.value;
  const problems: string[] = [];
  if (localOrdinal !== ordinal) problems.push(`ALT_ORDINAL: state and sync is that of chain ${localOrdinal}`);
  if (registryProgram !== machineRegistry) {
    problems.push(`${VARIABLES.stateAndSync}: serves another machine registry`);
  }
  return problems;
}

function describeMissing(variable: string, state: 'absent' | 'unreadable'): string {
  return `${variable}: its singleton ${state === 'absent' ? 'is not there' : 'cannot be decoded'}`;
}
