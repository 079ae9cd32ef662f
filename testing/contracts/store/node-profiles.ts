/** Contract of `NodeProfileStore`. */
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from '../store-contract.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;
const hash = (n: number): string => n.toString(16).padStart(64, '0');

export function testNodeProfiles(under: StoreUnderTest): void {
  describe('profiles of nodes', () => {
    const read = async (nowSeconds = NOW) => Object.fromEntries(await under.store.readNodeProfiles(nowSeconds));

    test('are empty at first', async () => {
      expect(await read()).toEqual({});
    });

    test('are returned as last written, also by another process', async () => {
      await under.store.writeNodeProfiles(
        new Map([
          [hash(1), '{"a":1}'],
          [hash(2), '{}'],
        ]),
        NOW,
      );
      const other = await under.openAnother();
      await other.writeNodeProfiles(new Map([[hash(1), '{"a":2}']]), NOW);
      expect(await read()).toEqual({ [hash(1)]: '{"a":2}', [hash(2)]: '{}' });
    });

    test('are not returned after 30 days, and are deleted by the next write', async () => {
      await under.store.writeNodeProfiles(new Map([[hash(1), '{}']]), NOW);
      expect(await read(NOW + 30 * DAY - 1)).toHaveProperty(hash(1));
      expect(await read(NOW + 30 * DAY)).toEqual({});
      await under.store.writeNodeProfiles(new Map([[hash(2), '{}']]), NOW + 30 * DAY);
      expect(await read(NOW)).toEqual({ [hash(2)]: '{}' });
    });

    test('are not returned when longer than a profile', async () => {
      await under.store.writeNodeProfiles(
        new Map([
          [hash(1), 'x'.repeat(4_097)],
          [hash(2), 'x'.repeat(4_096)],
        ]),
        NOW,
      );
      expect(Object.keys(await read())).toEqual([hash(2)]);
    });
  });
}
