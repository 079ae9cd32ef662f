/**
 * Order of the steps of both chip routes (evidence 4 and 8): a request that fails two steps gets the error of the earlier one. Requests go over
 * a socket, so that the steps of HTTP are included.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgeCertificate, SIBLING_KEY } from '../testing/fixtures/forged-certificate.ts';
import {
  addressOf,
  CHALLENGE as OPEN,
  forgeBody,
  type EvidenceChanges,
} from '../testing/fixtures/evidence-documents.ts';
import { requestCases } from '../testing/fixtures/evidence-vectors.ts';
import { Fault } from '../src/domain/faults.ts';
import {
  CHALLENGE_PATH,
  EVIDENCE_PATH,
  jsonHeaders,
  startChipHarness,
  type ChipHarness,
} from '../testing/harness/chip-service.ts';
import { rule } from './conformance/rule.ts';
import { ABSENT, present } from '../src/domain/read-result.ts';

interface Request {
  method: string;
  path: string;
  headers: (readonly [name: string, value: string])[];
  /** Changes of the forged evidence document. */
  changes: EvidenceChanges;
  /** Rewrites of the body text, applied in order. */
  rewrite: ((text: string) => string)[];
}

interface Step {
  readonly name: string;
  readonly expected: string;
  readonly fail: (request: Request, harness: ChipHarness) => void;
}

const { world } = requestCases;
const TOKEN = jsonHeaders(world.onboardingToken);
const REQUESTS_PER_MINUTE = 120;
const { privateKey: OTHER_CHIP } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const WORLD = { ...world, challenge: { ...world.challenge, nonceSha256: OPEN.nonceHash.slice(2) } };

/** Sends the request to the service whose rate limit is used up. */
const RATE: Step = { name: '3 rate', expected: '429 RATE_LIMITED', fail: () => undefined };

const OF_HTTP: readonly Step[] = [
  { name: '1 path', expected: '404 VERIFY_ROUTE_NOT_FOUND', fail: (request) => (request.path += 's') },
  { name: '1 method', expected: '405 METHOD_NOT_ALLOWED', fail: (request) => (request.method = 'PUT') },
  { name: '2 token', expected: '401 ONBOARDING_AUTH_REQUIRED', fail: ({ headers }) => headers.splice(0, 1) },
  RATE,
  { name: '4 accept', expected: '406 NOT_ACCEPTABLE', fail: ({ headers }) => headers.push(['Accept', 'text/html']) },
  {
    name: '4 encoding',
    expected: '400 INVALID_REQUEST',
    fail: ({ headers }) => headers.push(['Content-Encoding', 'gzip']),
  },
  {
    name: '5 size of any body',
    expected: '413 REQUEST_TOO_LARGE',
    fail: ({ rewrite }) => rewrite.push((text) => text.padEnd(40_000, ' ')),
  },
  {
    name: '5 size of this body',
    expected: '400 INVALID_REQUEST',
    fail: ({ rewrite }) => rewrite.push((text) => text.padEnd(20_000, ' ')),
  },
  {
    name: '6 form',
    expected: '400 INVALID_REQUEST',
    fail: ({ rewrite }) => rewrite.push((text) => text.replace('{', '{"note":"x",')),
  },
];

const edited =
  (edit: NonNullable<EvidenceChanges['edit']>) =>
  (request: Request): void => {
    const before = request.changes.edit ?? ((document) => document);
    request.changes = { ...request.changes, edit: (document) => edit(before(document)) };
  };
const changed =
  (changes: EvidenceChanges) =>
  (request: Request): void => {
    const transcript = { ...request.changes.transcript, ...changes.transcript };
    request.changes = { ...request.changes, ...changes, transcript };
  };

const NO_MACHINE: Step = {
  name: 'no machine',
  expected: '404 MACHINE_NOT_FOUND',
  fail: (_, { snapshot }) => (snapshot.owner = ABSENT),
};
const RELOCATING: Step = {
  name: 'relocating',
  expected: '503 CHAIN_UNAVAILABLE',
  fail: (_, { snapshot }) => (snapshot.relocating = present(true)),
};
const DEACTIVATED: Step = {
  name: 'deactivated',
  expected: '409 MACHINE_DEACTIVATED',
  fail: (_, { snapshot }) => (snapshot.generalPaused = present(true)),
};
const CONTROLLER_CHANGED: Step = {
  name: 'another controller',
  expected: '409 CONTROLLER_CHANGED',
  fail: (_, { snapshot }) => (snapshot.controller = present(addressOf('stranger'))),
};
const refuse = () => Promise.reject(new Fault('StoreUnavailable', {}));

