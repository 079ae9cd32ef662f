/** Suggestion for a mistyped word, by edit distance. */

/** Limit on missing, extra or wrong letters. */
const MAX_EDITS = 2;

/** Returns the known word closest to `typed`, or undefined when none is close. */
export function findNearestWord(typed: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((word) => ({ word, edits: editDistance(typed, word) }))
    .filter(({ word, edits }) => edits <= MAX_EDITS && edits < word.length)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.word;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = row[at - 1]! + (letter === b[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
