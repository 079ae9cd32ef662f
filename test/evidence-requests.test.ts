/** Chip evidence route: every published request gets its published response, and changes nothing unless it is accepted. */
import { afterEach, describe, expect, it } from 'vitest';
import { attempts, fromBase64, requestCases, worldOf, type RequestCase } from '../testing/fixtures/evidence-vectors.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { EVIDENCE_PATH, startChipHarness, type ChipHarness } from '../testing/harness/chip-service.ts';
import { rule } from './conformance/rule.ts';

let harness: ChipHarness;
afterEach(() => harness.close());

const judge = ({ request: { method, headers, bodyBase64 } }: RequestCase) =>
  harness.judge(method, EVIDENCE_PATH, headers, fromBase64(bodyBase64));
const findChallenge = () =>
  harness.store.findChallenge(`0x${requestCases.world.challenge.nonceSha256}`, `0x${'0'.repeat(64)}`);

describe('the published requests', () => {
  it('number 147', async () => {
    harness = await startChipHarness(requestCases.world);
    expect(requestCases.cases).toHaveLength(147);
  });

  it.each(requestCases.cases)('include $name, which returns $expect.code', async (each) => {
    rule(
      'challenge.controller-unchanged',
      'verify.evidence-moves-chip',
      'evidence.receipt',
      'evidence.two-signatures',
      'auth.no-secret-echo',
      'challenge-errors.changed-controller',
      'security.strict-certificate',
      'security.canonical-document',
    );
    harness = await startChipHarness(worldOf(each));
    const { status, code } = each.expect;
    const before = [await findChallenge(), await harness.store.listEvidenceRecords(undefined, 2)];
    expect(await judge(each)).toBe(code === null ? String(status) : `${status} ${code}`);
    if (code === null) {
      const [record, ...others] = await harness.store.listEvidenceRecords(undefined, 2);
      expect(others).toEqual([]);
      expect(record!.evidence).toEqual(fromBase64(each.request.bodyBase64));
      expect(await findChallenge()).toMatchObject({ challenge: { consumedBy: record!.evidenceHash } });
    } else {
      expect([await findChallenge(), await harness.store.listEvidenceRecords(undefined, 2)]).toEqual(before);
    }
  });
});

it('refuses the 121st document of a minute with 429', async () => {
  rule('limits.evidence');
  harness = await startChipHarness(requestCases.world, { rateLimits: 'on' });
  const refused = requestCases.cases.find(({ name }) => name === 'bad-utf8')!;
  for (let n = 0; n < 120; n++) expect(await judge(refused)).toBe('400 INVALID_REQUEST');
  expect(await judge(refused)).toBe('429 RATE_LIMITED');
});

describe('one challenge', () => {
  const named = (name: string) => requestCases.cases.find((each) => each.name === name)!;
  const accept = named('accept');

  it('accepts one document and reports every replay of it as accepted before', async () => {
    rule('challenge.issuance', 'evidence.receipt');
    harness = await startChipHarness(worldOf(accept));
    const { method, headers, bodyBase64 } = accept.request;
    const { status, text } = await harness.ask(method, EVIDENCE_PATH, headers, fromBase64(bodyBase64));
    expect([status, text]).toEqual([202, attempts.first.receiptText]);
    const replay = '409 EVIDENCE_ALREADY_ACCEPTED';
    expect([await judge(accept), await judge(accept)]).toEqual([replay, replay]);
    expect(await judge(named('certificate-no-aia'))).toBe('409 CHALLENGE_CONSUMED');
    expect(await harness.store.listEvidenceRecords(undefined, 2)).toHaveLength(1);
  });

  it('is consumed by one of 64 concurrent documents', async () => {
    rule('limits.challenge-lifetime');
    harness = await startChipHarness(worldOf(accept));
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, n) => judge(n % 2 === 0 ? accept : named('certificate-no-aia'))),
    );
    expect(responses.filter((response) => response === '202')).toHaveLength(1);
    expect(new Set(responses)).toEqual(new Set(['202', '409 EVIDENCE_ALREADY_ACCEPTED', '409 CHALLENGE_CONSUMED']));
    expect(await harness.store.listEvidenceRecords(undefined, 2)).toHaveLength(1);
    // The other documents are refused before any verification or chain read.
    expect(harness.reads).toBe(1);
  });

  it('lets a second document fail while the first waits for the chain', async () => {
    harness = await startChipHarness(worldOf(accept));
    const requested = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const { chain } = harness.ctx.main!;
    const readMachineUncached = chain.readMachineUncached.bind(chain);
    Object.assign(chain, {
      async readMachineUncached(id: MachineId) {
        requested.resolve(undefined);
        await released.promise;
        return readMachineUncached(id);
      },
    });
    const first = judge(accept);
    await requested.promise;
    expect(await judge(named('chip-high-s'))).toBe('422 CHIP_PROOF_INVALID');
    released.resolve(undefined);
    expect(await first).toBe('202');
  });

  it.each(['findChallenge', 'consumeChallenge'])('returns the store error when %s does not respond', async (method) => {
    harness = await startChipHarness(worldOf(accept), { deadlineMilliseconds: { 'chip-evidence': 1_000 } });
    Object.assign(harness.ctx.store, { [method]: () => new Promise(() => undefined) });
    expect(await judge(accept)).toBe('503 VERIFY_STORE_UNAVAILABLE');
  });

  it('returns the chain error when the chain does not respond', async () => {
    harness = await startChipHarness(worldOf(accept), { deadlineMilliseconds: { 'chip-evidence': 1_000 } });
    Object.assign(harness.ctx.main!.chain, { readMachineUncached: () => new Promise(() => undefined) });
    expect(await judge(accept)).toBe('503 CHAIN_UNAVAILABLE');
  });

  it('stays open after any refusal', async () => {
    rule('security.refused-document');
    harness = await startChipHarness(worldOf(accept));
    const names = ['bad-utf8', 'trailing-newline', 'chip-high-s', 'controller-stranger', 'certificate-rogue-chain'];
    for (const refused of names) expect(await judge(named(refused))).not.toBe('202');
    expect(await judge(accept)).toBe('202');
  });

  it('is reported as accepted before after its row is deleted', async () => {
    harness = await startChipHarness(worldOf(accept));
    await judge(accept);
    expect(await harness.store.deleteOldChallenges(harness.ctx.time.milliseconds / 1_000 + 31 * 86_400)).toBe(1);
    expect(await judge(accept)).toBe('409 EVIDENCE_ALREADY_ACCEPTED');
    expect(await judge(named('certificate-no-aia'))).toBe('404 CHALLENGE_NOT_FOUND');
  });
});
