/**
 * Is every body answered, with the code of its first fault, and never with itself? `RUNS` (10,000,000) mutated bodies of both routes from `SEED`, through
 * the whole application in this process: no 5xx, no acceptance, and nothing of the body in an answer.
 */
import type { InjectOptions } from 'fastify';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import { attempts, requestCases } from '../../src/domain/evidence/evidence-vectors.ts';
import { CHALLENGE_PATH, EVIDENCE_PATH, startChipScene, type ChipScene } from '../chip-scene.ts';

const RUNS = Number(process.env['RUNS'] ?? 10_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const AT_ONCE = 64;
const MARK = 'ECHOED';
const { onboardingToken, machine } = requestCases.world;
const EVIDENCE = Buffer.from(attempts.first.bodyText);
const CHALLENGE = Buffer.from(JSON.stringify({ machineId: machine!.machineId }));
/** What JSON texts are taken apart by, and what readers stumble over. */
const PIECES = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '\\u0000',
  '\ufeff',
  '\xff',
  '\n',
  '1e9',
  'null',
  MARK,
  '"__proto__":',
];

let scene: ChipScene;
const tally = new Map<string, number>();
beforeAll(async () => {
  scene = await startChipScene(requestCases.world);
  Object.assign(scene.ctx.chip!, { createNonce: () => randomBytes(32) });
});
afterAll(async () => {
  await scene.close();
  process.stdout.write(`SEED=${SEED} ${JSON.stringify(Object.fromEntries([...tally].sort()))}\n`);
});

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('bodies', async () => {
    const random = new Random(SEED);
    for (let run = 0; run < RUNS; run += AT_ONCE) {
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, RUNS - run) }, () =>
          random.chance(0.5)
            ? judge(CHALLENGE_PATH, mutate(random, CHALLENGE))
            : judge(EVIDENCE_PATH, mutate(random, EVIDENCE)),
        ),
      );
    }
  });
});

async function judge(path: string, body: Buffer): Promise<void> {
  if (body.equals(EVIDENCE)) return; // it would take the challenge away from all others
  const headers = { authorization: `Bearer ${onboardingToken}`, 'content-type': 'application/json' };
  const { statusCode, payload } = await scene.inject({
    method: 'POST',
    url: path,
    headers,
    payload: body,
  } as InjectOptions);
  const { detail } = JSON.parse(payload) as { detail?: { code: string } };
  const word = `${path.split('/').at(-1)!} ${statusCode} ${detail?.code ?? ''}`;
  tally.set(word, (tally.get(word) ?? 0) + 1);
  const where = `${path} ${body.toString('hex')}`;
  expect(statusCode, where).toBeLessThan(500);
  expect(payload, where).not.toContain(MARK);
  expect(statusCode, where).not.toBe(202);
  if (detail !== undefined) expect(payload, where).not.toContain(machine!.machineId);
}

/** Up to five changes; most hit a single octet, some tear the text apart. */
function mutate(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let changes = random.integer(1, 5); changes > 0; changes--) {
    const at = random.integer(0, mutated.length);
    const removed = random.chance(0.9) ? random.integer(0, 2) : random.integer(0, mutated.length);
    const added = random.chance(0.5)
      ? Buffer.from(random.hex(random.integer(0, 2)), 'hex')
      : Buffer.from(random.pick(PIECES), random.chance(0.5) ? 'utf8' : 'latin1');
    mutated = Buffer.concat([mutated.subarray(0, at), added, mutated.subarray(at + removed)]);
  }
  return mutated;
}
