/** What is kept of a binding, for how long, and what a wallet costs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerWith } from '../../../../testing/harness/rpc-proxy.ts';
import { formatAltKey, parseAltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { parseAddress } from '../../../domain/identifiers/identifiers.ts';
import { createAltScene, type AltScene } from '../../../../testing/fixtures/alt-chain-adapter.ts';
import { CANNED_SLOT, startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { bindingsFile, programOf } from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { rule } from '../../../../test/conformance/rule.ts';

const caseOf = (name: string) => bindingsFile.cases.find((each) => each.name === name)!;
const BOUND = caseOf('bound');
const REVOKED = caseOf('revoked');
const wallet = parseAltKey(BOUND.solanaAddr)!;
const operator = parseAddress(BOUND.evmAddress!)!;

let node: CannedNode;
let scene: AltScene;
beforeEach(async () => {
  node = await startCannedNode();
  scene = createAltScene([node.proxy.url], node.genesisHash);
});
afterEach(async () => {
  await scene.close();
  await node.close();
});

/** A registry whose node has been asked for its genesis hash. */
async function openBindings(limits = {}) {
  const adapter = scene.open({ limits });
  await adapter.bindings!.readBinding(programOf('stranger'));
  node.proxy.resetCounts();
  return adapter.bindings!;
}

function place({ pda, account }: typeof BOUND): void {
  node.accounts.set(pda, account!);
}

describe('an outcome', () => {
  it.each<[name: string, prepare: () => void, outcome: object]>([
    ['bound', () => place(BOUND), { kind: 'bound', operator }],
    ['not bound', () => undefined, { kind: 'not-bound' }],
    ['revoked', () => node.accounts.set(BOUND.pda, revokedAccount()), { kind: 'revoked' }],
  ])('%s is kept for a minute', async (_name, prepare, outcome) => {
    rule('address-keyed.cache', 'limits.binding-cache');
    const bindings = await openBindings();
    prepare();
    expect(await bindings.readBinding(wallet)).toStrictEqual(outcome);
    scene.time.milliseconds += 59_999;
    expect(await bindings.readBinding(wallet)).toStrictEqual(outcome);
    expect(node.proxy.calls.map(({ method, params }) => [method, params[0]])).toStrictEqual([
      ['getAccountInfo', BOUND.pda],
    ]);
    scene.time.milliseconds += 1;
    await bindings.readBinding(wallet);
    expect(node.proxy.requests).toBe(2);
  });

  it('is one account read, of what is final', async () => {
    rule('address-keyed.one-account-read');
    const bindings = await openBindings();
    await bindings.readBinding(wallet);
    const [call] = node.proxy.calls;
    expect([node.proxy.requests, call!.method, call!.params]).toStrictEqual([
      1,
      'getAccountInfo',
      [BOUND.pda, { commitment: 'finalized', encoding: 'base64', minContextSlot: CANNED_SLOT }],
    ]);
  });

  it('is kept for so many wallets only', async () => {
    const bindings = await openBindings({ maxBindings: 2 });
    const wallets = [1, 2, 3].map((byte) => formatAltKey(new Uint8Array(32).fill(byte)));
    for (const each of [...wallets, ...wallets.toReversed()]) await bindings.readBinding(each);
    expect(node.proxy.requests).toBe(4);
  });

  it('is shared by all that ask at one time', async () => {
    const bindings = await openBindings();
    place(BOUND);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => bindings.readBinding(wallet)));
    expect(new Set(outcomes).size).toBe(1);
    expect(node.proxy.requests).toBe(1);
  });
});

describe('what is not settled', () => {
  it.each<[name: string, spoil: () => void, heal: () => void, cause: string]>([
    [
      'an account of another kind',
      () => node.accounts.set(BOUND.pda, { ...BOUND.account!, owner: programOf('stranger') }),
      () => node.accounts.delete(BOUND.pda),
      'undecodable',
    ],
    [
      'a binding of another wallet',
      () => node.accounts.set(BOUND.pda, REVOKED.account!),
      () => node.accounts.delete(BOUND.pda),
      'contradiction',
    ],
    [
      'an answer without a value',
      () => node.proxy.inject(answerWith('getAccountInfo', { result: { context: { slot: 500_000_000 } } })),
      () => node.proxy.heal(),
      'malformed',
    ],
    [
      'an error',
      () => node.proxy.inject(answerWith('getAccountInfo', { error: { code: -32602, message: 'x' } })),
      () => node.proxy.heal(),
      'rpc-error',
    ],
  ])('by %s is neither kept nor an absence', async (_name, spoil, heal, cause) => {
    rule('address-keyed.cache', 'limits.binding-cache');
    const bindings = await openBindings();
    spoil();
    const expected = { kind: 'ChainUnreadable', context: { chain: 'alt', cause } };
    await expect(bindings.readBinding(wallet)).rejects.toMatchObject(expected);
    heal();
    expect(await bindings.readBinding(wallet)).toStrictEqual({ kind: 'not-bound' });
  });
});

it('another registry of the same shape is read when it is configured', async () => {
  const binding = { program: programOf('stranger'), seed: 'Other', discriminator: '00'.repeat(8) };
  const adapter = scene.open({ binding, programs: undefined });
  expect(adapter.machines).toBeUndefined();
  expect(await adapter.bindings!.readBinding(wallet)).toStrictEqual({ kind: 'not-bound' });
  expect(node.proxy.calls.at(-1)!.params[0]).not.toBe(BOUND.pda);
  expect(await adapter.checkDeployment()).toStrictEqual([]);
});

/** The account of the bound wallet after it was revoked: zeros for an address. */
function revokedAccount() {
  const data = Buffer.from(BOUND.account!.data, 'base64');
  return { ...BOUND.account!, data: data.fill(0, 40, 60).toString('base64') };
}
