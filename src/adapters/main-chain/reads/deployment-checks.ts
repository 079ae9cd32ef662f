/**
 * Checks that the nodes serve the configured deployment (chain-evm 1). Runs at start, in `svc doctor`, and again when
 * code or ownership changes.
 */
import { chainUnreadable, Fault, type UnreadableCause } from '../../../domain/faults.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { DeploymentProblem } from '../../rpc/deployment-problem.ts';
import { toUnreadableCause } from '../../rpc/rpc-failure.ts';
import {
  checkPeer,
  PEER_NAMES,
  readDeploymentResults,
  toDeploymentFacts,
  type DeploymentResults,
} from './deployment.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Headers } from '../logs/headers.ts';
import type { MainChainAddresses, MainChainConfig } from '../main-chain-config.ts';
import { MULTICALL3_ADDRESS, type Multicall } from './multicall.ts';
import { isHexData, toQuantity } from '../rpc/quantities.ts';

const VARIABLES = {
  infoDesk: 'INFO_DESK_ADDRESS',
  machineRegistry: 'MACHINE_REGISTRY_ADDRESS',
  machineStateAndSync: 'MACHINE_STATE_AND_SYNC_ADDRESS',
  machineSubscription: 'MACHINE_SUBSCRIPTION_ADDRESS',
  eventRegistry: 'EVENT_REGISTRY_ADDRESS',
  crossChainMirror: 'CROSS_CHAIN_MIRROR_ADDRESS',
  adminFlags: 'ADMIN_FLAGS_ADDRESS',
  attestationRegistry: 'ATTESTATION_REGISTRY_ADDRESS',
} as const;

const LEGACY_VARIABLES = {
  identityRegistry: 'LEGACY_IDENTITY_REGISTRY_ADDRESS',
  staking: 'LEGACY_STAKING_ADDRESS',
  eventRegistry: 'LEGACY_EVENT_REGISTRY_ADDRESS',
} as const;

/** Contracts that respond to a check only where they have code. */
const RESPONDING: ReadonlySet<string> = new Set(
  Object.values(VARIABLES).filter((variable) => variable !== VARIABLES.attestationRegistry),
);

interface Contract {
  readonly variable: string;
  readonly address: Address;
}

const NODES = 'MAIN_RPC_URLS';
const CHAIN_ID = 'MAIN_CHAIN_ID';

export interface MainCheckOptions {
  readonly config: MainChainConfig;
  readonly nodes: Pick<MainNodes, 'readChainIds'>;
  readonly stateNodes: Pick<MainNodes, 'request'>;
  readonly headers: Headers;
  readonly multicall: Multicall;
  /** Called when Multicall3 was found, before the first call of `multicall`, which finds by itself that there is none. */
  readonly onMulticall3: () => void;
  readonly deadline: Deadline;
}

/**
 * Returns every problem found; empty when the deployment is the configured one. Never throws for a chain that cannot be
 * read.
 */
export async function checkDeployment(options: MainCheckOptions): Promise<DeploymentProblem[]> {
  const problems = await checkChainIds(options);
  try {
    problems.push(...(await checkContracts(options)));
  } catch (error) {
    const fault = toMainFault(error);
    if (!(fault instanceof Fault) || fault.kind !== 'ChainUnreadable') throw fault;
    const { cause } = fault.context;
    problems.push({ kind: 'unreadable', variable: NODES, cause });
  }
  return problems;
}

async function checkChainIds({ config, nodes, deadline }: MainCheckOptions): Promise<DeploymentProblem[]> {
  const { chainId, quorum = 1, rpcHosts = [] } = config;
  const causes = new Map<number, UnreadableCause>();
  const ids = await nodes.readChainIds(deadline, (position, failure) =>
    causes.set(position, toUnreadableCause(failure)),
  );
  const agreeing = new Set(rpcHosts.filter((_, i) => ids[i] === chainId));
  const isOutvoted = quorum > 1 && agreeing.size >= quorum;
  return ids.flatMap((id, i): DeploymentProblem[] => {
    const endpoint = i + 1;
    if (id === undefined) return [{ kind: 'unreachable', variable: NODES, endpoint, cause: causes.get(i) }];
    if (id === chainId) return [];
    const serves = `chain ${id}`;
    if (isOutvoted) return [{ kind: 'outvoted', variable: NODES, endpoint, serves }];
    return [{ kind: 'wrong-chain', variable: CHAIN_ID, endpoint, serves }];
  });
}

async function checkContracts(options: MainCheckOptions): Promise<DeploymentProblem[]> {
  const { config, headers, multicall, onMulticall3, deadline } = options;
  const { addresses } = config;
  const block = await headers.read('latest', deadline);
  const contracts = listContracts(addresses);
  const silent = contracts.filter(({ variable }) => !RESPONDING.has(variable));
  const multicall3 = { variable: 'MULTICALL3_ADDRESS', address: addresses.multicall3 ?? MULTICALL3_ADDRESS };
  const [hasMulticall3, ...hasCode] = await readHasCode(options, block, [multicall3, ...silent]);
  if (hasMulticall3!) onMulticall3();
  const problems = checkResults(await readDeploymentResults(multicall, addresses, block, deadline), addresses);
  if (problems.length === 0 && hasCode.every(Boolean)) return [];
  const all = await readHasCode(options, block, contracts);
  const missing = contracts.filter((_, i) => !all[i]);
  if (missing.length === 0) return problems;
  return missing.map(({ variable }): DeploymentProblem => ({ kind: 'missing-code', variable }));
}

async function readHasCode(
  { stateNodes, deadline }: MainCheckOptions,
  block: Header,
  contracts: readonly Contract[],
): Promise<boolean[]> {
  const calls = contracts.map(({ address }) => ({
    method: 'eth_getCode',
    params: [address, toQuantity(block.number)],
  }));
  const codes = await stateNodes.request(calls, deadline);
  return codes.map((code) => {
    if (!code.ok) throw chainUnreadable('main', 'rpc-error');
    return isHexData(code.result) && code.result !== '0x';
  });
}

function checkResults(results: DeploymentResults, addresses: MainChainAddresses): DeploymentProblem[] {
  const problems = PEER_NAMES.flatMap((name): DeploymentProblem[] => {
    const kind = checkPeer(name, results, addresses);
    return kind === undefined ? [] : [{ kind, variable: VARIABLES[name] }];
  });
  if (!results.isFlagsCallDecoded) problems.push({ kind: 'no-flags', variable: VARIABLES.adminFlags });
  try {
    toDeploymentFacts(results, 1);
  } catch {
    problems.push({ kind: 'incomplete-facts', variable: VARIABLES.infoDesk });
  }
  return problems;
}

/** Lists the contracts that must have code. The DID store is left out: it may be a precompile, which has none. */
function listContracts(addresses: MainChainAddresses): Contract[] {
  const { legacy } = addresses;
  const named: readonly (readonly [string, Address | undefined])[] = [
    ...Object.entries(VARIABLES).map(
      ([name, variable]) => [variable, addresses[name as keyof typeof VARIABLES]] as const,
    ),
    ...Object.entries(LEGACY_VARIABLES).map(
      ([name, variable]) => [variable, legacy?.[name as keyof typeof LEGACY_VARIABLES]] as const,
    ),
  ];
  return named.flatMap(([variable, address]) => (address === undefined ? [] : [{ variable, address }]));
}