const EVIDENCE_STEPS: readonly Step[] = [
  ...OF_HTTP,
  {
    name: '7 canonical',
    expected: '400 EVIDENCE_NOT_CANONICAL',
    fail: ({ rewrite }) => rewrite.push((text) => `${text}\n`),
  },
  {
    name: '8 fixed values',
    expected: '422 EVIDENCE_UNSUPPORTED',
    fail: edited((document) => ({ ...document, revocationStatus: 'good' })),
  },
  {
    name: '9 clock',
    expected: '503 VERIFY_CLOCK_INVALID',
    fail: (_, { ctx }) => (ctx.time.milliseconds = 0),
  },
  {
    name: '9 challenge',
    expected: '404 CHALLENGE_NOT_FOUND',
    fail: changed({ transcript: { nonce: `0x${'77'.repeat(32)}` } }),
  },
  { name: '10 transcript', expected: '422 EVIDENCE_MISMATCH', fail: changed({ transcript: { chainId: '1' } }) },
  {
    name: '11 certificate',
    expected: '422 CERTIFICATE_UNTRUSTED',
    fail: changed({ leaf: forgeCertificate({ signer: SIBLING_KEY }) }),
  },
  {
    name: '11 chip key',
    expected: '422 EVIDENCE_MISMATCH',
    fail: edited((document) => ({ ...document, chipRef: `0x${'00'.repeat(32)}` })),
  },
  { name: '12 chip proof', expected: '422 CHIP_PROOF_INVALID', fail: changed({ chip: OTHER_CHIP }) },
  {
    name: '12 controller proof',
    expected: '422 CONTROLLER_PROOF_INVALID',
    fail: changed({ controller: 'stranger' }),
  },
  ...[NO_MACHINE, DEACTIVATED, CONTROLLER_CHANGED, RELOCATING],
  {
    name: '14 store',
    expected: '503 VERIFY_STORE_UNAVAILABLE',
    fail: (_, { ctx }) => Object.assign(ctx.store, { consumeChallenge: refuse }),
  },
];

const CHALLENGE_STEPS: readonly Step[] = [
  ...OF_HTTP,
  ...[NO_MACHINE, RELOCATING, DEACTIVATED],
  {
    name: '10 clock',
    expected: '503 VERIFY_CLOCK_INVALID',
    fail: (_, { ctx }) => (ctx.time.milliseconds = 0),
  },
  {
    name: '11 caps',
    expected: '429 RATE_LIMITED',
    fail: (_, { ctx }) => Object.assign(ctx.store, { insertChallenge: () => Promise.resolve(false) }),
  },
];

const ROUTES = [
  { route: 'challenge', path: CHALLENGE_PATH, steps: CHALLENGE_STEPS },
  { route: 'evidence', path: EVIDENCE_PATH, steps: EVIDENCE_STEPS },
];

let unlimited: ChipHarness;
let limited: ChipHarness;
beforeAll(async () => {
  unlimited = await startChipHarness(WORLD);
  limited = await startChipHarness(WORLD, { rateLimits: 'on' });
  for (const { path } of ROUTES) {
    for (let n = 0; n < REQUESTS_PER_MINUTE; n++) await limited.judge('POST', path, TOKEN, '{');
  }
});
afterAll(async () => {
  await unlimited.close();
  await limited.close();
});

/** Returns the response to a request that fails exactly these steps. */
async function judge(path: string, ...steps: readonly Step[]): Promise<string> {
  const request: Request = { method: 'POST', path, headers: [...TOKEN], changes: {}, rewrite: [] };
  const harness = steps.includes(RATE) ? limited : unlimited;
  const before = {
    snapshot: { ...harness.snapshot },
    milliseconds: harness.ctx.time.milliseconds,
    store: { ...harness.ctx.store },
  };
  for (const { fail } of steps) fail(request, harness);
  try {
    const body = path === EVIDENCE_PATH ? Buffer.from(forgeBody(request.changes)).toString() : CHALLENGE_BODY;
    const text = request.rewrite.reduce((each, rewrite) => rewrite(each), body);
    return await harness.judge(request.method, request.path, request.headers, text);
  } finally {
    Object.assign(harness.snapshot, before.snapshot);
    Object.assign(harness.ctx.store, before.store);
    harness.ctx.time.milliseconds = before.milliseconds;
  }
}

const CHALLENGE_BODY = JSON.stringify({ machineId: world.machine!.machineId });

describe.each(ROUTES)('the $route route', ({ path, steps }) => {
  it.each(steps)('fails step $name with $expected', async (step) => {
    expect(await judge(path, step)).toBe(step.expected);
  });

  it.each(steps.slice(0, -1))('reports step $name before all later steps', async (earlier) => {
    rule('auth.token-first');
    // The rate window uses the clock that another step sets back.
    const later = steps
      .slice(steps.indexOf(earlier) + 1)
      .filter((each) => earlier !== RATE || !each.name.endsWith('clock'));
    expect(later.length).toBeGreaterThan(0);
    for (const each of later) expect(await judge(path, earlier, each), each.name).toBe(earlier.expected);
  });
});
