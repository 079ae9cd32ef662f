/**
 * Structural mutations of a signed statement: members and items are removed, added, renamed, swapped and replaced, digits and letters change,
 * and the text is damaged. Deterministic for a seed.
 */
import { canonicalText, type JsonTree } from '../../src/domain/json/canonical-json.ts';

export interface StatementMutation {
  /** What was done, for a report. */
  readonly name: string;
  /** Parsed JSON, or a text that JSON parsers read differently or not at all. */
  readonly document: unknown;
}

type Path = readonly (string | number)[];
type Random = (below: number) => number;
type Mutable = Record<string | number, unknown>;

/** Returns a pseudo-random source (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Returns a mutation whose JSON value, or whose reading, differs from the document's. */
export function mutateStatement(document: JsonTree, random: Random): StatementMutation {
  if (random(10) === 0) return damageText(JSON.stringify(document), random);
  for (;;) {
    const copy = structuredClone(document) as unknown;
    const times = 1 + random(3);
    const names = Array.from({ length: times }, () => mutateOnce(copy, random));
    if (!isSameJson(copy, document)) return { name: names.join(', '), document: copy };
  }
}

/** Two values are the same document when their canonical forms are equal, whatever the order of members. */
function isSameJson(value: unknown, document: JsonTree): boolean {
  try {
    return canonicalText(value as JsonTree) === canonicalText(document);
  } catch {
    return false;
  }
}

function mutateOnce(document: unknown, random: Random): string {
  // A part first, because the types have most of the paths.
  const part = pick(Object.keys(document as Mutable), random);
  const path = pick(
    listPaths(document, []).filter(([first]) => first === part),
    random,
  );
  const holder = path.slice(0, -1).reduce<unknown>((value, name) => (value as Mutable)[name], document) as Mutable;
  const name = path.at(-1)!;
  const value = holder[name];
  const [kind, change] = pick(CHANGES, random);
  change({ holder, name, value, random });
  return `${kind} ${path.join('.')}`;
}

function listPaths(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = [...path, Array.isArray(value) ? Number(name) : name];
    return [own, ...listPaths(member, own)];
  });
}

interface Place {
  readonly holder: Mutable;
  readonly name: string | number;
  readonly value: unknown;
  readonly random: Random;
}

const OTHER_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.5, 42, 65_535, 65_536, 2 ** 53, 1e21, '', '0', '1', '00', ' ', '-1', '0x', '0x0'],
  ...['AAA', 'verified', 'mcr/3', '\ud800', '\u0000', '0x' + '00'.repeat(65), String(2n ** 256n), [], {}, [[]]],
];

const CHANGES: readonly (readonly [name: string, change: (place: Place) => void])[] = [
  ['remove', removeFrom],
  ['replace', ({ holder, name, random }) => (holder[name] = structuredClone(pick(OTHER_VALUES, random)))],
  ['add beside', ({ holder, random }) => addTo(holder, structuredClone(pick(OTHER_VALUES, random)))],
  ['duplicate', ({ holder, value }) => addTo(holder, structuredClone(value))],
  [
    'rename',
    ({ holder, name, value }) => {
      // Items have no names of their own.
      if (Array.isArray(holder)) return void holder.reverse();
      Reflect.deleteProperty(holder, name);
      holder[`${name}_`] = value;
    },
  ],
  [
    'swap',
    ({ holder, name, value, random }) => {
      const other = pick(Object.keys(holder), random);
      [holder[name], holder[other]] = [holder[other], value];
    },
  ],
  ['wrap', ({ holder, name, value, random }) => (holder[name] = random(2) === 0 ? [value] : { value })],
  [
    'text',
    ({ holder, name, value }) => (holder[name] = typeof value === 'string' ? Number(value) || 0 : String(value)),
  ],
  ['alter', ({ holder, name, value, random }) => (holder[name] = alter(value, random))],
];

function removeFrom({ holder, name }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else Reflect.deleteProperty(holder, name);
}

function addTo(holder: Mutable, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else holder['added'] = value;
}

/** Changes a scalar a little: a digit, a letter case, a bit, a blank, a neighbour. */
function alter(value: unknown, random: Random): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return pick([value + 1, value - 1, -value, value / 2, value * 10], random);
  if (typeof value !== 'string') return value;
  const at = random(value.length);
  const letter = value[at] ?? '';
  const swapped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
  const replaceBy = (text: string) => value.slice(0, at) + text + value.slice(at + 1);
  return pick(
    [
      replaceBy(swapped),
      replaceBy('0123456789abcdef'[random(16)]!),
      replaceBy(''),
      replaceBy(`${letter}${letter}`),
      `0${value}`,
      `${value}0`,
      ` ${value}`,
      `${value} `,
      value.toUpperCase(),
      value.toLowerCase(),
    ],
    random,
  );
}

/** Returns a text that is no JSON, or that parsers read differently. */
function damageText(text: string, random: Random): StatementMutation {
  const members = [...text.matchAll(/"(?:[^"\\]|\\.)*":/g)];
  const { 0: member, index } = pick(members, random);
  return pick<StatementMutation>(
    [
      { name: 'repeated member', document: `${text.slice(0, index)}${member}0,${text.slice(index)}` },
      { name: 'cut', document: text.slice(0, random(text.length)) },
      { name: 'text behind', document: `${text}${pick([',', '}', '{}', '0', '\0'], random)}` },
      { name: 'byte-order mark', document: `\ufeff${text}` },
      { name: 'comment', document: `${text.slice(0, index)}/**/${text.slice(index)}` },
      { name: 'lone surrogate', document: `${text.slice(0, index)}"\\ud800":0,${text.slice(index)}` },
    ],
    random,
  );
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[random(items.length)]!;
}
