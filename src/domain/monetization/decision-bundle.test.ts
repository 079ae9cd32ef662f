/** Bundles of decision logs that a thief of the database, or an operator who rewrites the past, could make. */
import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { verifyDecisionBundle, type BundleTrust } from '../../../client/decision-log.ts';
import {
  BUNDLE_KEY,
  BUNDLE_TRUST,
  bundleOf,
  chainDecisions,
  provenDecision,
  rowsOf,
} from '../../../testing/fixtures/decision-bundles.ts';
import {
  ALT_STRANGER,
  DEPLOYMENT,
  MAIN,
  messageOf,
  NOW,
  STRANGER,
} from '../../../testing/fixtures/deciding-machines.ts';
import type { MachineId } from '../identifiers/identifiers.ts';
import { signLogHead } from './decision-log-head.ts';
import type { ProvenDecision } from './decision-log.ts';

const ROWS = rowsOf('main');
const judge = (document: unknown, trust: Partial<BundleTrust> = {}) => {
  const check = verifyDecisionBundle(document, { ...BUNDLE_TRUST, ...trust });
  return check.ok ? 'accepted' : check.problem;
};

describe('a bundle', () => {
  it.each([
    ['main-chain decisions', bundleOf(ROWS)],
    ['alt-chain decisions', bundleOf(rowsOf('alt'))],
    ['decisions of both homes', bundleOf(chainDecisions([provenDecision(0, 'main'), provenDecision(1, 'alt')]))],
    ['rows behind a checkpoint', bundleOf(ROWS, 3)],
  ])('is accepted with %s, parsed or as text', (_name, bundle) => {
    rule('decision-log.bundle');
    expect([judge(bundle), judge(JSON.stringify(bundle))]).toEqual(['accepted', 'accepted']);
  });

  const signed = (rows: typeof ROWS) => bundleOf(rows);
  const { decisions: _decisions, ...rest } = bundleOf(ROWS, 2);

  it.each([
    ['no row', { ...bundleOf(ROWS), decisions: [] }, 'malformed'],
    ['the newest row removed', { ...bundleOf(ROWS), decisions: ROWS.slice(0, -1) }, 'wrong head'],
    ['the oldest row removed', { ...bundleOf(ROWS), decisions: ROWS.slice(1) }, 'wrong checkpoint'],
    ['the oldest row removed, and signed again', signed(ROWS.slice(1)), 'wrong checkpoint'],
    ['a row removed between', { ...bundleOf(ROWS), decisions: ROWS.toSpliced(2, 1) }, 'broken chain'],
    ['rows in another order', { ...bundleOf(ROWS), decisions: ROWS.toReversed() }, 'broken chain'],
    ['the checkpoint removed', { ...bundleOf(ROWS, 2), checkpoint: null }, 'wrong checkpoint'],
    ['the checkpoint of more rows', { ...rest, decisions: ROWS.slice(3) }, 'wrong checkpoint'],
    ['a row added', { ...bundleOf(ROWS), decisions: rowsOf('main', 6) }, 'wrong head'],
    ['the head of a shorter log', { ...bundleOf(ROWS), head: bundleOf(ROWS.slice(0, -1)).head }, 'wrong head'],
  ])('is refused with %s', (_name, bundle, problem) => {
    rule('decision-log.bundle');
    expect(judge(bundle)).toBe(problem);
  });

  const other = (parts: Partial<ProvenDecision>) => bundleOf(chainDecisions([provenDecision(0, 'main', parts)]));
  const first = provenDecision(0, 'main');

  it.each([
    ['the opposite decision', other({ optedIn: false }), 'wrong message'],
    ['another second', other({ timestamp: first.timestamp + 1 }), 'wrong message'],
    [
      'a message for another deployment',
      other({
        message: Buffer.from(messageOf(first, { home: MAIN, deployment: { ...DEPLOYMENT, chainId: '1' } })).toString(),
      }),
      'wrong message',
    ],
    ['a text behind the message', other({ message: `${first.message}\n` }), 'wrong message'],
    ['another header', other({ message: first.message.replace('svc', 'abc') }), 'wrong decision signature'],
    ['the name of another signer', other({ signer: STRANGER.address }), 'wrong decision signature'],
    ['a slot', other({ authority: { ...first.authority, slot: 1 } }), 'wrong message'],
    [
      'a signer without authority',
      other({ signer: STRANGER.address, signature: STRANGER.sign(messageOf(first)) }),
      'not entitled',
    ],
    [
      'the controller of an alt-chain machine',
      bundleOf(
        chainDecisions([
          provenDecision(0, 'alt', {
            authority: { ...provenDecision(0, 'alt').authority, owner: ALT_STRANGER.key },
          }),
        ]),
      ),
      'not entitled',
    ],
    ['rows of the same second', bundleOf(chainDecisions([first, first])), 'broken chain'],
    [
      'a row of another machine',
      bundleOf(chainDecisions([{ ...first, machineId: 43n as MachineId }, provenDecision(1, 'main')])),
      'wrong machine',
    ],
  ])('is refused with %s, chained and signed again', (_name, bundle, problem) => {
    rule('decision-log.bundle');
    expect(judge(bundle)).toBe(problem);
  });

  it.each<[name: string, trust: Partial<BundleTrust>, result: string]>([
    ['another key', { keys: [STRANGER.address] }, 'unknown signer'],
    [
      'a revoked key',
      { keys: [{ address: BUNDLE_KEY.address, notBefore: 0, notAfter: null, revokedAt: NOW + 1 }] },
      'key not valid',
    ],
    [
      'a key that was not in use yet',
      { keys: [{ address: BUNDLE_KEY.address, notBefore: NOW + 1, notAfter: null, revokedAt: null }] },
      'key not valid',
    ],
    ['another chain', { chainId: 1 }, 'wrong domain'],
    ['another registry', { registry: STRANGER.address }, 'wrong domain'],
    ['a clock before the signature', { nowSeconds: NOW - 31 }, 'not valid yet'],
    ['no registry', { registry: '0x' }, 'invalid trust'],
  ])('is refused by a verifier with %s', (_name, trust, result) => {
    rule('decision-log.bundle');
    expect(judge(bundleOf(ROWS), trust)).toBe(result);
  });

  it('is refused when a head that someone stored is not in its chain', () => {
    rule('decision-log.bundle');
    const [, , known] = ROWS;
    const rewritten = rowsOf('main', 6).slice(1);
    expect(judge(bundleOf(ROWS), { knownHead: known!.hash })).toBe('accepted');
    expect(judge(bundleOf(ROWS, 3), { knownHead: known!.hash })).toBe('accepted');
    expect(judge(bundleOf(chainDecisions([provenDecision(0, 'main')])), { knownHead: known!.hash })).toBe(
      'known head missing',
    );
    expect(judge(bundleOf(rewritten), { knownHead: known!.hash })).toBe('wrong checkpoint');
  });

  it('is refused with a head that another machine signed', () => {
    const { head, ...bundle } = bundleOf(ROWS);
    const foreign = signLogHead({ ...head.head, machineId: '43' }, bundle.domain, BUNDLE_KEY);
    expect(judge({ ...bundle, head: foreign })).toBe('wrong machine');
  });
});
