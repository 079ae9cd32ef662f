/** Color of a score on a terminal. */
export function styleOfScore(score: number): 'green' | 'yellow' | 'red' {
  if (score >= 75) return 'green';
  return score >= 45 ? 'yellow' : 'red';
}
