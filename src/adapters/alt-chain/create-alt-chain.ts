/**
 * The alt chain behind its ports: wires nodes, shared reads and checks into `AltChain`, `BindingRegistry` and `AltHistory`.
 * Nothing is asked of a node before the first call. All three share nodes and the newest slot that was seen.
 */
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { AltChain, AltHistory, BindingRegistry } from '../../ports/alt-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { startDeadline, type Stopwatch } from '../rpc/deadline.ts';
import type { DeploymentProblem } from '../rpc/deployment-problem.ts';
import type { PostRpc } from '../rpc/http-post.ts';
import type { AltPrograms } from './accounts/account-addresses.ts';
import { createAltHistory } from './reads/alt-history.ts';
import { createBindingRegistry, type BindingProgram } from './reads/binding-registry.ts';
import { judgeDeployment } from './reads/deployment-checks.ts';
import { createAltNodes } from './rpc/alt-nodes.ts';
import { ALT_CHAIN_LIMITS, type AltChainLimits } from './limits.ts';
import { createMachineReads } from './reads/machine-reads.ts';
import { createMinContextSlot } from './rpc/min-context-slot.ts';
import { createAltUpstreamCounters, type AltUpstreamCounters } from './rpc/upstream-counters.ts';

/** Handed down by the composition root, already parsed. */
export interface AltChainConfig {
  /** At least one; the first healthy one is used. */
  readonly rpcUrls: readonly string[];
  readonly genesisHash: AltKey;
  readonly ordinal: number;
  /** Undefined: only bindings are read. */
  readonly programs:
    | {
        readonly machineRegistry: AltKey;
        readonly stateAndSync: AltKey;
        readonly subscription: AltKey;
        readonly eventRegistry: AltKey;
        readonly infoDesk: AltKey | undefined;
      }
    | undefined;
  readonly binding: BindingProgram | undefined;
}

export interface AltChainAdapter {
  /** Both present when programs are configured. */
  readonly machines: { readonly chain: AltChain; readonly history: AltHistory } | undefined;
  readonly bindings: BindingRegistry | undefined;
  readonly counters: Readonly<AltUpstreamCounters>;
  /**
   * Every problem of the deployment, each a line that begins with its variable; empty when there is none. Never throws. While the
   * last check that could be made found a contradiction, reads of what it is about are unreadable.
   */
  checkDeployment(): Promise<readonly DeploymentProblem[]>;
  /** Ends all connections; reads under way fail. */
  close(): Promise<void>;
}

export interface AltChainDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<AltChainLimits> | undefined;
  /** Off for a local chain whose programs are accounts only. */
  readonly checksProgramAccounts?: boolean | undefined;
  /** Instead of HTTP and real time, for simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

export function createAltChain(config: AltChainConfig, dependencies: AltChainDependencies): AltChainAdapter {
  const { clock, log, post, stopwatch, checksProgramAccounts = true } = dependencies;
  const { genesisHash, ordinal, binding } = config;
  const limits = { ...ALT_CHAIN_LIMITS, ...dependencies.limits };
  const counters = createAltUpstreamCounters();
  const floor = createMinContextSlot();
  const endpoints = createAltNodes({
    rpcUrls: config.rpcUrls,
    genesisHash,
    floor,
    clock,
    log,
    limits,
    counters,
    post,
    stopwatch,
  });
  const startRead = () => startDeadline(limits.readTimeoutMilliseconds, limits.requestTimeoutMilliseconds, stopwatch);
  const startIndexRead = () =>
    startDeadline(limits.indexReadTimeoutMilliseconds, limits.indexRequestTimeoutMilliseconds, stopwatch);
  let isMachinesSound = true;
  let isBindingSound = true;

  function needSound(isSound: boolean): void {
    if (!isSound) throw chainUnreadable('alt', 'wrong-chain');
  }

  function createMachinePorts(programs: NonNullable<AltChainConfig['programs']>) {
    const { machineRegistry } = programs;
    const roles = toRoles(programs);
    const reads = createMachineReads({ endpoints, programs: roles, ordinal, clock, limits, counters, startRead });
    const chain: AltChain = {
      ordinal,
      genesisHash,
      machineRegistry,
      async readMachine(id) {
        needSound(isMachinesSound);
        return reads.read(id);
      },
      async readMachineNow(id) {
        needSound(isMachinesSound);
        return reads.readNow(id);
      },
    };
    const history = createAltHistory({
      endpoints,
      programs: roles,
      ordinal,
      limits,
      startRead: startIndexRead,
      needSound: () => needSound(isMachinesSound),
      genesisHash,
    });
    return { chain, history };
  }

  function createBindings(program: BindingProgram): BindingRegistry {
    const registry = createBindingRegistry({ binding: program, endpoints, clock, limits, startRead });
    return {
      async readBinding(wallet) {
        needSound(isBindingSound);
        return registry.readBinding(wallet);
      },
    };
  }

  return {
    machines: config.programs && createMachinePorts(config.programs),
    bindings: binding && createBindings(binding),
    counters,
    async checkDeployment() {
      const verdict = await judgeDeployment({
        genesisHash,
        ordinal,
        programs: config.programs && { ...toRoles(config.programs), infoDesk: config.programs.infoDesk },
        bindingProgram: binding?.program,
        checksProgramAccounts,
        endpoints,
        deadline: startRead(),
      });
      isMachinesSound = verdict.isMachinesSound ?? isMachinesSound;
      isBindingSound = verdict.isBindingSound ?? isBindingSound;
      return verdict.problems;
    },
    close: () => endpoints.close(),
  };
}

function toRoles(programs: NonNullable<AltChainConfig['programs']>): AltPrograms {
  const { machineRegistry, stateAndSync, subscription, eventRegistry } = programs;
  return { machineRegistry, stateAndSync, subscriptionTerminal: subscription, eventRegistry };
}
