/**
 * Test support: the evidence route in memory, for requests of the published vectors. Store and chain are played from the `world` of a case;
 * everything else is the service's own rules, in the order of evidence 8.
 */
import { Fault } from '../src/domain/faults.ts';
import { parseAddress, type MachineId } from '../src/domain/identifiers.ts';
import type { ChallengeLookup, ChallengeRecord } from '../src/domain/evidence/challenge-record.ts';
import type { TrustedSeconds } from '../src/domain/evidence/clock.ts';
import * as steps from '../src/domain/evidence/evidence-steps.ts';
import {
  fromBase64,
  vectorNamespace,
  vectorRules,
  type RequestCase,
  type VectorChallenge,
  type VectorWorld,
} from '../src/domain/evidence/evidence-vectors.ts';
import { toIntake, toReceipt, type Intake, type Receipt } from '../src/domain/evidence/intake.ts';
import type { MachineStanding } from '../src/domain/evidence/machine-standing.ts';
import { EvidenceRefusal, type EvidenceRefusalKind } from '../src/domain/evidence/refusal.ts';
import type { Hex } from '../src/domain/evidence/signed-bytes.ts';
import type { Reading } from '../src/domain/machine-facts.ts';
import { acceptsJson, createOnboardingGate, declaresPlainJson } from '../src/http/verify-headers.ts';

export type Answer =
  | { readonly status: number; readonly code: string; readonly receipt?: never }
  | { readonly status: 202; readonly code: null; readonly receipt: Receipt };

const MAX_TRANSPORT_BYTES = 32_768;

/** The rows that the error table of the route will have (evidence 14). */
const REFUSALS: Readonly<Record<EvidenceRefusalKind, readonly [status: number, code: string]>> = {
  EvidenceNotCanonical: [400, 'EVIDENCE_NOT_CANONICAL'],
  EvidenceUnsupported: [422, 'EVIDENCE_UNSUPPORTED'],
  ClockInvalid: [503, 'VERIFY_CLOCK_INVALID'],
  ChallengeUnknown: [404, 'CHALLENGE_NOT_FOUND'],
  EvidenceAlreadyAccepted: [409, 'EVIDENCE_ALREADY_ACCEPTED'],
  ChallengeConsumed: [409, 'CHALLENGE_CONSUMED'],
  ChallengeExpired: [409, 'CHALLENGE_EXPIRED'],
  EvidenceMismatch: [422, 'EVIDENCE_MISMATCH'],
  CertificateInvalid: [422, 'CERTIFICATE_INVALID'],
  CertificateUnsupported: [422, 'CERTIFICATE_UNSUPPORTED'],
  CertificateUntrusted: [422, 'CERTIFICATE_UNTRUSTED'],
  ChipProofInvalid: [422, 'CHIP_PROOF_INVALID'],
  ControllerProofInvalid: [422, 'CONTROLLER_PROOF_INVALID'],
  MachineDeactivated: [409, 'MACHINE_DEACTIVATED'],
  ControllerChanged: [409, 'CONTROLLER_CHANGED'],
};

const FAULTS: Readonly<Record<string, readonly [status: number, code: string]>> = {
  RequestMalformed: [400, 'INVALID_REQUEST'],
  MachineAbsent: [404, 'MACHINE_NOT_FOUND'],
  MachineRelocating: [503, 'CHAIN_UNAVAILABLE'],
  ChainUnreadable: [503, 'CHAIN_UNAVAILABLE'],
  StoreUnavailable: [503, 'VERIFY_STORE_UNAVAILABLE'],
};

const present = <T>(value: T): Reading<T> => ({ state: 'present', value });

/** One service with one challenge. */
export class EvidenceWorld {
  readonly #world: VectorWorld;
  readonly #admits: (headers: readonly string[]) => boolean;
  readonly intakes: Intake[] = [];
  challenge: ChallengeRecord;

  constructor(world: VectorWorld) {
    this.#world = world;
    this.#admits = createOnboardingGate([world.onboardingToken]);
    this.challenge = toRecord(world.challenge);
  }

