/** Whose data is a line of data? Only that of the innermost open frame. */
import { describe, expect, it } from 'vitest';
import { listProgramData } from './program-log.ts';
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
    ['in a frame below', [open(other, 1), open(ours, 2), ONE, close(ours), close(other)], [1]],
    ['around a frame it opened', [open(ours, 1), ONE, open(other, 2), close(other), TWO, close(ours)], [1, 2]],
    ['of a program it called', [open(ours, 1), open(other, 2), ONE, close(other), close(ours)], []],
    ['of another program', [open(other, 1), ONE, close(other)], []],
    ['outside of every frame', [ONE], []],
    ['in a frame that failed', [open(other, 1), open(ours, 2), ONE, fail(ours), close(other)], []],
    ['below a frame that failed', [open(other, 1), open(ours, 2), ONE, close(ours), fail(other)], []],
    ['before a frame that failed', [open(ours, 1), ONE, close(ours), open(other, 1), TWO, fail(other)], [1]],
    ['behind a label', [open(ours, 1), `Program log: ${ONE}`, close(ours)], []],
    ['behind a line break', [open(ours, 1), `Program log: x\n${ONE}`, close(ours)], []],
    ['before a line break', [open(ours, 1), `${ONE}\n`, close(ours)], []],
    ['in several fields', [open(ours, 1), `${ONE} Ag==`, close(ours)], []],
    ['that is not base64', [open(ours, 1), 'Program data: AR==', close(ours)], []],
    [
      'beside lines that mean nothing',
      ['', open(ours, 1), 'Program return: x', `Program ${ours} consumed 1 of 2`, ONE, close(ours)],
      [1],
    ],
    ['in no line', [], []],
  ])('%s', (_name, entries, expected) => {
    expect(listProgramData(entries, ours).map((payload) => [...payload])).toStrictEqual(expected.map((byte) => [byte]));
  });
});

describe('frames that do not fit', () => {
  it.each<[name: string, entries: string[]]>([
    ['never closed', [open(ours, 1)]],
    ['never opened', [close(ours)]],
    ['closed by another', [open(ours, 1), close(other)]],
    ['failed by another', [open(ours, 1), fail(other)]],
    ['one level too deep', [open(ours, 2), close(ours)]],
    ['twice at one level', [open(ours, 1), open(other, 1), close(other), close(ours)]],
    ['of what is no program', [open('l'.repeat(40), 1), close('l'.repeat(40))]],
  ])('%s', (_name, entries) => {
    expect(() => listProgramData(entries, ours)).toThrow('undecodable');
  });
});
