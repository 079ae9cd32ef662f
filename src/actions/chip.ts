/**
 * May a chip be proven, and does this document prove it? (`POST /v1/verify/chip/challenge` and `/evidence`; evidence 4 and 8.) The order is
 * that of the specification: form, clock, challenge, certificate, signatures, and only then the chain and the store.
 */
import { requireChallengeEligible } from '../domain/evidence/challenge-eligibility.ts';
import type { TrustedSeconds } from '../domain/evidence/trusted-clock.ts';
import * as steps from '../domain/evidence/evidence-steps.ts';
import { toEvidenceRecord, toReceipt, type Receipt } from '../domain/evidence/evidence-record.ts';
import { nonceHashOf, toHex, type Hex } from '../domain/evidence/signed-bytes.ts';
import { Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import { NATIVE_CHECKS } from '../domain/signatures/native-checks.ts';
import type { OnboardingConfig } from '../ports/onboarding.ts';
import type { StoredEvidenceRecord } from '../ports/store.ts';
import type { Ctx } from '../ports/ctx.ts';
import { enterCommitPhase, throwIfAborted, type RequestScope } from './request-scope.ts';
import { readClock, readTrustedSeconds } from './trusted-clock.ts';
import { runExclusive } from './challenge-queue.ts';
import { requireMain } from './find-machine.ts';

/** What the caller is told once; the nonce is nowhere else. */
export interface IssuedChallenge {
  readonly machineId: MachineId;
  readonly chainId: number;
  /** Effective controller: who signs the controller's proof. */
  readonly didController: Address;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly nonce: Hex;
}

/** Open challenges: neither consumed nor expired (evidence 13). */
const CAPS = { perMachine: 5, inAll: 10_000 };

/**
 * Throws `MachineAbsent`, `MachineRelocating`, `MachineDeactivated`, `ChainUnreadable`, `ServiceNotInitialised`, `ClockInvalid`,
 * `ChallengesExhausted`, `StoreUnavailable`.
 */
export async function issueChallenge(ctx: Ctx, machineId: MachineId, awaiting: RequestScope): Promise<IssuedChallenge> {
  const chip = requireChip(ctx);
  const main = requireMain(ctx);
  const { snapshot, deployment } = await main.chain.readMachineUncached(machineId);
  const { didController } = requireChallengeEligible(snapshot, { local: deployment.localOrdinal });
  const issuedAt = requireClock(ctx);
  const nonce = toHex(chip.createNonce());
  const expiresAt = issuedAt + chip.challengeLifetimeSeconds;
  const { chainId } = main.chain;
  enterCommitPhase(awaiting);
  const challenge = { nonceHash: nonceHashOf(nonce), machineId, didController, chainId, issuedAt, expiresAt };
  if (!(await ctx.store.insertChallenge(challenge, CAPS))) throw new Fault('ChallengesExhausted', {});
  return { machineId, chainId, didController, expiresAt, nonce };
}

/**
 * Judges an evidence document and stores it as accepted. Throws every `EvidenceRefusalKind`, `RequestMalformed`, `MachineAbsent`,
 * `MachineRelocating`, `ChainUnreadable`, `StoreUnavailable`.
 */
export async function acceptEvidence(ctx: Ctx, body: Uint8Array, awaiting: RequestScope): Promise<Receipt> {
  const chip = requireChip(ctx);
  const rules = { namespace: ctx.namespace, trust: chip.trust, checks: NATIVE_CHECKS };
  const supported = steps.requireSupported(steps.requireCanonical(steps.requireWellFormed(body)), rules);
  return runExclusive(ctx, supported.nonceHash, () => judgeChallenged(ctx, chip, supported, awaiting));
}

/** From step 9 on. */
async function judgeChallenged(
  ctx: Ctx,
  chip: OnboardingConfig,
  supported: steps.SupportedEvidence,
  awaiting: RequestScope,
): Promise<Receipt> {
  throwIfAborted(awaiting);
  const { namespace, store } = ctx;
  const rules = { namespace, trust: chip.trust, checks: NATIVE_CHECKS };
  const main = requireMain(ctx);
  const { nowMilliseconds, latestMilliseconds } = readClock(ctx);
  const timed = steps.requireClock(supported, nowMilliseconds, latestMilliseconds);
  awaiting.setPhase('store');
  const lookup = await store.findChallenge(timed.nonceHash, timed.evidenceHash);
  const matching = steps.requireMatch(steps.requireChallenge(timed, lookup), rules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, rules));
  const proven = steps.requireControllerProof(steps.requireChipProof(bound, rules), rules);
  awaiting.setPhase('chain');
  const { snapshot, deployment } = await main.chain.readMachineUncached(proven.challenge.machineId);
  const ordinals = { local: deployment.localOrdinal, alt: undefined };
  const acceptable = steps.requireMachine(proven, { snapshot, ordinals, chainId: main.chain.chainId });
  const receivedAt = requireClock(ctx);
  enterCommitPhase(awaiting);
  const outcome = await store.consumeChallenge(
    acceptable.nonceHash,
    keep(toEvidenceRecord(acceptable, receivedAt, namespace), chip),
  );
  return toReceipt(steps.requireAccepted(acceptable, outcome, receivedAt), namespace);
}

function keep(intake: StoredEvidenceRecord, { storesEvidence }: OnboardingConfig): StoredEvidenceRecord {
  return storesEvidence ? intake : { ...intake, evidence: undefined };
}

function requireChip({ onboarding: chip }: Ctx): OnboardingConfig {
  if (chip === undefined) throw new Fault('OnboardingUnauthorized', {});
  return chip;
}

function requireClock(ctx: Ctx): TrustedSeconds {
  const now = readTrustedSeconds(ctx);
  if (now === undefined) throw new Fault('ClockInvalid', {});
  return now;
}
