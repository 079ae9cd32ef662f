/**
 * Where does a machine live, and what do the chains that know of it say? (chain-evm 3.6, chain-svm 4.) The main chain is asked first; where
 * it names no home here, the alt chain is, and a machine is absent only when both have said so.
 * Everything here throws `ServiceNotInitialised`, `MachineAbsent`, `MachineRelocating`, `MachineHomedElsewhere`, `ChainUnreadable`.
 */
import type { AltDeployment } from '../domain/alt-chain/alt-deployment.ts';
import type { AltMachine, AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import { judgeAltMachine, judgeConfirmation } from '../domain/alt-chain/alt-machine-home.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { judgeHome, type MachineHome } from '../domain/machine/machine-home.ts';
import type { DeploymentFacts, MachineSnapshot } from '../domain/machine/machine-facts.ts';
import type { AltChainPorts, Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { CachedMachine } from '../ports/main-chain.ts';
import type { MaybePromise } from './maybe-async.ts';

export interface FoundMachine {
  readonly main: MainChainPorts;
  /** What the main chain says of it. Of a machine that lives on the alt chain: its bond and its flags. */
  readonly snapshot: MachineSnapshot;
  readonly deployment: DeploymentFacts;
  /** Undefined: it lives on the main chain. */
  readonly alt: FoundAltMachine | undefined;
}

export interface FoundAltMachine extends AltChainPorts {
  readonly machine: AltMachine;
  readonly snapshot: AltMachineSnapshot;
  readonly deployment: AltDeployment;
}

/** Whether what is kept serves, or the chains are asked after the call: a write is judged by nothing that is kept. */
type Currency = 'kept' | 'now';

/** A machine of a chain that is served; every other is a fault. Does not wait for a main-chain machine that is kept. */
export function findMachine(
  ctx: Ctx,
  id: MachineId,
  { firstEvents }: { readonly firstEvents: boolean },
): MaybePromise<FoundMachine> {
  const main = requireMain(ctx);
  const kept = main.chain.getCached(id, firstEvents);
  return kept === undefined
    ? readAnew(ctx, main, id, firstEvents).then((facts) => settleHome(ctx, main, facts, 'kept'))
    : settleHome(ctx, main, kept, 'kept');
}

/** The same, from facts that are asked for after the call. */
export async function findMachineUncached(ctx: Ctx, id: MachineId): Promise<FoundMachine> {
  const main = requireMain(ctx);
  return settleHome(ctx, main, await main.chain.readMachineUncached(id), 'now');
}

export function requireMain({ main }: Ctx): MainChainPorts {
  if (main === undefined) throw new Fault('ServiceNotInitialised', {});
  return main;
}

function settleHome(
  ctx: Ctx,
  main: MainChainPorts,
  facts: CachedMachine,
  currency: Currency,
): MaybePromise<FoundMachine> {
  const { snapshot, deployment } = facts;
  const home = judgeFacts(ctx, facts);
  if (home === 'main') return { main, snapshot, deployment, alt: undefined };
  if (ctx.alt === undefined) throw new Fault('MachineAbsent', {});
  return findOnAltChain(ctx, ctx.alt, main, facts, home, currency);
}

async function findOnAltChain(
  ctx: Ctx,
  alt: AltChainPorts,
  main: MainChainPorts,
  facts: CachedMachine,
  home: Exclude<MachineHome, 'main'>,
  currency: Currency,
): Promise<FoundMachine> {
  const { id } = facts.snapshot;
  const { snapshot, deployment } = await (currency === 'now'
    ? alt.chain.readMachineUncached(id)
    : alt.chain.readMachine(id));
  const existence = judgeAltMachine(home, snapshot.machine);
  if (existence.kind === 'present') {
    const { machine } = existence;
    noteContradiction(ctx, facts.snapshot, machine);
    return { main, ...facts, alt: { ...alt, machine, snapshot, deployment } };
  }
  if (existence.kind === 'absent') throw new Fault('MachineAbsent', {});
  const again = await main.chain.readMachineUncached(id);
  if (judgeConfirmation(judgeFacts(ctx, again)) === 'absent') throw new Fault('MachineAbsent', {});
  // Once: a home that is not the alt chain leaves nothing to confirm.
  return settleHome(ctx, main, again, 'now');
}

function judgeFacts({ alt }: Ctx, { snapshot, deployment }: CachedMachine): MachineHome {
  return judgeHome(snapshot, { local: deployment.localOrdinal, alt: alt?.chain.ordinal });
}

async function readAnew(ctx: Ctx, main: MainChainPorts, id: MachineId, firstEvents: boolean): Promise<CachedMachine> {
  const { fingerprint } = ctx.fxRates.current();
  const eventsFrom = async () => (await ctx.store.readRatingState('second', id, fingerprint))?.nextSeq ?? 0;
  const [deployment, snapshot] = await Promise.all([
    main.chain.readDeployment(),
    main.chain.readMachine(id, { eventsFrom, firstEvents }),
  ]);
  return { deployment, snapshot };
}

/** Snapshots whose contradiction is logged: one line for each. */
const createLogged = () => new WeakSet<MachineSnapshot>();

/** The machine's own account wins; the link to the main chain is pushed there later, by anyone. */
function noteContradiction({ log, actionState }: Ctx, snapshot: MachineSnapshot, { operator }: AltMachine): void {
  const logged = actionState.of(createLogged);
  if (snapshot.operator.state !== 'present' || snapshot.operator.value === operator || logged.has(snapshot)) return;
  logged.add(snapshot);
  log.warn({ machine: String(snapshot.id) }, 'the chains name different operators');
}
