/** Every published request to the evidence route has its published answer, and changes nothing unless it is accepted. */
import { describe, expect, it } from 'vitest';
import { attempts, requestCases, worldOf } from '../src/domain/evidence/evidence-vectors.ts';
import { EvidenceWorld } from './evidence-world.ts';

describe('the published requests', () => {
  it('are 147', () => {
    expect(requestCases.cases).toHaveLength(147);
  });

  it.each(requestCases.cases)('$name: $expect.code', ({ request, expect: expected, ...rest }) => {
    const world = new EvidenceWorld(worldOf(rest));
    const before = world.challenge;
    const { status, code } = world.answer(request);
    expect({ status, code }).toStrictEqual(expected);
    if (code === null) {
      expect(world.challenge.consumedBy).toBe(world.intakes[0]!.evidenceHash);
      expect(world.intakes).toHaveLength(1);
    } else {
      expect(world.challenge).toBe(before);
      expect(world.intakes).toStrictEqual([]);
    }
  });
});

describe('one challenge', () => {
  const named = (name: string) => requestCases.cases.find((each) => each.name === name)!;
  const accept = named('accept');

  it('takes one document, and tells its sender again and again that it did', () => {
    const world = new EvidenceWorld(worldOf(accept));
    expect(world.answer(accept.request)).toStrictEqual({ status: 202, code: null, receipt: attempts.first.receipt });
    const replay = { status: 409, code: 'EVIDENCE_ALREADY_ACCEPTED' };
    expect([world.answer(accept.request), world.answer(accept.request)]).toStrictEqual([replay, replay]);
    const other = world.answer(named('certificate-no-aia').request);
    expect(other).toStrictEqual({ status: 409, code: 'CHALLENGE_CONSUMED' });
    expect(world.intakes).toHaveLength(1);
  });

  it('stays open after any refusal', () => {
    const world = new EvidenceWorld(worldOf(accept));
    for (const refused of [
      'bad-utf8',
      'trailing-newline',
      'chip-high-s',
      'controller-stranger',
      'certificate-rogue-chain',
    ]) {
      expect(world.answer(named(refused).request).status).not.toBe(202);
    }
    expect(world.answer(accept.request).status).toBe(202);
  });
});
