import { describe, expect, it } from 'vitest';
import { parseEventMetadata } from './event-metadata.ts';

const hex = (text: string) => `0x${Buffer.from(text, 'utf8').toString('hex')}`;

describe('event metadata', () => {
  it('is shown when it is a JSON object', () => {
    expect(parseEventMetadata(hex('{"a":[1,"x"]}'))).toEqual({ a: [1, 'x'] });
  });

  it.each([
    ['nothing', '0x'],
    ['an array', hex('[1]')],
    ['invalid UTF-8', '0x7b22ff223a317d'],
  ])('is shown as {} when it is %s', (_name, bytes) => {
    expect(parseEventMetadata(bytes)).toEqual({});
  });
});
