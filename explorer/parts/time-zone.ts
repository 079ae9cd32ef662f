/** Choice of the time zone in which times are shown, stored in this browser. */

export type TimeZone = 'utc' | 'local';

const KEY = 'time-zone';

let zone: TimeZone = read();

export function currentTimeZone(): TimeZone {
  return zone;
}

export function chooseTimeZone(chosen: TimeZone): void {
  zone = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The browser blocks storage; the choice lasts until the page is closed.
  }
}

function read(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'local' ? 'local' : 'utc';
  } catch {
    return 'utc';
  }
}
