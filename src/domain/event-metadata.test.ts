import { describe, expect, it } from 'vitest';
import { parseEventMetadata } from './event-metadata.ts';

const hex = (text: string) => `0x${Buffer.from(text, 'utf8').toString('hex')}`;

describe('event metadata is shown as a JSON object, else as {}', () => {
  it('shows an object', () => {
    expect(parseEventMetadata(hex('{"a":[1,"x"]}'))).toEqual({ a: [1, 'x'] });
  });

  it.each([
    ['nothing', '0x'],
    ['an array', hex('[1]')],
    ['null', hex('null')],
    ['a number', hex('5')],
    ['broken JSON', hex('{"a":')],
    ['a byte-order mark', hex('\ufeff{}')],
    ['invalid UTF-8', '0x7b22ff223a317d'],
    ['an odd digit', '0x7'],
  ])('shows {} for %s', (_name, bytes) => {
    expect(parseEventMetadata(bytes)).toEqual({});
  });
});
