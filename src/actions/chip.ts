/**
 * Chip onboarding: issues challenges and accepts evidence (`POST /v1/verify/chip/challenge` and `/evidence`; evidence 4 and 8). The order
 * of checks is that of the specification: form, clock, challenge, certificate, signatures, then chain and store. The limits on open
 * challenges and their single use are decided in the store's transactions (`adapters/sql/service/chip-store.ts`).
 */
import { requireChallengeEligible } from '../domain/evidence/challenge-eligibility.ts';
import * as steps from '../domain/evidence/evidence-steps.ts';
import { toEvidenceRecord, toReceipt, type Receipt } from '../domain/evidence/evidence-record.ts';
import { nonceHashOf, toHex, type Hex } from '../domain/evidence/signed-bytes.ts';
import { Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import { NATIVE_CURVES } from '../domain/signatures/native-curves.ts';
import { createSignatureChecks } from '../domain/signatures/signature-checks.ts';
import type { OnboardingConfig } from '../ports/onboarding.ts';
import type { StoredEvidenceRecord } from '../ports/store.ts';
import type { Ctx } from '../ports/ctx.ts';
import { enterCommitPhase, throwIfAborted, type RequestScope } from './request-scope.ts';
import { readTrustedSeconds, requireTrustedSeconds } from './trusted-clock.ts';
import { runExclusive } from './challenge-queue.ts';
import { requireMain } from './find-machine.ts';

const SIGNATURE_CHECKS = createSignatureChecks(NATIVE_CURVES);

/** Challenge as returned to the caller, once; the nonce is not stored. */
export interface IssuedChallenge {
  readonly machineId: MachineId;
  readonly chainId: number;
  /** Effective controller, who signs the controller's proof. */
  readonly didController: Address;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly nonce: Hex;
}

/** Limits on open challenges, which are neither consumed nor expired (evidence 13). */
const CAPS = { perMachine: 5, total: 10_000 };

/**
 * Issues a challenge. Throws `MachineAbsent`, `MachineRelocating`, `MachineDeactivated`, `ChainUnreadable`, `ServiceNotInitialised`, `ClockInvalid`,
 * `ChallengesExhausted`, `StoreUnavailable`.
 */
export async function issueChallenge(ctx: Ctx, machineId: MachineId, scope: RequestScope): Promise<IssuedChallenge> {
  const onboarding = requireOnboarding(ctx);
  const main = requireMain(ctx);
  const { snapshot, deployment } = await main.chain.readMachineUncached(machineId);
  const { didController } = requireChallengeEligible(snapshot, { local: deployment.localOrdinal });
  const issuedAt = requireTrustedSeconds(ctx, snapshot.block);
  const nonce = toHex(onboarding.createNonce());
  const expiresAt = issuedAt + onboarding.challengeLifetimeSeconds;
  const { chainId } = main.chain;
  enterCommitPhase(scope);
  const challenge = { nonceHash: nonceHashOf(nonce), machineId, didController, chainId, issuedAt, expiresAt };
  if (!(await ctx.store.insertChallenge(challenge, CAPS))) throw new Fault('ChallengesExhausted', {});
  return { machineId, chainId, didController, expiresAt, nonce };
}

/**
 * Judges an evidence document and stores it as accepted. Throws every `EvidenceRefusalKind`, `RequestMalformed`, `MachineAbsent`,
 * `MachineRelocating`, `ChainUnreadable`, `StoreUnavailable`.
 */
export async function acceptEvidence(ctx: Ctx, body: Uint8Array, scope: RequestScope): Promise<Receipt> {
  const onboarding = requireOnboarding(ctx);
  const rules = { namespace: ctx.namespace, trust: onboarding.trust, checks: SIGNATURE_CHECKS };
  const supported = steps.requireSupported(steps.requireCanonical(steps.requireWellFormed(body)), rules);
  return runExclusive(ctx, supported.nonceHash, () => judgeChallenged(ctx, onboarding, supported, scope));
}

/** Runs the steps from step 9 on. */
async function judgeChallenged(
  ctx: Ctx,
  onboarding: OnboardingConfig,
  supported: steps.SupportedEvidence,
  scope: RequestScope,
): Promise<Receipt> {
  throwIfAborted(scope);
  const { namespace, store } = ctx;
  const rules = { namespace, trust: onboarding.trust, checks: SIGNATURE_CHECKS };
  const main = requireMain(ctx);
  const timed = steps.requireClock(supported, readTrustedSeconds(ctx));
  scope.setPhase('store');
  const lookup = await store.findChallenge(timed.nonceHash, timed.evidenceHash);
  const matching = steps.requireMatch(steps.requireChallenge(timed, lookup), rules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, rules));
  const proven = steps.requireControllerProof(steps.requireChipProof(bound, rules), rules);
  scope.setPhase('chain');
  const { snapshot, deployment } = await main.chain.readMachineUncached(proven.challenge.machineId);
  const ordinals = { local: deployment.localOrdinal, alt: undefined };
  const acceptable = steps.requireMachine(proven, { snapshot, ordinals, chainId: main.chain.chainId });
  const receivedAt = requireTrustedSeconds(ctx, snapshot.block);
  enterCommitPhase(scope);
  const outcome = await store.consumeChallenge(
    acceptable.nonceHash,
    toStored(toEvidenceRecord(acceptable, receivedAt, namespace), onboarding),
  );
  return toReceipt(steps.requireAccepted(acceptable, outcome, receivedAt), namespace);
}

/** Drops the document where the deployment stores hashes only. */
function toStored(record: StoredEvidenceRecord, { storesEvidence }: OnboardingConfig): StoredEvidenceRecord {
  return storesEvidence ? record : { ...record, evidence: undefined };
}

function requireOnboarding({ onboarding }: Ctx): OnboardingConfig {
  if (onboarding === undefined) throw new Fault('OnboardingUnauthorized', {});
  return onboarding;
}
