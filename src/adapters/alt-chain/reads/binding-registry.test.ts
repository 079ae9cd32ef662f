/** Tests caching of bindings and the number of requests per wallet. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import { formatAltKey, parseAltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { ChainWork } from '../../../ports/runtime.ts';
import { parseAddress } from '../../../domain/identifiers/identifiers.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import { CANNED_SLOT, startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { bindingsFile, bindingTimeOf, programOf } from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { rule } from '../../../../test/conformance/rule.ts';

const caseOf = (name: string) => bindingsFile.cases.find((each) => each.name === name)!;
const BOUND = caseOf('bound');
const REVOKED = caseOf('revoked');
const wallet = parseAltKey(BOUND.solanaAddr)!;
const operator = parseAddress(BOUND.evmAddress!)!;
const since = bindingTimeOf(BOUND.account!);

let node: CannedNode;
let harness: AltChainHarness;
beforeEach(async () => {
  node = await startCannedNode();
  harness = createAltChainHarness([node.proxy.url], node.genesisHash);
});
afterEach(async () => {
  await harness.close();
  await node.close();
});

/** Opens a registry whose node has already reported its genesis hash. */
async function openBindings(limits = {}) {
  const adapter = harness.open({ limits });
  await adapter.bindings!.readBinding(programOf('stranger'));
  node.proxy.resetCounts();
  return adapter.bindings!;
}

function place({ pda, account }: typeof BOUND): void {
  node.accounts.set(pda, account!);
}

describe('an outcome', () => {
  it.each<[name: string, prepare: () => void, outcome: object]>([
    ['bound', () => place(BOUND), { kind: 'bound', operator, since }],
    ['not bound', () => undefined, { kind: 'not-bound' }],
    ['revoked', () => node.accounts.set(BOUND.pda, revokedAccount()), { kind: 'revoked' }],
  ])('is cached for a minute: %s', async (_name, prepare, outcome) => {
    rule('address-keyed.cache', 'limits.binding-cache');
    const bindings = await openBindings();
    prepare();
    expect(await bindings.readBinding(wallet)).toStrictEqual(outcome);
    harness.time.milliseconds += 59_999;
    expect(await bindings.readBinding(wallet)).toStrictEqual(outcome);
    expect(node.proxy.calls.map(({ method, params }) => [method, params[0]])).toStrictEqual([
      ['getAccountInfo', BOUND.pda],
    ]);
    harness.time.milliseconds += 1;
    await bindings.readBinding(wallet);
    expect(node.proxy.requests).toBe(2);
  });

  it('shares one call with the reads of the same tick', async () => {
    const bindings = await openBindings();
    place(BOUND);
    const wallets = [BOUND.solanaAddr, REVOKED.solanaAddr].map((text) => parseAltKey(text)!);
    const [bound, other] = await Promise.all(wallets.map((each) => bindings.readBinding(each)));
    expect([bound, other]).toStrictEqual([{ kind: 'bound', operator, since }, { kind: 'not-bound' }]);
    expect(node.proxy.calls.map(({ method, params }) => [method, params[0]])).toStrictEqual([
      ['getMultipleAccounts', [BOUND.pda, REVOKED.pda]],
    ]);
  });

  it('shares calls of as many accounts as the node accepts, which fail independently', async () => {
    const MAX = 5;
    const bindings = await openBindings();
    node.proxy.inject({
      kind: 'answer',
      change: (response, { method, params }) =>
        method === 'getMultipleAccounts' && (params[0] as readonly string[]).length > MAX
          ? { error: { code: -32602, message: `Too many inputs provided; max ${MAX}` } }
          : response,
    });
    const readMany = (count: number, from: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, i) => bindings.readBinding(formatAltKey(new Uint8Array(32).fill(from + i)))),
      );
    await readMany(12, 1);
    node.proxy.inject(respondWith('getMultipleAccounts', { error: { code: -32601, message: 'Method not found' } }), 1);
    const outcomes = await readMany(6, 101);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('costs one account read at commitment finalized', async () => {
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

  it('is cached for at most maxBindings wallets', async () => {
    const bindings = await openBindings({ maxBindings: 2 });
    const wallets = [1, 2, 3].map((byte) => formatAltKey(new Uint8Array(32).fill(byte)));
    for (const each of [...wallets, ...wallets.toReversed()]) await bindings.readBinding(each);
    expect(node.proxy.requests).toBe(4);
  });

  it('is read again for a reader that shared a read refused for another one', async () => {
    place(BOUND);
    let isLimited = true;
    const current = (): ChainWork => ({ kind: 'caller', networks: ['one'], isLimited });
    const adapter = harness.open({ workScope: { current, extend: () => undefined } as never });
    const first = adapter.bindings!.readBinding(wallet);
    isLimited = false;
    const second = adapter.bindings!.readBinding(wallet);
    await expect(first).rejects.toMatchObject({ kind: 'LookupsExceeded' });
    expect(await second).toStrictEqual({ kind: 'bound', operator, since });
  });

  it('is shared by concurrent readers', async () => {
    const bindings = await openBindings();
    place(BOUND);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => bindings.readBinding(wallet)));
    expect(new Set(outcomes).size).toBe(1);
    expect(node.proxy.requests).toBe(1);
  });
});

describe('an unreadable binding', () => {
  it.each<[name: string, spoil: () => void, heal: () => void, cause: string]>([
    [
      'another program’s account',
      () => node.accounts.set(BOUND.pda, { ...BOUND.account!, owner: programOf('stranger') }),
      () => node.accounts.delete(BOUND.pda),
      'undecodable',
    ],
    [
      'another wallet’s binding',
      () => node.accounts.set(BOUND.pda, REVOKED.account!),
      () => node.accounts.delete(BOUND.pda),
      'contradiction',
    ],
    [
      'a response without a value',
      () => node.proxy.inject(respondWith('getAccountInfo', { result: { context: { slot: 500_000_000 } } })),
      () => node.proxy.heal(),
      'malformed',
    ],
    [
      'an error',
      () => node.proxy.inject(respondWith('getAccountInfo', { error: { code: -32602, message: 'x' } })),
      () => node.proxy.heal(),
      'rpc-error',
    ],
  ])('is neither cached nor absent: %s', async (_name, spoil, heal, cause) => {
    rule('address-keyed.cache', 'limits.binding-cache');
    const bindings = await openBindings();
    spoil();
    const expected = { kind: 'ChainUnreadable', context: { chain: 'alt', cause } };
    await expect(bindings.readBinding(wallet)).rejects.toMatchObject(expected);
    heal();
    expect(await bindings.readBinding(wallet)).toStrictEqual({ kind: 'not-bound' });
  });
});

it('reads another registry of the same shape when configured', async () => {
  const binding = { program: programOf('stranger'), seed: 'Other', discriminator: '00'.repeat(8) };
  const adapter = harness.open({ binding, programs: undefined });
  expect(adapter.machines).toBeUndefined();
  expect(await adapter.bindings!.readBinding(wallet)).toStrictEqual({ kind: 'not-bound' });
  expect(node.proxy.calls.at(-1)!.params[0]).not.toBe(BOUND.pda);
  expect(await adapter.checkDeployment()).toStrictEqual([]);
});

/** Returns the account of the bound wallet after revocation, with a zero address. */
function revokedAccount() {
  const data = Buffer.from(BOUND.account!.data, 'base64');
  return { ...BOUND.account!, data: data.fill(0, 40, 60).toString('base64') };
}
