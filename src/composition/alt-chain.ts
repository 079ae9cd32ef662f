/**
 * Opens the alt chain: its nodes, event history and machine ownership. Without the machines' programs only wallet
 * bindings are read.
 */
import { createAltChain, type AltChainAdapter } from '../adapters/alt-chain/create-alt-chain.ts';
import { createAltFleetWorker } from '../indexing/alt/fleet-snapshot.ts';
import { createAltIndexers } from '../indexing/alt/alt-indexers.ts';
import type { PaymentScanner } from '../indexing/payments/payment-scanner.ts';
import { createLastingCauses } from '../indexing/loops/lasting-causes.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { AltChainPorts } from '../ports/ctx.ts';
import { createDeploymentCheckLoop } from './deployment-check-loop.ts';
import { createReadCheckLoop } from './read-check-loop.ts';
import { refuseContradictions, refuseForeignRows } from './deployment-contradictions.ts';
import { nameLoop } from './named-loop.ts';
import { CLOCK, MONOTONIC_CLOCK, TIMERS } from './process-time.ts';
import type { ServiceStart } from './startup.ts';

export interface AltChainParts {
  readonly adapter: AltChainAdapter;
  /** Undefined: only bindings are read. */
  readonly ports: AltChainPorts | undefined;
  /** Runs in every process. */
  readonly loops: readonly PollLoop[];
  /** Run in the leader. */
  readonly workers: readonly PollLoop[];
  /** Resolves when events and ownership are indexed for the first time. */
  readonly caughtUp: Promise<unknown>;
}

/** Opens the alt chain. Undefined: none is configured. Throws `StartRefused`. */
export async function openAltChain(start: ServiceStart, payments?: PaymentScanner): Promise<AltChainParts | undefined> {
  const { log, shutdown, workScope, nodeProfiles: profiles } = start;
  const { altChain, pollIntervalSeconds } = start.config;
  if (altChain === undefined) return undefined;
  const { headSeconds } = start.trustedClock;
  const adapter = createAltChain(altChain, { clock: CLOCK, headSeconds, log, workScope, profiles });
  shutdown.add(() => adapter.close());
  const checks = createDeploymentCheckLoop({ chain: adapter, clock: CLOCK, timers: TIMERS, log });
  const checkLoop = nameLoop(checks, { kind: 'head' }, workScope);
  const { machines } = adapter;
  const { genesisHash, firstSlot, programs } = altChain;
  if (machines === undefined || programs === undefined) {
    await refuseContradictions(adapter, start);
    return { adapter, ports: undefined, loops: [checkLoop], workers: [], caughtUp: Promise.resolve() };
  }
  const { machineRegistry, eventRegistry } = programs;
  const pollIntervalMilliseconds = pollIntervalSeconds * 1000;
  const causes = createLastingCauses({ clock: CLOCK, log, pollIntervalMilliseconds });
  const shared = { history: machines.history, store: start.store, clock: CLOCK, timers: TIMERS, log, causes };
  const indexers = createAltIndexers({
    ...shared,
    monotonicClock: MONOTONIC_CLOCK,
    fxRates: start.fxRates,
    payments,
    deployment: { genesisHash, eventRegistry, firstSlot },
    pollIntervalMilliseconds,
  });
  const readLoop = createReadCheckLoop({ machines, causes, clock: CLOCK, timers: TIMERS, log });
  const fleet = createAltFleetWorker({ ...shared, deployment: { genesisHash, machineRegistry }, pollIntervalSeconds });
  await refuseContradictions(adapter, start);
  await refuseForeignRows(indexers, 'alt-index-other-deployment', start);
  return {
    adapter,
    ports: {
      chain: machines.chain,
      isContradicted: machines.isContradicted,
      isReadable: machines.isReadable,
      index: indexers.index,
      indexHealth: { listCauses: causes.list },
    },
    loops: [checkLoop, readLoop],
    workers: [indexers.worker, fleet.loop].map((loop) => nameLoop(loop, { kind: 'index' }, workScope)),
    caughtUp: Promise.all([indexers.caughtUp, fleet.caughtUp]),
  };
}
