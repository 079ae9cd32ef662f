/**
 * Reads and applies opt-in decisions ("Monetization routes" of the interface, http-facts 9). The order of checks is that of http-facts 9.4;
 * the domain judges, and only the store decides which of two decisions is newer.
 */
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { findDidController } from '../domain/machine/did-controller.ts';
import type { BlockRef } from '../domain/machine/machine-facts.ts';
import type { DecidingHome, DecidingMachine } from '../domain/monetization/deciding-machine.ts';
import { concludeDecision, judgeDecision } from '../domain/monetization/decision-judgement.ts';
import { parseDecisionRequest, type DecisionRequest } from '../domain/monetization/decision-request.ts';
import type { DecisionAuthority } from '../domain/monetization/decision-log.ts';
import { isEntitled } from '../domain/monetization/decision-signer.ts';
import { judgeWindow } from '../domain/monetization/decision-window.ts';
import type { PublishedDeployment, SignedDecision } from '../domain/monetization/decision.ts';
import { unwrap } from '../domain/read-result.ts';
import { NATIVE_CURVES } from '../domain/signatures/native-curves.ts';
import { createSignatureChecks } from '../domain/signatures/signature-checks.ts';
import type { JsonValue } from '../domain/json/strict-json.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import { findRetention } from './decision-log.ts';
import { enterCommitPhase, type RequestScope } from './request-scope.ts';
import {
  findExitingMachine,
  findMachine,
  findMachineUncached,
  requireMain,
  type FoundMachine,
} from './find-machine.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';

const SIGNATURE_CHECKS = createSignatureChecks(NATIVE_CURVES);

export interface DecisionState {
  readonly id: MachineId;
  /** Undefined: no decision yet. */
  readonly inForce: SignedDecision | undefined;
  /** Whether its signer is owner or controller now; undefined: unreadable, or no decision yet. */
  readonly isSignerCurrent: boolean | undefined;
  /** Block at which the machine was found. */
  readonly block: BlockRef;
}

/** Returns the deployment that every signature is bound to, from configuration only. Throws `ServiceNotInitialised`. */
export function getPublishedDeployment(ctx: Ctx): PublishedDeployment {
  return publish(requireMain(ctx));
}

/** Returns the decision in force; the machine only has to exist. Throws what every read throws, and `StoreUnavailable`. */
export async function getDecision(ctx: Ctx, id: MachineId): Promise<DecisionState> {
  const found = await findMachine(ctx, id, { firstEvents: false });
  const inForce = await ctx.store.readDecision(id);
  const isSignerCurrent = inForce && isEntitled(inForce.signer, toDecidingMachine(found));
  return { id, inForce, isSignerCurrent, block: found.snapshot.block };
}

/**
 * Applies a decision; it is on disk when this resolves. Throws every `DecisionRefusal`, `ClockInvalid`, what every read throws, and `StoreUnavailable`.
 * An aborted request is not applied.
 */
export async function putDecision(
  ctx: Ctx,
  id: MachineId,
  body: JsonValue,
  scope: RequestScope,
): Promise<DecisionState> {
  const request = readRequest(ctx, body);
  const located = await (request.optedIn ? findMachineUncached(ctx, id) : findExitingMachine(ctx, id));
  // The block of the authority may be newer than the head by which the clock was judged before.
  const now = requireTrustedSeconds(ctx, located.snapshot.block);
  const terms = { namespace: ctx.namespace, deployment: publish(located.main), checks: SIGNATURE_CHECKS };
  const { decision, message, impediment, refusal } = judgeDecision(terms, id, request, toDecidingMachine(located));
  if (refusal !== undefined) throw refusal;
  const proven = { ...decision, message, signature: signatureOf(request), authority: readAuthority(located) };
  const retention = await findRetention(ctx, id, now);
  enterCommitPhase(scope);
  const isNewer =
    impediment === undefined
      ? await ctx.store.applyDecision({ ...proven, appliedAtMilliseconds: ctx.clock.nowMilliseconds() }, retention)
      : await isNewest(ctx, decision);
  const refused = concludeDecision(impediment, isNewer);
  if (refused !== undefined) throw refused;
  return { id, inForce: decision, isSignerCurrent: true, block: located.snapshot.block };
}

/** Validates the members, then the window. */
function readRequest(ctx: Ctx, body: JsonValue): DecisionRequest {
  const { request, refusal } = parseDecisionRequest(body);
  if (refusal !== undefined) throw refusal;
  const outside = judgeWindow(request.timestamp, requireTrustedSeconds(ctx));
  if (outside !== undefined) throw outside;
  return request;
}

function toDecidingMachine({ snapshot, deployment: globals, alt }: FoundMachine): DecidingMachine {
  const home: DecidingHome =
    alt === undefined ? { chain: 'main' } : { chain: 'alt', ordinal: alt.chain.ordinal, owner: alt.machine.owner };
  return { home, snapshot, globals };
}

function signatureOf({ proof }: DecisionRequest): string {
  if (proof.kind === 'mixed') throw new Error('a mixed proof was accepted');
  return proof.signature;
}

/** Returns who was entitled to decide. Throws `ChainUnreadable`; an accepted decision of the main chain depends on these facts. */
function readAuthority({ snapshot, alt }: FoundMachine): DecisionAuthority {
  const { number, hash } = snapshot.block;
  const block = { number, hash };
  if (alt === undefined) {
    const owner = unwrap(snapshot.owner);
    return { owner, controller: findDidController(snapshot, owner), block, slot: undefined };
  }
  const { owner, controller = owner } = alt.machine;
  return { owner, controller, block, slot: alt.snapshot.slot };
}

/** Compares a decision that will not be applied, to choose the reported refusal. */
async function isNewest(ctx: Ctx, { machineId, timestamp }: SignedDecision): Promise<boolean> {
  const inForce = await ctx.store.readDecision(machineId);
  return inForce === undefined || timestamp > inForce.timestamp;
}

function publish({ chain }: MainChainPorts): PublishedDeployment {
  return { chainId: String(chain.chainId), registry: chain.machineRegistry };
}
