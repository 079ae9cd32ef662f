/**
 * `POST /v1/verify/chip/challenge` and `/evidence` (interface, Verify routes; evidence 2, 4 and 8). In the order of the specification: whoever
 * comes to a handler has shown a token and is within the rate; headers are judged before the body, and the body before anything is read.
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
import { toChallenge, toReceipt } from '../wire/chip.ts';

const REQUESTS_PER_MINUTE = 120;
/** What is longer is 413; what is longer than its route takes is 400. */
const MAX_TRANSPORT_BYTES = 32_768;
const MAX_CHALLENGE_REQUEST_BYTES = 1_024;
const CHALLENGE_REQUEST = { machineId: (text: string) => parseMachineId(text) !== undefined };
const CHALLENGE_REQUEST_DEPTH = 1;

const UNAUTHORIZED = new Fault('OnboardingUnauthorized', {});

export function chipRoutes(routes: Routes, ctx: Ctx): void {
  const isAdmitted = createCurrentGate(ctx);
  const conduct = {
    requestsPerMinute: REQUESTS_PER_MINUTE,
    refuse: (rawHeaders: readonly string[]) => (isAdmitted(rawHeaders) ? undefined : UNAUTHORIZED),
  };
  const describe = describeRoutes(ctx);

  routes.post(
    `${VERIFY_PREFIX}chip/challenge`,
    { ...conduct, profile: 'chip-challenge', description: describe.challenge },
    async (request) => {
      const id = requireMachineId(await readJsonBody(request));
      const challenge = await issueChallenge(ctx, id, request);
      sendUncached(request, 201, encodeJson(toChallenge(challenge, ctx.namespace)));
    },
  );

  routes.post(
    `${VERIFY_PREFIX}chip/evidence`,
    { ...conduct, profile: 'chip-evidence', description: describe.evidence },
    async (request) => {
      const body = await readJsonBody(request);
      sendUncached(request, 202, encodeJson(toReceipt(await acceptEvidence(ctx, body, request))));
    },
  );
}

/** By the tokens of the moment: they are replaced during a rotation. */
function createCurrentGate({ onboarding: chip }: Ctx): BearerTokenCheck {
  let tokens = chip?.onboardingTokens ?? [];
  let isAdmitted = createBearerTokenCheck(tokens);
  return (rawHeaders) => {
    if (chip !== undefined && chip.onboardingTokens !== tokens) {
      tokens = chip.onboardingTokens;
      isAdmitted = createBearerTokenCheck(tokens);
    }
    return isAdmitted(rawHeaders);
  };
}

/** The bytes of a body that is declared as JSON, for a caller that takes JSON. */
function readJsonBody(request: RequestContext): Promise<Buffer> {
  const { rawHeaders } = request.request;
  if (!acceptsJson(rawHeaders)) throw new Fault('NotAcceptable', {});
  if (!declaresPlainJson(rawHeaders)) throw new Fault('RequestMalformed', {});
  return readBody(request, MAX_TRANSPORT_BYTES);
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
      summary: 'A challenge for the chip of a machine of the main chain; the onboarding provider asks for it.',
      body: CHALLENGE_REQUEST_SCHEMA,
      answers: { 201: 'ChipChallenge' },
      faults: [...COMMON_FAULTS, 'ChallengesExhausted'],
    },
    evidence: {
      ...common,
      operationId: 'acceptChipEvidence',
      summary: 'Takes the signed evidence for a challenge, once, and answers with a receipt.',
      body: evidenceSchema(namespace),
      answers: { 202: 'ChipReceipt' },
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
