/**
 * `POST /v1/verify/chip/challenge` and `/evidence` (interface, Verify routes; evidence 2, 4 and 8). Checks run in the order of the specification:
 * token and rate before the handler, headers before the body, and the body before any chain or store is read.
 */
import { acceptEvidence, issueChallenge } from '../../actions/chip.ts';
import { Fault, type FaultKind } from '../../domain/faults.ts';
import { parseExactObject } from '../../domain/evidence/exact-object.ts';
import { parseMachineId, type MachineId } from '../../domain/identifiers/identifiers.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendUncached } from '../server/response.ts';
import type { RequestContext } from '../server/request-context.ts';
import { encodeJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import { readBody } from '../server/request-body.ts';
import type { Routes } from '../server/route-table.ts';
import { CHALLENGE_REQUEST_SCHEMA, evidenceSchema } from '../schemas/chip.ts';
import { VERIFY_PREFIX } from '../server/route-profiles.ts';
import {
  acceptsJson,
  createBearerTokenCheck,
  declaresPlainJson,
  type BearerTokenCheck,
} from '../server/verify-headers.ts';
import { toChallenge, toChipReceipt } from '../wire/chip.ts';

const REQUESTS_PER_MINUTE = 120;
/** Longer bodies are 413; bodies above the limit of their route are 400. */
const MAX_TRANSPORT_BYTES = 32_768;
const MAX_CHALLENGE_REQUEST_BYTES = 1_024;
const CHALLENGE_REQUEST = { machineId: (text: string) => parseMachineId(text) !== undefined };
const CHALLENGE_REQUEST_DEPTH = 1;

const UNAUTHORIZED = new Fault('OnboardingUnauthorized', {});

export function chipRoutes(routes: Routes, ctx: Ctx): void {
  const isAdmitted = createCurrentTokenCheck(ctx);
  const policy = {
    requestsPerMinute: REQUESTS_PER_MINUTE,
    refuse: (rawHeaders: readonly string[]) => (isAdmitted(rawHeaders) ? undefined : UNAUTHORIZED),
  };
  const describe = describeRoutes(ctx);

  routes.post(
    `${VERIFY_PREFIX}chip/challenge`,
    { ...policy, profile: 'chip-challenge', description: describe.challenge },
    async (request) => {
      const id = requireMachineId(await readJsonBody(request));
      const challenge = await issueChallenge(ctx, id, request);
      sendUncached(request, 201, encodeJson(toChallenge(challenge, ctx.namespace)));
    },
  );

  routes.post(
    `${VERIFY_PREFIX}chip/evidence`,
    { ...policy, profile: 'chip-evidence', description: describe.evidence },
    async (request) => {
      const body = await readJsonBody(request);
      sendUncached(request, 202, encodeJson(toChipReceipt(await acceptEvidence(ctx, body, request))));
    },
  );
}

/** Checks against the current tokens, which are replaced during a rotation. */
function createCurrentTokenCheck({ onboarding }: Ctx): BearerTokenCheck {
  let tokens = onboarding?.onboardingTokens ?? [];
  let isAdmitted = createBearerTokenCheck(tokens);
  return (rawHeaders) => {
    if (onboarding !== undefined && onboarding.onboardingTokens !== tokens) {
      tokens = onboarding.onboardingTokens;
      isAdmitted = createBearerTokenCheck(tokens);
    }
    return isAdmitted(rawHeaders);
  };
}

/** Returns the bytes of a body that is declared as JSON, for a client that accepts JSON. */
function readJsonBody(context: RequestContext): Promise<Buffer> {
  const { rawHeaders } = context.request;
  if (!acceptsJson(rawHeaders)) throw new Fault('NotAcceptable', {});
  if (!declaresPlainJson(rawHeaders)) throw new Fault('RequestMalformed', {});
  return readBody(context, MAX_TRANSPORT_BYTES);
}

function requireMachineId(body: Buffer): MachineId {
  const { value } = body.length > MAX_CHALLENGE_REQUEST_BYTES ? {} : parseStrictJson(body, CHALLENGE_REQUEST_DEPTH);
  const request = value === undefined ? undefined : parseExactObject(value, CHALLENGE_REQUEST);
  if (request === undefined) throw new Fault('RequestMalformed', {});
  return parseMachineId(request.machineId)!;
}

const COMMON_FAULTS = [
  'OnboardingUnauthorized',
  'NotAcceptable',
  'MachineAbsent',
  'MachineRelocating',
  'MachineDeactivated',
  'ServiceNotInitialised',
  'ClockInvalid',
  'StoreUnavailable',
] as const satisfies readonly FaultKind[];

function describeRoutes({ namespace }: Ctx): Readonly<Record<'challenge' | 'evidence', RouteDescription>> {
  const common = { caching: 'never', block: 'never' } as const;
  return {
    challenge: {
      ...common,
      operationId: 'issueChipChallenge',
      summary: 'Issue a challenge for the chip of a main-chain machine to an onboarding provider.',
      body: CHALLENGE_REQUEST_SCHEMA,
      responses: { 201: 'ChipChallenge' },
      faults: [...COMMON_FAULTS, 'ChallengesExhausted'],
    },
    evidence: {
      ...common,
      operationId: 'acceptChipEvidence',
      summary: 'Submit signed evidence for a challenge, once, and get a receipt.',
      body: evidenceSchema(namespace),
      responses: { 202: 'ChipReceipt' },
      faults: [
        ...COMMON_FAULTS,
        'EvidenceNotCanonical',
        'EvidenceUnsupported',
        'ChallengeUnknown',
        'EvidenceAlreadyAccepted',
        'ChallengeConsumed',
        'ChallengeExpired',
        'EvidenceMismatch',
        'CertificateInvalid',
        'CertificateUnsupported',
        'CertificateUntrusted',
        'ChipProofInvalid',
        'ControllerProofInvalid',
        'ControllerChanged',
      ],
    },
  };
}
