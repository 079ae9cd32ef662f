/**
 * Finds a machine and its facts on its home chain (chain-evm 3.6, chain-svm 4). The main chain is read first; where it names no home here,
 * the alt chain is read. A machine is absent only when both chains say so.
 * Everything here throws `ServiceNotInitialised`, `MachineAbsent`, `MachineRelocating`, `MachineHomedElsewhere`, `ChainUnreadable`.
 */
import type { AltDeployment } from '../domain/alt-chain/alt-deployment.ts';
import type { AltMachine, AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import { judgeAltMachine, judgeConfirmation } from '../domain/alt-chain/alt-machine-home.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { judgeHome, type MachineHome } from '../domain/machine/machine-home.ts';
import type { DeploymentFacts, MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { AltChainPorts, Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { CachedMachine } from '../ports/main-chain.ts';
import { chain, type MaybePromise } from './maybe-async.ts';
import { raceTimeout } from './race-timeout.ts';
import { watchFacts } from './refused-ratings.ts';

const POSITION_TIMEOUT_MILLISECONDS = 250;

export interface FoundMachine {
  readonly main: MainChainPorts;
  /** Facts on the main chain; for a machine of the alt chain only bond and flags apply. */
  readonly snapshot: MachineSnapshot;
  readonly deployment: DeploymentFacts;
  /** Undefined: a machine of the main chain. */
  readonly alt: FoundAltMachine | undefined;
}

export interface FoundAltMachine extends AltChainPorts {
  readonly machine: AltMachine;
  readonly snapshot: AltMachineSnapshot;
  readonly deployment: AltDeployment;
}

/** Whether cached facts may be used. Writes are judged by fresh facts only. */
type Freshness = 'cached' | 'fresh';

export interface FindOptions {
  readonly firstEvents: boolean;
  /** False: an unavailable database only costs the position of the newest events, which the caller does not use. */
  readonly needsStore?: boolean;
}

/** Finds a machine of a served chain; any other is a fault. Returns a cached main-chain machine synchronously. */
export function findMachine(ctx: Ctx, id: MachineId, options: FindOptions): MaybePromise<FoundMachine> {
  const main = requireMain(ctx);
  return chain(readMainFacts(ctx, main, id, options), (facts) => {
    const settle = () => settleHome(ctx, main, facts, 'cached');
    // A read that needs no store must not wait for the state of the index.
    return options.needsStore === false ? settle() : watchFacts(ctx, facts, settle);
  });
}

/** Returns the facts of a machine on the main chain, wherever its home is. */
export function readMainFacts(
  ctx: Ctx,
  main: MainChainPorts,
  id: MachineId,
  options: FindOptions,
): MaybePromise<CachedMachine> {
  return main.chain.getCached(id, options.firstEvents) ?? readFacts(ctx, main, id, options);
}

/** Finds a machine of a served chain from reads that start after the call; any other is a fault. */
export async function findMachineUncached(ctx: Ctx, id: MachineId): Promise<FoundMachine> {
  const main = requireMain(ctx);
  return settleHome(ctx, main, await main.chain.readMachineUncached(id), 'fresh');
}

/**
 * Finds a machine that is to be opted out, from reads that start after the call: a machine can always exit. A relocating machine is found on
 * the chain that still holds its token or account; `MachineRelocating` means that neither shows who may sign.
 */
export async function findExitingMachine(ctx: Ctx, id: MachineId): Promise<FoundMachine> {
  const main = requireMain(ctx);
  const facts = await main.chain.readMachineUncached(id);
  const { relocating } = facts.snapshot;
  if (relocating.state === 'present' && relocating.value) return findHolder(ctx, main, facts);
  try {
    return await settleHome(ctx, main, facts, 'fresh');
  } catch (error) {
    if (error instanceof Fault && error.kind === 'MachineRelocating') return findHolder(ctx, main, facts);
    throw error;
  }
}

/** Finds the holder of a relocating machine: the main chain while it has the token, else the alt chain while it has the account. */
async function findHolder({ alt }: Ctx, main: MainChainPorts, facts: CachedMachine): Promise<FoundMachine> {
  const { id, owner, homeOrdinal } = facts.snapshot;
  if (unwrapOptional(owner) !== undefined) return { main, ...facts, alt: undefined };
  const account = alt && (await alt.chain.readMachineUncached(id));
  const machine = account && unwrapOptional(account.snapshot.machine, 'alt');
  // A machine that has arrived elsewhere leaves its account behind for a while.
  const isLeft = machine?.relocating === true && ![0, alt?.chain.ordinal].includes(unwrap(homeOrdinal));
  if (machine === undefined || isLeft) throw new Fault('MachineRelocating', {});
  return { main, ...facts, alt: { ...alt!, machine, ...account! } };
}

export function requireMain({ main }: Pick<Ctx, 'main'>): MainChainPorts {
  if (main === undefined) throw new Fault('ServiceNotInitialised', {});
  return main;
}

function settleHome(
  ctx: Ctx,
  main: MainChainPorts,
  facts: CachedMachine,
  freshness: Freshness,
): MaybePromise<FoundMachine> {
  const { snapshot, deployment } = facts;
  const home = judgeFacts(ctx, facts);
  if (home === 'main') return { main, snapshot, deployment, alt: undefined };
  if (ctx.alt === undefined) throw new Fault('MachineAbsent', {});
  return findOnAltChain(ctx, ctx.alt, main, facts, home, freshness);
}

async function findOnAltChain(
  ctx: Ctx,
  alt: AltChainPorts,
  main: MainChainPorts,
  facts: CachedMachine,
  home: Exclude<MachineHome, 'main'>,
  freshness: Freshness,
): Promise<FoundMachine> {
  const { id } = facts.snapshot;
  const { snapshot, deployment } = await (freshness === 'fresh'
    ? alt.chain.readMachineUncached(id)
    : alt.chain.readMachine(id));
  const existence = judgeAltMachine(home, snapshot.machine);
  if (existence.kind === 'present') {
    const { machine } = existence;
    logContradiction(ctx, facts.snapshot, machine);
    return { main, ...facts, alt: { ...alt, machine, snapshot, deployment } };
  }
  if (existence.kind === 'absent') throw new Fault('MachineAbsent', {});
  const again = await main.chain.readMachineUncached(id);
  if (judgeConfirmation(judgeFacts(ctx, again)) === 'absent') throw new Fault('MachineAbsent', {});
  // At most once: a home other than the alt chain leaves nothing to confirm.
  return settleHome(ctx, main, again, 'fresh');
}

/** Returns the home that the facts name, as `judgeHome` does. */
export function judgeFacts({ alt }: Ctx, { snapshot, deployment }: CachedMachine): MachineHome {
  return judgeHome(snapshot, { local: deployment.localOrdinal, alt: alt?.chain.ordinal });
}

async function readFacts(
  ctx: Ctx,
  main: MainChainPorts,
  id: MachineId,
  { firstEvents, needsStore = true }: FindOptions,
): Promise<CachedMachine> {
  const { fingerprint } = ctx.fxRates.current();
  const readPosition = async () => (await ctx.store.readRatingState('current', id, fingerprint))?.nextSeq ?? 0;
  const eventsFrom = needsStore ? readPosition : () => readIfAvailable(ctx, readPosition());
  const [deployment, snapshot] = await Promise.all([
    main.chain.readDeployment(),
    main.chain.readMachine(id, { eventsFrom, firstEvents }),
  ]);
  return { deployment, snapshot };
}

/** Returns the position, or that of the first event when the database does not respond at once. */
async function readIfAvailable({ timers }: Ctx, position: Promise<number>): Promise<number> {
  try {
    return await raceTimeout(timers, POSITION_TIMEOUT_MILLISECONDS, position, 0);
  } catch (error) {
    if (error instanceof Fault) return 0;
    throw error;
  }
}

/** Snapshots whose contradiction is logged: one line for each. */
const createLogged = () => new WeakSet<MachineSnapshot>();

/** Logs different operators on the two chains. The machine's account wins; anyone may sync the main chain later. */
function logContradiction({ log, actionState }: Ctx, snapshot: MachineSnapshot, { operator }: AltMachine): void {
  const logged = actionState.of(createLogged);
  if (snapshot.operator.state !== 'present' || snapshot.operator.value === operator || logged.has(snapshot)) return;
  logged.add(snapshot);
  log.warn({ machine: String(snapshot.id) }, 'the chains name different operators');
}
