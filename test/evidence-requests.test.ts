/** Every published request to the evidence route has its published answer, and changes nothing unless it is accepted. */
import { afterEach, describe, expect, it } from 'vitest';
import { attempts, fromBase64, requestCases, worldOf, type RequestCase } from '../testing/fixtures/evidence-vectors.ts';
import type { Hex } from '../src/domain/evidence/signed-bytes.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { EVIDENCE_PATH, startChipScene, type ChipScene } from '../testing/harness/chip-service.ts';
import { rule } from './conformance/rule.ts';

let scene: ChipScene;
afterEach(() => scene.close());

const judge = ({ request: { method, headers, bodyBase64 } }: RequestCase) =>
  scene.judge(method, EVIDENCE_PATH, headers, fromBase64(bodyBase64));
const findChallenge = () =>
  scene.store.findChallenge(`0x${requestCases.world.challenge.nonceSha256}` as Hex, `0x${'0'.repeat(64)}`);

describe('the published requests', () => {
  it('are 147', async () => {
    scene = await startChipScene(requestCases.world);
    expect(requestCases.cases).toHaveLength(147);
  });

  it.each(requestCases.cases)('$name: $expect.code', async (each) => {
    rule(
      'challenge.controller-unchanged',
      'verify.evidence-moves-chip',
      'evidence.receipt',
      'evidence.two-signatures',
      'auth.no-secret-echo',
      'challenge-errors.changed-controller',
    );
    scene = await startChipScene(worldOf(each));
    const { status, code } = each.expect;
    const before = [await findChallenge(), await scene.store.listEvidenceRecords(undefined, 2)];
    expect(await judge(each)).toBe(code === null ? String(status) : `${status} ${code}`);
    if (code === null) {
      const [intake, ...others] = await scene.store.listEvidenceRecords(undefined, 2);
      expect(others).toEqual([]);
      expect(intake!.evidence).toEqual(fromBase64(each.request.bodyBase64));
      expect(await findChallenge()).toMatchObject({ challenge: { consumedBy: intake!.evidenceHash } });
    } else {
      expect([await findChallenge(), await scene.store.listEvidenceRecords(undefined, 2)]).toEqual(before);
    }
  });
});

it('120 a minute are judged, and the next is refused', async () => {
  rule('limits.evidence');
  scene = await startChipScene(requestCases.world, { rateLimits: 'on' });
  const refused = requestCases.cases.find(({ name }) => name === 'bad-utf8')!;
  for (let n = 0; n < 120; n++) expect(await judge(refused)).toBe('400 INVALID_REQUEST');
  expect(await judge(refused)).toBe('429 RATE_LIMITED');
});

describe('one challenge', () => {
  const named = (name: string) => requestCases.cases.find((each) => each.name === name)!;
  const accept = named('accept');

  it('takes one document, and tells its sender again and again that it did', async () => {
    rule('challenge.issuance', 'evidence.receipt');
    scene = await startChipScene(worldOf(accept));
    const { method, headers, bodyBase64 } = accept.request;
    const { status, text } = await scene.ask(method, EVIDENCE_PATH, headers, fromBase64(bodyBase64));
    expect([status, text]).toEqual([202, attempts.first.receiptText]);
    const replay = '409 EVIDENCE_ALREADY_ACCEPTED';
    expect([await judge(accept), await judge(accept)]).toEqual([replay, replay]);
    expect(await judge(named('certificate-no-aia'))).toBe('409 CHALLENGE_CONSUMED');
    expect(await scene.store.listEvidenceRecords(undefined, 2)).toHaveLength(1);
  });

  it('is consumed by one of any number of documents at once', async () => {
    rule('limits.challenge-lifetime');
    scene = await startChipScene(worldOf(accept));
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => judge(n % 2 === 0 ? accept : named('certificate-no-aia'))),
    );
    expect(answers.filter((answer) => answer === '202')).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set(['202', '409 EVIDENCE_ALREADY_ACCEPTED', '409 CHALLENGE_CONSUMED']));
    expect(await scene.store.listEvidenceRecords(undefined, 2)).toHaveLength(1);
    // The others found it consumed before anything was verified or read for them.
    expect(scene.reads).toBe(1);
  });

  it('lets no document lose its answer to one that waits for the chain', async () => {
    scene = await startChipScene(worldOf(accept));
    const asked = Promise.withResolvers<undefined>();
    const answering = Promise.withResolvers<undefined>();
    const { chain } = scene.ctx.main!;
    const readMachineUncached = chain.readMachineUncached.bind(chain);
    Object.assign(chain, {
      async readMachineUncached(id: MachineId) {
        asked.resolve(undefined);
        await answering.promise;
        return readMachineUncached(id);
      },
    });
    const first = judge(accept);
    await asked.promise;
    expect(await judge(named('chip-high-s'))).toBe('422 CHIP_PROOF_INVALID');
    answering.resolve(undefined);
    expect(await first).toBe('202');
  });

  it.each(['findChallenge', 'consumeChallenge'])(
    'names the store when it is the store that does not answer %s',
    async (method) => {
      scene = await startChipScene(worldOf(accept), { deadlineMilliseconds: { 'chip-evidence': 1_000 } });
      Object.assign(scene.ctx.store, { [method]: () => new Promise(() => undefined) });
      expect(await judge(accept)).toBe('503 VERIFY_STORE_UNAVAILABLE');
    },
  );

  it('names the chain when it is the chain that does not answer', async () => {
    scene = await startChipScene(worldOf(accept), { deadlineMilliseconds: { 'chip-evidence': 1_000 } });
    Object.assign(scene.ctx.main!.chain, { readMachineUncached: () => new Promise(() => undefined) });
    expect(await judge(accept)).toBe('503 CHAIN_UNAVAILABLE');
  });

  it('stays open after any refusal', async () => {
    scene = await startChipScene(worldOf(accept));
    const names = ['bad-utf8', 'trailing-newline', 'chip-high-s', 'controller-stranger', 'certificate-rogue-chain'];
    for (const refused of names) expect(await judge(named(refused))).not.toBe('202');
    expect(await judge(accept)).toBe('202');
  });

  it('is known as consumed after its row is deleted', async () => {
    scene = await startChipScene(worldOf(accept));
    await judge(accept);
    expect(await scene.store.deleteOldChallenges(scene.ctx.time.milliseconds / 1_000 + 31 * 86_400)).toBe(1);
    expect(await judge(accept)).toBe('409 EVIDENCE_ALREADY_ACCEPTED');
    expect(await judge(named('certificate-no-aia'))).toBe('404 CHALLENGE_NOT_FOUND');
  });
});
