/** Authorized signers, and replay of a captured signature in another context. */
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { formatAltKey } from '../identifiers/alt-identifiers.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { Fault } from '../faults.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { mixedPoint, encodeLittleEndian } from '../../../testing/fixtures/crafted-ed25519.ts';
import type { Ed25519Signature, RecoverableSignature } from '../signatures/signature-parsing.ts';
import { IMPLEMENTATIONS, formatEd25519 } from '../../../testing/fixtures/signing-keys.ts';
import type { DecidingHome } from './deciding-machine.ts';
import {
  ALT,
  ALT_MACHINE,
  ALT_ORDINAL,
  ALT_OWNER,
  ALT_STRANGER,
  CONTROLLER,
  DEPLOYMENT,
  ELIGIBLE,
  MAIN,
  MAIN_MACHINE,
  messageOf,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  STRANGER,
  UNREADABLE,
} from '../../../testing/fixtures/deciding-machines.ts';
import type { UnauthorizedCause } from './decision-refusal.ts';
import { judgeSigner, type DecisionProof } from './decision-signer.ts';
import type { Decision, PublishedDeployment } from './decision.ts';
import { ABSENT, present } from '../read-result.ts';

const byMain = (signature: RecoverableSignature): DecisionProof => ({ kind: 'eip191', signature });
const byAlt = (signature: Ed25519Signature, signerKey = ALT_OWNER.key): DecisionProof => ({
  kind: 'ed25519',
  signerKey,
  signature,
});
const refused = (cause: UnauthorizedCause) => ({ refusal: new Fault('SignerUnauthorized', { cause }) });
const UNRECOVERABLE = { refusal: new Fault('SignatureUnrecoverable', {}) };

const MESSAGE = messageOf(OPT_IN);
const ALT_MESSAGE = messageOf(OPT_IN, { home: ALT });
const UNRECOVERABLE_SIGNATURE = `0x${'00'.repeat(65)}` as RecoverableSignature;

describe.each(IMPLEMENTATIONS)('judgeSigner (%s) for a main-chain machine', (_name, checks) => {
  const judge = (proof: DecisionProof, facts = {}) =>
    judgeSigner(checks, MESSAGE, proof, { home: MAIN, snapshot: { ...ELIGIBLE, ...facts } });

  it('accepts its owner and its controller', () => {
    expect(judge(byMain(OWNER.sign(MESSAGE)))).toStrictEqual({ signer: OWNER.address });
    expect(judge(byMain(CONTROLLER.sign(MESSAGE)))).toStrictEqual({ signer: CONTROLLER.address });
  });

  it('accepts only the owner when no controller is set', () => {
    expect(judge(byMain(OWNER.sign(MESSAGE)), { controller: ABSENT })).toStrictEqual({ signer: OWNER.address });
    expect(judge(byMain(CONTROLLER.sign(MESSAGE)), { controller: ABSENT })).toStrictEqual(refused('not-entitled'));
  });

  it('accepts the controller after a sale, but no longer the seller', () => {
    rule('security.seller-loses-control');
    const sold = { owner: present(STRANGER.address) };
    expect(judge(byMain(CONTROLLER.sign(MESSAGE)), sold)).toStrictEqual({ signer: CONTROLLER.address });
    expect(judge(byMain(OWNER.sign(MESSAGE)), sold)).toStrictEqual(refused('not-entitled'));
  });

  it('rejects any other account', () => {
    expect(judge(byMain(STRANGER.sign(MESSAGE)))).toStrictEqual(refused('not-entitled'));
  });

  it('rejects an alt-chain key with any signature', () => {
    expect(judge(byAlt(ALT_OWNER.sign(MESSAGE)))).toStrictEqual(refused('wrong-kind'));
    expect(judge(byAlt(ALT_OWNER.sign(ALT_MESSAGE)))).toStrictEqual(refused('wrong-kind'));
    expect(judge({ kind: 'mixed' })).toStrictEqual(refused('wrong-kind'));
  });

  it('rejects a signature from which no key can be recovered', () => {
    expect(judge(byMain(UNRECOVERABLE_SIGNATURE))).toStrictEqual(UNRECOVERABLE);
    expect(judge(byMain(UNRECOVERABLE_SIGNATURE), { controller: UNREADABLE })).toStrictEqual(UNRECOVERABLE);
  });

  it.each(['owner', 'controller'])('throws ChainUnreadable while its %s is unreadable', (fact) => {
    expect(() => judge(byMain(OWNER.sign(MESSAGE)), { [fact]: UNREADABLE })).toThrow(
      new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' }),
    );
  });
});

