/** Suggestion for a mistyped word, by edit distance. */

/** Limit on missing, extra or wrong letters. */
const MAX_EDITS = 2;

/** Returns the known word closest to `typed`, the first of several; undefined when none is close. */
export function findNearestWord(typed: string, known: readonly string[]): string | undefined {
  const letters = Array.from(typed);
  const [nearest] = known
    .filter((word) => Math.abs(word.length - letters.length) <= MAX_EDITS)
    .map((word) => ({ word, edits: editDistance(letters, word) }))
    .filter(({ word, edits }) => edits <= MAX_EDITS && edits < word.length)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.word;
}

/** Levenshtein distance. */
function editDistance(letters: readonly string[], word: string): number {
  let row = Array.from({ length: word.length + 1 }, (_, index) => index);
  for (const [index, letter] of letters.entries()) {
    const next = [index + 1];
    for (let at = 1; at <= word.length; at += 1) {
      const replaced = row[at - 1]! + (letter === word[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[word.length]!;
}
