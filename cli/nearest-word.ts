/** Which word did somebody mean who mistyped it? */

/** As many letters may be missing, too many, or wrong. */
const MOST_MISTAKES = 2;

/** The known word that takes the fewest mistakes to become `typed`; undefined: none is near. */
export function findNearestWord(typed: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((word) => ({ word, mistakes: countMistakes(typed, word) }))
    .filter(({ word, mistakes }) => mistakes <= MOST_MISTAKES && mistakes < word.length)
    .sort((a, b) => a.mistakes - b.mistakes);
  return nearest?.word;
}

/** The distance of Levenshtein. */
function countMistakes(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = row[at - 1]! + (letter === b[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
