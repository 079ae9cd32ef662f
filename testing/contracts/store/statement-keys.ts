/** Contract of `StatementKeyStore`. */
import { expect, test } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import type { StoreUnderTest } from '../store-contract.ts';

const keyOf = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [FIRST, SECOND, THIRD] = [keyOf('f'), keyOf('2'), keyOf('3')];
const UNUSED = { notBefore: undefined, notAfter: undefined, revokedAt: undefined };

export function testStatementKeys(under: StoreUnderTest): void {
  const record = (signing: Address, announced: readonly Address[], nowSeconds: number) =>
    under.store.recordStatementKeys({ signing, announced }, { nowSeconds, lastSecond: nowSeconds + 600 });

  test('lists announced keys, the key in use and replaced keys in the order of their addition', async () => {
    rule('statement.rotation');
    expect(await under.store.listStatementKeys()).toEqual([]);
    await record(FIRST, [SECOND], 1_000);
    await record(FIRST, [SECOND], 1_001);
    expect(await under.store.listStatementKeys()).toEqual([
      { ...UNUSED, address: FIRST, notBefore: 1_000 },
      { ...UNUSED, address: SECOND },
    ]);
    await record(SECOND, [THIRD], 2_000);
    await record(SECOND, [], 3_000);
    expect(await (await under.openAnother()).listStatementKeys()).toEqual([
      { ...UNUSED, address: FIRST, notBefore: 1_000, notAfter: 2_600 },
      { ...UNUSED, address: SECOND, notBefore: 2_000 },
      { ...UNUSED, address: THIRD },
    ]);
  });

  test('uses a replaced key again from its first second on', async () => {
    await record(FIRST, [], 1_000);
    await record(SECOND, [], 2_000);
    await record(FIRST, [], 3_000);
    expect(await under.store.listStatementKeys()).toEqual([
      { ...UNUSED, address: FIRST, notBefore: 1_000 },
      { ...UNUSED, address: SECOND, notBefore: 2_000, notAfter: 3_600 },
    ]);
  });

  test('keeps the first revocation of a key, whatever is configured later', async () => {
    expect(await under.store.revokeStatementKey(FIRST, 1_500)).toBe(false);
    await record(FIRST, [], 1_000);
    expect(await under.store.revokeStatementKey(FIRST, 1_500)).toBe(true);
    expect(await under.store.revokeStatementKey(FIRST, 1_600)).toBe(true);
    await record(FIRST, [], 2_000);
    expect(await under.store.listStatementKeys()).toEqual([
      { address: FIRST, notBefore: 1_000, notAfter: undefined, revokedAt: 1_500 },
    ]);
  });

  test('records concurrent starts one after the other', async () => {
    await Promise.all([
      record(FIRST, [SECOND], 1_000),
      record(FIRST, [SECOND, THIRD], 1_000),
      record(FIRST, [], 1_000),
    ]);
    const keys = await under.store.listStatementKeys();
    expect(keys.map(({ address }) => address).sort()).toEqual([SECOND, THIRD, FIRST]);
  });
}
