/**
 * Alt-chain adapter: composes nodes, shared reads and deployment checks into `AltChain`, `BindingRegistry` and `AltHistory`.
 * Sends no request before the first call. All three ports share the node pool and the newest slot seen.
 */
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { AltChain, AltHistory, BindingRegistry } from '../../ports/alt-chain.ts';
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import type { ChainWork, Clock, Log, WorkScope } from '../../ports/runtime.ts';
import { createCallBudget, type CallBudget } from '../rpc/call-budget.ts';
import {
  HEAD_WORK,
  INDEX_WORK,
  REAL_STOPWATCH,
  startDeadline,
  type Stopwatch,
  UNNAMED_CALLER,
} from '../rpc/deadline.ts';
import type { DeploymentProblem } from '../rpc/deployment-problem.ts';
import type { PostRpc } from '../rpc/http-post.ts';
import type { AltPrograms } from './accounts/account-addresses.ts';
import { createAltHistory } from './reads/alt-history.ts';
import { createBindingRegistry, type BindingProgram } from './reads/binding-registry.ts';
import { checkAltDeployment } from './reads/deployment-checks.ts';
import { createAltNodes } from './rpc/alt-nodes.ts';
import { ALT_CHAIN_LIMITS, type AltChainLimits } from './limits.ts';
import { createMachineReads } from './reads/machine-reads.ts';
import { createMinContextSlot } from './rpc/min-context-slot.ts';
import { createAltUpstreamCounters, type AltUpstreamCounters } from './rpc/upstream-counters.ts';

/** Configuration of the alt chain, parsed by the composition root. */
export interface AltChainConfig {
  /** At least one; calls use the first healthy one. */
  readonly rpcUrls: readonly string[];
  readonly genesisHash: AltKey;
  /** Undefined: learned from refusals. */
  readonly callsPerSecond?: number | undefined;
  readonly ordinal: number;
  /** Undefined if only bindings are read. */
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
  /** Defined when programs are configured. */
  readonly machines:
    | {
        readonly chain: AltChain;
        readonly history: AltHistory;
        /** Returns whether the last completed check contradicts the configuration of the machines. */
        readonly isContradicted: () => boolean;
        /** Returns whether accounts of machines were read within the last minute. */
        readonly isReadable: () => boolean;
        /** Reads accounts as callers do, unless they were read a moment ago. Throws `ChainUnreadable`. */
        readonly checkReadable: () => Promise<void>;
      }
    | undefined;
  readonly bindings: BindingRegistry | undefined;
  readonly counters: Readonly<AltUpstreamCounters>;
  readonly budget: Pick<CallBudget, 'report'>;
  /**
   * Returns every problem of the deployment. Never throws. While the last completed check contradicts the configuration of the
   * machines or of the bindings, their reads throw `ChainUnreadable`.
   */
  checkDeployment(): Promise<readonly DeploymentProblem[]>;
  /** Returns what was learned about each node, to be stored. */
  listProfiles(): NodeProfiles;
  /** Closes all connections; reads in flight fail. */
  close(): Promise<void>;
}

export interface AltChainDependencies {
  readonly clock: Clock;
  /**
   * Returns the Unix seconds of the newest block of the main chain, 0 while none is known. Nothing is read at a slot whose block is minutes
   * older, as that of a node that has stopped; without it no slot is compared.
   */
  readonly headSeconds?: (() => number) | undefined;
  readonly log: Log;
  readonly limits?: Partial<AltChainLimits> | undefined;
  /** Names what calls are made for; without it all reads are those of one caller, apart from the index. */
  readonly workScope?: WorkScope | undefined;
  /** False for a local chain that holds accounts but no programs. */
  readonly checksProgramAccounts?: boolean | undefined;
  /** Profiles of nodes that an earlier process stored. */
  readonly profiles?: NodeProfiles | undefined;
  /** Replaces HTTP in simulations. */
  readonly post?: PostRpc | undefined;
  /** Replaces real time in simulations. */
  readonly stopwatch?: Stopwatch | undefined;
}

