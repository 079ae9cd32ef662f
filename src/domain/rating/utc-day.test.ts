import { describe, expect, it } from 'vitest';

import { dayOf, formatDay, parseDay, weekOf } from './utc-day.ts';

describe('dayOf', () => {
  it('changes at midnight UTC', () => {
    expect(dayOf(86_399)).toBe(0);
    expect(dayOf(86_400)).toBe(1);
  });
});

describe('weekOf', () => {
  it('runs from Monday to Sunday', () => {
    const [sunday, monday, nextSunday] = ['2026-03-01', '2026-03-02', '2026-03-08'].map((text) => parseDay(text)!);
    expect(weekOf(monday!)).toBe(weekOf(sunday!) + 1);
    expect(weekOf(nextSunday!)).toBe(weekOf(monday!));
  });

  it('starts with the week of the epoch, which has four days', () => {
    expect([0, 3, 4].map(weekOf)).toStrictEqual([0, 0, 1]);
  });
});

describe('parseDay', () => {
  it('parses calendar days, leap days included', () => {
    expect(parseDay('1970-01-01')).toBe(0);
    expect(parseDay('2026-03-02')).toBe(20_514);
    expect(parseDay('2024-02-29')).toBe(19_782);
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-3-2',
    '26-03-02',
    '2026-03-02 ',
    ' 2026-03-02',
    '+002026-03-02',
    '2026-03-02T00:00:00Z',
    '',
  ])('rejects %j', (text) => {
    expect(parseDay(text)).toBeUndefined();
  });

  it('is the inverse of formatDay', () => {
    for (const day of [0, 19_782, 20_514, 25_000]) expect(parseDay(formatDay(day))).toBe(day);
  });
});
