/**
 * Who fails two steps of a chip route, whichever two, is told of the earlier one (evidence 4 and 8). Whole requests over a socket, so that the steps of HTTP are
 * among them.
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
  startChipScene,
  type ChipScene,
} from '../testing/harness/chip-service.ts';
import { rule } from './conformance/rule.ts';

interface Request {
  method: string;
  path: string;
  headers: (readonly [name: string, value: string])[];
  /** What the document of evidence is forged with. */
  changes: EvidenceChanges;
  /** What happens to the text of a body. */
  rewrite: ((text: string) => string)[];
}

interface Step {
  readonly name: string;
  readonly answer: string;
  readonly bend: (request: Request, scene: ChipScene) => void;
}

const { world } = requestCases;
const TOKEN = jsonHeaders(world.onboardingToken);
const REQUESTS_PER_MINUTE = 120;
const { privateKey: OTHER_CHIP } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const WORLD = { ...world, challenge: { ...world.challenge, nonceSha256: OPEN.nonceHash.slice(2) } };

/** Asks the service at which the caller has used up the rate. */
const RATE: Step = { name: '3 rate', answer: '429 RATE_LIMITED', bend: () => undefined };

const OF_HTTP: readonly Step[] = [
  { name: '1 path', answer: '404 VERIFY_ROUTE_NOT_FOUND', bend: (request) => (request.path += 's') },
  { name: '1 method', answer: '405 METHOD_NOT_ALLOWED', bend: (request) => (request.method = 'PUT') },
  { name: '2 token', answer: '401 ONBOARDING_AUTH_REQUIRED', bend: ({ headers }) => headers.splice(0, 1) },
  RATE,
  { name: '4 accept', answer: '406 NOT_ACCEPTABLE', bend: ({ headers }) => headers.push(['Accept', 'text/html']) },
  {
    name: '4 encoding',
    answer: '400 INVALID_REQUEST',
    bend: ({ headers }) => headers.push(['Content-Encoding', 'gzip']),
  },
  {
    name: '5 size of any body',
    answer: '413 REQUEST_TOO_LARGE',
    bend: ({ rewrite }) => rewrite.push((text) => text.padEnd(40_000, ' ')),
  },
  {
    name: '5 size of this body',
    answer: '400 INVALID_REQUEST',
    bend: ({ rewrite }) => rewrite.push((text) => text.padEnd(20_000, ' ')),
  },
  {
    name: '6 form',
    answer: '400 INVALID_REQUEST',
    bend: ({ rewrite }) => rewrite.push((text) => text.replace('{', '{"note":"x",')),
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
  answer: '404 MACHINE_NOT_FOUND',
  bend: (_, { snapshot }) => (snapshot.owner = { state: 'absent' }),
};
const RELOCATING: Step = {
  name: 'relocating',
  answer: '503 CHAIN_UNAVAILABLE',
  bend: (_, { snapshot }) => (snapshot.relocating = { state: 'present', value: true }),
};
const DEACTIVATED: Step = {
  name: 'deactivated',
  answer: '409 MACHINE_DEACTIVATED',
  bend: (_, { snapshot }) => (snapshot.generalPaused = { state: 'present', value: true }),
};
const CONTROLLER_CHANGED: Step = {
  name: 'another controller',
  answer: '409 CONTROLLER_CHANGED',
  bend: (_, { snapshot }) => (snapshot.controller = { state: 'present', value: addressOf('stranger') }),
};
const refuse = () => Promise.reject(new Fault('StoreUnavailable', {}));

const EVIDENCE_STEPS: readonly Step[] = [
  ...OF_HTTP,
  {
    name: '7 canonical',
    answer: '400 EVIDENCE_NOT_CANONICAL',
    bend: ({ rewrite }) => rewrite.push((text) => `${text}\n`),
  },
  {
    name: '8 fixed values',
    answer: '422 EVIDENCE_UNSUPPORTED',
    bend: edited((document) => ({ ...document, revocationStatus: 'good' })),
  },
  {
    name: '9 clock',
    answer: '503 VERIFY_CLOCK_INVALID',
    bend: (_, { ctx }) => (ctx.time.milliseconds = 0),
  },
  {
    name: '9 challenge',
    answer: '404 CHALLENGE_NOT_FOUND',
    bend: changed({ transcript: { nonce: `0x${'77'.repeat(32)}` } }),
  },
  { name: '10 transcript', answer: '422 EVIDENCE_MISMATCH', bend: changed({ transcript: { chainId: '1' } }) },
  {
    name: '11 certificate',
    answer: '422 CERTIFICATE_UNTRUSTED',
    bend: changed({ leaf: forgeCertificate({ signer: SIBLING_KEY }) }),
  },
  {
    name: '11 chip key',
    answer: '422 EVIDENCE_MISMATCH',
    bend: edited((document) => ({ ...document, chipRef: `0x${'00'.repeat(32)}` })),
  },
  { name: '12 chip proof', answer: '422 CHIP_PROOF_INVALID', bend: changed({ chip: OTHER_CHIP }) },
  {
    name: '12 controller proof',
    answer: '422 CONTROLLER_PROOF_INVALID',
    bend: changed({ controller: 'stranger' }),
  },
  ...[NO_MACHINE, DEACTIVATED, CONTROLLER_CHANGED, RELOCATING],
  {
    name: '14 store',
    answer: '503 VERIFY_STORE_UNAVAILABLE',
    bend: (_, { ctx }) => Object.assign(ctx.store, { consumeChallenge: refuse }),
  },
];

const CHALLENGE_STEPS: readonly Step[] = [
  ...OF_HTTP,
  ...[NO_MACHINE, RELOCATING, DEACTIVATED],
  {
    name: '10 clock',
    answer: '503 VERIFY_CLOCK_INVALID',
    bend: (_, { ctx }) => (ctx.time.milliseconds = 0),
  },
  {
    name: '11 caps',
    answer: '429 RATE_LIMITED',
    bend: (_, { ctx }) => Object.assign(ctx.store, { insertChallenge: () => Promise.resolve(false) }),
  },
];

const ROUTES = [
  { route: 'challenge', path: CHALLENGE_PATH, steps: CHALLENGE_STEPS },
  { route: 'evidence', path: EVIDENCE_PATH, steps: EVIDENCE_STEPS },
];

let calm: ChipScene;
let spent: ChipScene;
beforeAll(async () => {
  calm = await startChipScene(WORLD);
  spent = await startChipScene(WORLD, { rateLimits: 'on' });
  for (const { path } of ROUTES) {
    for (let n = 0; n < REQUESTS_PER_MINUTE; n++) await spent.judge('POST', path, TOKEN, '{');
  }
});
afterAll(async () => {
  await calm.close();
  await spent.close();
});

/** What a request is told that fails these steps and no other. */
async function judge(path: string, ...steps: readonly Step[]): Promise<string> {
  const request: Request = { method: 'POST', path, headers: [...TOKEN], changes: {}, rewrite: [] };
  const scene = steps.includes(RATE) ? spent : calm;
  const before = {
    snapshot: { ...scene.snapshot },
    milliseconds: scene.ctx.time.milliseconds,
    store: { ...scene.ctx.store },
  };
  for (const { bend } of steps) bend(request, scene);
  try {
    const body = path === EVIDENCE_PATH ? Buffer.from(forgeBody(request.changes)).toString() : CHALLENGE_BODY;
    const text = request.rewrite.reduce((each, rewrite) => rewrite(each), body);
    return await scene.judge(request.method, request.path, request.headers, text);
  } finally {
    Object.assign(scene.snapshot, before.snapshot);
    Object.assign(scene.ctx.store, before.store);
    scene.ctx.time.milliseconds = before.milliseconds;
  }
}

const CHALLENGE_BODY = JSON.stringify({ machineId: world.machine!.machineId });

describe.each(ROUTES)('the steps of $route', ({ path, steps }) => {
  it.each(steps)('$name alone: $answer', async (step) => {
    expect(await judge(path, step)).toBe(step.answer);
  });

  it.each(steps.slice(0, -1))('$name comes before all that follow', async (earlier) => {
    rule('auth.token-first');
    // Windows of the rate are told by the clock that another step sets back.
    const later = steps
      .slice(steps.indexOf(earlier) + 1)
      .filter((each) => earlier !== RATE || !each.name.endsWith('clock'));
    expect(later.length).toBeGreaterThan(0);
    for (const each of later) expect(await judge(path, earlier, each), each.name).toBe(earlier.answer);
  });
});