export function createAltChain(config: AltChainConfig, dependencies: AltChainDependencies): AltChainAdapter {
  const { clock, log, post, workScope, stopwatch = REAL_STOPWATCH, checksProgramAccounts = true } = dependencies;
  const { genesisHash, ordinal, binding } = config;
  const limits = { ...ALT_CHAIN_LIMITS, ...dependencies.limits };
  const counters = createAltUpstreamCounters();
  const minContextSlot = createMinContextSlot();
  const budget = createCallBudget({ clock, stopwatch, callsPerSecond: config.callsPerSecond });
  const nodes = createAltNodes({
    budget,
    rpcUrls: config.rpcUrls,
    genesisHash,
    minContextSlot,
    clock,
    headSeconds: dependencies.headSeconds,
    log,
    limits,
    counters,
    post,
    stopwatch,
    profiles: dependencies.profiles,
  });
  const startReadFor = (work: ChainWork, isKnown: boolean) =>
    startDeadline(limits.readTimeoutMilliseconds, limits.requestTimeoutMilliseconds, stopwatch, { work, isKnown });
  const startRead = (isKnown: boolean) => startReadFor(workScope?.current() ?? UNNAMED_CALLER, isKnown);
  const startIndexRead = () =>
    startDeadline(limits.indexReadTimeoutMilliseconds, limits.indexRequestTimeoutMilliseconds, stopwatch, {
      work: workScope?.current() ?? INDEX_WORK,
      isKnown: true,
    });
  let isMachinesSound = true;
  let isBindingSound = true;

  function assertSound(isSound: boolean): void {
    if (!isSound) throw chainUnreadable('alt', 'wrong-deployment');
  }

  function createMachinePorts(programs: NonNullable<AltChainConfig['programs']>) {
    const { machineRegistry } = programs;
    const roles = toRoles(programs);
    const reads = createMachineReads({
      nodes,
      programs: roles,
      ordinal,
      clock,
      limits,
      counters,
      budget,
      startRead,
      stopwatch,
    });
    const isReadWithin = (milliseconds: number) =>
      stopwatch.nowMilliseconds() - reads.lastReadAtMilliseconds < milliseconds;
    const chain: AltChain = {
      ordinal,
      genesisHash,
      machineRegistry,
      async readMachine(id) {
        assertSound(isMachinesSound);
        workScope?.extend();
        return reads.read(id);
      },
      async readMachineUncached(id) {
        assertSound(isMachinesSound);
        return reads.readNow(id);
      },
    };
    const history = createAltHistory({
      nodes,
      programs: roles,
      ordinal,
      limits,
      stopwatch,
      startRead: startIndexRead,
      assertSound: () => assertSound(isMachinesSound),
      genesisHash,
    });
    return {
      chain,
      history,
      isContradicted: () => !isMachinesSound,
      isReadable: () => isReadWithin(limits.maxReadAgeMilliseconds),
      async checkReadable() {
        assertSound(isMachinesSound);
        if (!isReadWithin(limits.readCheckMilliseconds)) await reads.probe(startReadFor(HEAD_WORK, true));
      },
    };
  }

  function createBindings(program: BindingProgram): BindingRegistry {
    const registry = createBindingRegistry({ binding: program, nodes, clock, limits, budget, startRead });
    return {
      async readBinding(wallet) {
        assertSound(isBindingSound);
        return registry.readBinding(wallet);
      },
      isContradicted: () => !isBindingSound,
    };
  }

  return {
    machines: config.programs && createMachinePorts(config.programs),
    bindings: binding && createBindings(binding),
    counters,
    budget,
    async checkDeployment() {
      const verdict = await checkAltDeployment({
        genesisHash,
        ordinal,
        programs: config.programs && { ...toRoles(config.programs), infoDesk: config.programs.infoDesk },
        bindingProgram: binding?.program,
        checksProgramAccounts,
        nodes,
        deadline: startReadFor(HEAD_WORK, true),
      });
      isMachinesSound = verdict.isMachinesSound ?? isMachinesSound;
      isBindingSound = verdict.isBindingSound ?? isBindingSound;
      return verdict.problems;
    },
    listProfiles: nodes.listProfiles,
    close: () => nodes.close(),
  };
}

function toRoles(programs: NonNullable<AltChainConfig['programs']>): AltPrograms {
  const { machineRegistry, stateAndSync, subscription, eventRegistry } = programs;
  return { machineRegistry, stateAndSync, subscriptionTerminal: subscription, eventRegistry };
}
