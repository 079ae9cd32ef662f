/** Tests the attribution of logged data to the innermost open frame. */
import { describe, expect, it } from 'vitest';
import { listProgramData } from './program-log.ts';
import { countReads } from '../../../../testing/harness/tick-counter.ts';
import { programOf } from '../../../../testing/fixtures/alt-chain-vectors.ts';

const ours = programOf('event_registry');
const other = programOf('stranger');
const open = (program: string, depth: number) => `Program ${program} invoke [${depth}]`;
const close = (program: string) => `Program ${program} success`;
const fail = (program: string) => `Program ${program} failed: custom program error: 0x1776`;
const ONE = 'Program data: AQ==';
const TWO = 'Program data: Ag==';

describe('data of a program', () => {
  it.each<[name: string, entries: string[], expected: number[]]>([
    ['in its frame', [open(ours, 1), ONE, close(ours)], [1]],
    ['in a nested frame', [open(other, 1), open(ours, 2), ONE, close(ours), close(other)], [1]],
    ['around a nested frame', [open(ours, 1), ONE, open(other, 2), close(other), TWO, close(ours)], [1, 2]],
    ['of a called program', [open(ours, 1), open(other, 2), ONE, close(other), close(ours)], []],
    ['of another program', [open(other, 1), ONE, close(other)], []],
    ['outside of any frame', [ONE], []],
    ['in a failed frame', [open(other, 1), open(ours, 2), ONE, fail(ours), close(other)], []],
    ['inside a failed outer frame', [open(other, 1), open(ours, 2), ONE, close(ours), fail(other)], []],
    ['before a failed frame', [open(ours, 1), ONE, close(ours), open(other, 1), TWO, fail(other)], [1]],
    ['after a label', [open(ours, 1), `Program log: ${ONE}`, close(ours)], []],
    ['after a line break', [open(ours, 1), `Program log: x\n${ONE}`, close(ours)], []],
    ['before a line break', [open(ours, 1), `${ONE}\n`, close(ours)], []],
    ['in several fields', [open(ours, 1), `${ONE} Ag==`, close(ours)], []],
    ['in invalid base64', [open(ours, 1), 'Program data: AR==', close(ours)], []],
    [
      'among unrelated lines',
      ['', open(ours, 1), 'Program return: x', `Program ${ours} consumed 1 of 2`, ONE, close(ours)],
      [1],
    ],
    ['in an empty log', [], []],
  ])('is attributed by frame: %s', async (_name, entries, expected) => {
    const payloads = await listProgramData(entries, ours);
    expect(payloads.map((payload) => [...payload])).toStrictEqual(expected.map((byte) => [byte]));
  });
});

describe('unbalanced frames', () => {
  it.each<[name: string, entries: string[]]>([
    ['unclosed', [open(ours, 1)]],
    ['unopened', [close(ours)]],
    ['closed by another program', [open(ours, 1), close(other)]],
    ['failed by another program', [open(ours, 1), fail(other)]],
    ['one level too deep', [open(ours, 2), close(ours)]],
    ['two at one level', [open(ours, 1), open(other, 1), close(other), close(ours)]],
    ['an invalid program key', [open('l'.repeat(40), 1), close('l'.repeat(40))]],
  ])('are undecodable: %s', async (_name, entries) => {
    await expect(listProgramData(entries, ours)).rejects.toThrow('undecodable');
  });
});

it('a long log is read in several ticks', async () => {
  const { items, counter } = countReads([open(ours, 1), ...new Array<string>(1_800).fill(ONE), close(ours)]);
  expect(await listProgramData(items, ours)).toHaveLength(1_800);
  expect(counter.most).toBeLessThanOrEqual(500);
});