describe.each(IMPLEMENTATIONS)('judgeSigner (%s) for an alt-chain machine', (_name, checks) => {
  const judge = (proof: DecisionProof, home: DecidingHome = ALT) =>
    judgeSigner(checks, ALT_MESSAGE, proof, { ...ALT_MACHINE, home });

  it('accepts its owner', () => {
    expect(judge(byAlt(ALT_OWNER.sign(ALT_MESSAGE)))).toStrictEqual({ signer: ALT_OWNER.key });
  });

  it('rejects another key that signed', () => {
    const proof = byAlt(ALT_STRANGER.sign(ALT_MESSAGE), ALT_STRANGER.key);
    expect(judge(proof)).toStrictEqual(refused('not-entitled'));
  });

  it("rejects a signature of another key in the owner's name", () => {
    expect(judge(byAlt(ALT_STRANGER.sign(ALT_MESSAGE)))).toStrictEqual(refused('not-verified'));
    expect(judge(byAlt(ALT_OWNER.sign(ALT_MESSAGE), ALT_STRANGER.key))).toStrictEqual(refused('not-verified'));
  });

  it('rejects EIP-191 with any signature', () => {
    expect(judge(byMain(OWNER.sign(ALT_MESSAGE)))).toStrictEqual(refused('wrong-kind'));
    expect(judge(byMain(OWNER.sign(MESSAGE)))).toStrictEqual(refused('wrong-kind'));
    expect(judge(byMain(UNRECOVERABLE_SIGNATURE))).toStrictEqual(refused('wrong-kind'));
    expect(judge({ kind: 'mixed' })).toStrictEqual(refused('wrong-kind'));
  });

  it('rejects an owner key of small order, for which anyone can sign', () => {
    rule('security.small-order-key');
    const neutral = formatAltKey(encodeLittleEndian(1n));
    const forged = formatEd25519(concatBytes(mixedPoint(1n, 0n), encodeLittleEndian(1n)));
    const home: DecidingHome = { chain: 'alt', ordinal: ALT_ORDINAL, owner: neutral };
    expect(judge(byAlt(forged, neutral), home)).toStrictEqual(refused('not-verified'));
  });
});

/** Contexts in which a captured signature is replayed. */
const REPLAYS: readonly [name: string, decision: Partial<Decision>, deployment: Partial<PublishedDeployment>][] = [
  ['another chain', {}, { chainId: '1' }],
  ['another machine', { machineId: 43n as MachineId }, {}],
  ['the opposite decision', { optedIn: false }, {}],
  ['another time', { timestamp: NOW + 1 }, {}],
];

describe.each(IMPLEMENTATIONS)('judgeSigner (%s) for a captured signature', (_name, checks) => {
  rule('auth.bound-to-alt-home');
  const judgeMain = (message: Uint8Array) => judgeSigner(checks, message, byMain(OWNER.sign(MESSAGE)), MAIN_MACHINE);
  const judgeAlt = (message: Uint8Array, proof = byAlt(ALT_OWNER.sign(ALT_MESSAGE))) =>
    judgeSigner(checks, message, proof, ALT_MACHINE);

  it.each(REPLAYS)('rejects it for %s', (_case, decision, deployment) => {
    const changed = { ...OPT_IN, ...decision };
    const other = { ...DEPLOYMENT, ...deployment };
    expect(judgeMain(messageOf(changed, { deployment: other }))).toStrictEqual(refused('not-entitled'));
    expect(judgeAlt(messageOf(changed, { home: ALT, deployment: other }))).toStrictEqual(refused('not-verified'));
  });

  it('rejects it for another registry on the same chain', () => {
    const deployment = { ...DEPLOYMENT, registry: `0x${'bb'.repeat(20)}` as Address };
    expect(judgeMain(messageOf(OPT_IN, { deployment }))).toStrictEqual(refused('not-entitled'));
  });

  it('rejects it for another home of the same machine', () => {
    const other: DecidingHome = { chain: 'alt', ordinal: 6, owner: ALT_OWNER.key };
    expect(judgeAlt(messageOf(OPT_IN, { home: other }))).toStrictEqual(refused('not-verified'));
    expect(judgeMain(ALT_MESSAGE)).toStrictEqual(refused('not-entitled'));
    expect(judgeAlt(ALT_MESSAGE, byAlt(ALT_OWNER.sign(MESSAGE)))).toStrictEqual(refused('not-verified'));
  });

  it('rejects a signature over five lines without an audience', () => {
    const fiveLines = Buffer.from(ALT_MESSAGE)
      .toString()
      .replace(/audience: .*\n/, '');
    expect(fiveLines.split('\n')).toHaveLength(5);
    expect(judgeAlt(ALT_MESSAGE, byAlt(ALT_OWNER.sign(utf8ToBytes(fiveLines))))).toStrictEqual(refused('not-verified'));
  });

  it('rejects a signature over a message with a trailing line break', () => {
    const [main, alt] = [MESSAGE, ALT_MESSAGE].map((message) => concatBytes(message, utf8ToBytes('\n')));
    expect(judgeSigner(checks, MESSAGE, byMain(OWNER.sign(main!)), MAIN_MACHINE)).toStrictEqual(
      refused('not-entitled'),
    );
    expect(judgeAlt(ALT_MESSAGE, byAlt(ALT_OWNER.sign(alt!)))).toStrictEqual(refused('not-verified'));
  });

  it('rejects a signature over the rounded id of a machine', () => {
    rule('monetization-errors.rounded-message-id');
    const [meant, rounded] = [9007199254740993n, 9007199254740992n].map((id) => ({
      ...OPT_OUT,
      machineId: id as MachineId,
    }));
    const proof = byMain(OWNER.sign(messageOf(rounded!)));
    expect(judgeSigner(checks, messageOf(meant!), proof, MAIN_MACHINE)).toStrictEqual(refused('not-entitled'));
  });
});
