/** Fuzzes transaction reading: every result is read or unreadable, and no record comes from a log. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventCases,
  toEventRecord,
  transactionCases,
  vectorPrograms,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { responseOf, readAs, readChanged } from '../../../../testing/fixtures/alt-transactions.ts';

const one = responseOf('one event, legacy');

describe('a transaction with any JSON in place of any member', () => {
  it.each(transactionCases)('is read or unreadable: $name', async ({ response }) => {
    const paths = listPaths(response);
    await fc.assert(
      fc.asyncProperty(fc.nat(paths.length - 1), fc.jsonValue(), async (k, value) => {
        const reading = await readChanged(response, (copy) => replaceAt(copy, paths[k]!, value));
        expect(['read', 'unreadable']).toContain(reading.state);
      }),
      { numRuns: 200 },
    );
  });
});

it('any other JSON is unreadable, and null is not here yet', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (result) => {
      expect(await readAs(one, result)).toStrictEqual({ state: result === null ? 'not-here-yet' : 'unreadable' });
    }),
  );
});

describe('log lines', () => {
  const readWith = (logMessages: string[]) => readChanged(one, ({ meta }) => (meta.logMessages = logMessages));
  const ownRecord = { state: 'read', operations: [{ record: toEventRecord(eventCases[0]!.decoded) }] };

  it('never replace the record of the instruction', async () => {
    const lines = [
      ...one.meta.logMessages!,
      ...eventCases.map(({ logLine }) => logLine),
      `Program ${vectorPrograms.eventRegistry} invoke [2]`,
      `Program ${vectorPrograms.stateAndSync} invoke [1]`,
      `Program ${vectorPrograms.stateAndSync} failed: custom program error: 0x1`,
      'Log truncated',
    ];
    const logs = fc.oneof(
      fc.array(fc.constantFrom(...lines), { maxLength: 12 }),
      fc.shuffledSubarray(lines, { minLength: 4 }),
    );
    const seen = { read: 0, unreadable: 0 };
    await fc.assert(
      fc.asyncProperty(logs, async (logMessages) => {
        const reading = await readWith(logMessages);
        seen[reading.state === 'unreadable' ? 'unreadable' : 'read'] += 1;
        if (reading.state !== 'unreadable') expect(reading).toMatchObject(ownRecord);
      }),
      { numRuns: 500 },
    );
    expect(seen.read).toBeGreaterThan(50);
    expect(seen.unreadable).toBeGreaterThan(50);
  });

  it('leave the record readable after noise and in a truncated log', async () => {
    const noise = fc.array(fc.constantFrom('Program log: x', 'Log truncated'), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(noise, async (noisy) => {
        expect(await readWith([...noisy, ...one.meta.logMessages!])).toMatchObject(ownRecord);
      }),
    );
  });
});

function listPaths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, member]) => listPaths(member, [...path, name]));
  return path.length === 0 ? below : [path, ...below];
}

function replaceAt(target: unknown, path: readonly string[], value: unknown): void {
  let parent = target as Record<string, unknown>;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  parent[path.at(-1)!] = value;
}
