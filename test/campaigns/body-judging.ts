/**
 * Responses to mutated chip bodies, through the whole application over sockets of this process. Each body gets the code of its first error. All
 * responses with one code have the same bytes except the date, and none shares eight characters with the values of its body.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { Random } from '../../sim/random.ts';
import { attempts, pki, requestCases, type VectorWorld } from '../../testing/fixtures/evidence-vectors.ts';
import { CHALLENGE_PATH, startChipHarness, type ChipHarness } from '../../testing/harness/chip-service.ts';
import { createBodyMutations, WORLDS, type MutatedBody, type WorldName } from './body-mutations.ts';
import { openPipelinedPosts, type PostResponse, type PipelinedPosts } from './pipelined-posts.ts';

export interface BodyCounts {
  readonly runs: number;
  /** Counts by route, status and code. */
  readonly answers: ReadonlyMap<string, number>;
}

interface Target {
  readonly harness: ChipHarness;
  readonly posts: PipelinedPosts;
}

const AT_ONCE = 128;
const CONNECTIONS = 4;
const MAX_SHARED = 8;
/** One response in so many is searched for shared text; all others are compared with it. */
const SHARING_EVERY = 50;
const { world: BASE } = requestCases;

const CHANGES: Readonly<Record<WorldName, Partial<VectorWorld>>> = {
  open: {},
  'clock set back': {},
  consumed: { challenge: { ...BASE.challenge, consumedBy: `0x${'11'.repeat(32)}` } },
  expired: { now: BASE.challenge.expiresAt },
  'no machine': { machine: null },
  'chain unreachable': { chain: 'unreachable' },
  deactivated: { machine: { ...BASE.machine!, deactivated: true } },
  'another controller': { machine: { ...BASE.machine!, controller: pki.accounts.stranger.address } },
  'store unavailable': { store: 'unavailable' },
};

const COMMON = ['400 INVALID_REQUEST', '413 REQUEST_TOO_LARGE'];
const DOCUMENTED = {
  challenge: [...COMMON, '201 ', '404 MACHINE_NOT_FOUND', '429 RATE_LIMITED'],
  evidence: [
    ...COMMON,
    ...['400 EVIDENCE_NOT_CANONICAL', '404 CHALLENGE_NOT_FOUND', '422 EVIDENCE_UNSUPPORTED', '422 EVIDENCE_MISMATCH'],
    ...['422 CERTIFICATE_INVALID', '422 CERTIFICATE_UNSUPPORTED', '422 CERTIFICATE_UNTRUSTED'],
    ...['422 CHIP_PROOF_INVALID', '422 CONTROLLER_PROOF_INVALID'],
  ],
};

export async function judgeMutatedBodies(
  seed: number,
  runs: number,
  isOver: (done: number) => boolean = () => false,
): Promise<BodyCounts> {
  const targets = new Map<WorldName, Target>();
  for (const name of Object.keys(WORLDS) as WorldName[]) targets.set(name, await openTarget(name));
  const next = createBodyMutations(new Random(seed));
  const answers = new Map<string, number>();
  const texts = new Map<string, string>();
  let done = 0;
  try {
    for (; done < runs && !isOver(done); done += AT_ONCE) {
      const bodies = Array.from({ length: Math.min(AT_ONCE, runs - done) }, next);
      await Promise.all(
        bodies.map(async (mutated, n) => {
          const { path, body, world } = mutated;
          const { posts } = targets.get(world)!;
          // An idle connection may close while the request is in transit.
          const response = (await posts.post(n >> 5, path, body)) ?? (await posts.post(n >> 5, path, body));
          const word = judgeAnswer(mutated, response, texts, (done + n) % SHARING_EVERY === 0);
          answers.set(word, (answers.get(word) ?? 0) + 1);
        }),
      );
    }
    for (const [name, { harness }] of targets) {
      expect(await harness.store.listEvidenceRecords(undefined, 2), name).toHaveLength(name === 'consumed' ? 1 : 0);
    }
  } finally {
    for (const { posts, harness } of targets.values()) {
      posts.disconnect();
      await harness.close();
    }
  }
  return { runs: Math.min(done, runs), answers };
}

/** Returns route, status and code. Throws with the body in hex when the response is not the expected one. */
function judgeAnswer(
  { path, body, world, expected }: MutatedBody,
  response: PostResponse | undefined,
  texts: Map<string, string>,
  isSearched: boolean,
): string {
  const route = path === CHALLENGE_PATH ? 'challenge' : 'evidence';
  const fail = (why: string) => expect.fail(`${why}: ${route}, ${world}, ${body.toString('hex')}`);
  if (response === undefined) return fail('no answer');
  const { status, head, text } = response;
  const { detail } = JSON.parse(text) as { detail?: { code: string } };
  const word = `${status} ${detail?.code ?? ''}`;
  if (expected === undefined ? !DOCUMENTED[route].includes(word) : word !== expected) fail(`${word}, not ${expected}`);
  // A challenge contains its machine and its own nonce.
  if (status === 201) return `${route} ${word}`;
  const whole = `${head.replace(/^date: .*$/im, '')}\n${text}`;
  const known = texts.get(word);
  texts.set(word, known ?? whole);
  if (known !== undefined && known !== whole) fail(`another ${word}: ${whole}`);
  if (isSearched && sharesText(text, body.toString('latin1'))) fail(`an echo: ${text}`);
  return `${route} ${word}`;
}

/** Names of members, which fixed texts contain as well. */
const NAMES = [attempts.first.evidence, attempts.first.evidence.certificate].flatMap(Object.keys).join(' ');

function sharesText(answer: string, body: string): boolean {
  for (let at = 0; at + MAX_SHARED <= answer.length; at++) {
    const piece = answer.slice(at, at + MAX_SHARED);
    if (body.includes(piece) && !NAMES.includes(piece)) return true;
  }
  return false;
}

async function openTarget(name: WorldName): Promise<Target> {
  const harness = await startChipHarness({ ...BASE, ...CHANGES[name] }, { logsRequests: false });
  Object.assign(harness.ctx.onboarding!, { createNonce: () => randomBytes(32) });
  if (name === 'clock set back') harness.ctx.time.milliseconds = 0;
  return { harness, posts: await openPipelinedPosts(harness.url, BASE.onboardingToken, CONNECTIONS) };
}