  /** Steps 1 to 15. */
  answer({ method, headers, bodyBase64 }: RequestCase['request']): Answer {
    const raw = headers.flat();
    if (method !== 'POST') return { status: 405, code: 'METHOD_NOT_ALLOWED' };
    if (!this.#admits(raw)) return { status: 401, code: 'ONBOARDING_AUTH_REQUIRED' };
    if (!acceptsJson(raw)) return { status: 406, code: 'NOT_ACCEPTABLE' };
    if (!declaresPlainJson(raw)) return { status: 400, code: 'INVALID_REQUEST' };
    const body = fromBase64(bodyBase64);
    if (body.length > MAX_TRANSPORT_BYTES) return { status: 413, code: 'REQUEST_TOO_LARGE' };
    try {
      return { status: 202, code: null, receipt: this.#accept(body) };
    } catch (error) {
      const row = error instanceof EvidenceRefusal ? REFUSALS[error.kind] : undefined;
      const [status, code] = row ?? (error instanceof Fault ? FAULTS[error.kind] : undefined) ?? [];
      if (status === undefined || code === undefined) throw error;
      return { status, code };
    }
  }

  #accept(body: Uint8Array): Receipt {
    const canonical = steps.requireCanonical(steps.requireWellFormed(body));
    const supported = steps.requireSupported(canonical, vectorRules);
    const timed = steps.requireClock(supported, this.#world.now * 1000, 0);
    const challenged = steps.requireChallenge(timed, this.#find(timed.nonceHash));
    const matching = steps.requireMatch(challenged, vectorRules);
    const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, vectorRules));
    const proven = steps.requireControllerProof(steps.requireChipProof(bound, vectorRules), vectorRules);
    const acceptable = steps.requireMachine(proven, this.#standing());
    const now = this.#world.now as TrustedSeconds;
    const outcome = this.#consume(toIntake(acceptable, now, vectorNamespace), now);
    return toReceipt(steps.requireAccepted(acceptable, outcome, now), vectorNamespace);
  }

  #find(nonceHash: Hex): ChallengeLookup {
    return nonceHash === this.challenge.nonceHash
      ? { state: 'kept', challenge: this.challenge }
      : { state: 'gone', isDocumentAccepted: false };
  }

  #consume(intake: Intake, now: number): steps.AcceptanceOutcome {
    if (this.#world.store === 'unavailable') throw new Fault('StoreUnavailable', {});
    if (this.challenge.consumedBy !== undefined || this.challenge.expiresAt <= now) {
      return this.#find(this.challenge.nonceHash);
    }
    this.challenge = { ...this.challenge, consumedBy: intake.evidenceHash };
    this.intakes.push(intake);
    return { state: 'written' };
  }

  #standing(): MachineStanding {
    const { chain, chainId, machine } = this.#world;
    const read = <T>(value: T | undefined): Reading<T> => {
      if (chain === 'unreachable') return { state: 'unreadable', cause: 'transport' };
      return value === undefined ? { state: 'absent' } : present(value);
    };
    return {
      snapshot: {
        id: this.challenge.machineId,
        owner: read(machine === null ? undefined : parseAddress(machine.owner)),
        controller: read(machine === null ? undefined : parseAddress(machine.controller)),
        generalPaused: read(machine?.deactivated ?? false),
        relocating: read(false),
        homeOrdinal: read(machine === null ? 0 : 1),
      },
      ordinals: { local: 1, alt: undefined },
      chainId: Number(chainId),
    };
  }
}

function toRecord(challenge: VectorChallenge): ChallengeRecord {
  return {
    nonceHash: `0x${challenge.nonceSha256}`,
    machineId: BigInt(challenge.machineId) as MachineId,
    didController: parseAddress(challenge.didController)!,
    chainId: Number(challenge.chainId),
    expiresAt: challenge.expiresAt,
    consumedBy: (challenge.consumedBy as Hex | null) ?? undefined,
  };
}
