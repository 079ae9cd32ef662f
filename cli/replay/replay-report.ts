/** Text of a replay: both ratings side by side, every difference, and the verdict. */
import { asObject, isArray, isObject, printable, showSide, type Json, type JsonObject } from './replay-json.ts';
import type { ReplayResult } from './replay.ts';

/** Formats both ratings side by side, then every difference and the verdict. */
export function formatReplay(result: ReplayResult): string {
  const inputs = asObject(result.recomputed['inputs']);
  const block = asObject(inputs['block']);
  const rows = [...listMembers(result.recomputed).keys()].map((name) => [
    name,
    showSide(listMembers(result.served).get(name)),
    showSide(listMembers(result.recomputed).get(name)),
  ]);
  const differenceRows = result.differences.map(({ path, served, recomputed }) => [
    path,
    showSide(served),
    showSide(recomputed),
  ]);
  const now = new Date(Number(inputs['now']) * 1000);
  const clock = Number.isNaN(now.getTime()) ? showSide(inputs['now']) : now.toISOString();
  const verdict = result.equal
    ? `Equal: ${result.compared} values recomputed from ${showSide(inputs['event_count'])} raw events.`
    : `DIFFERENT: ${result.differences.length} of ${result.compared} values.`;
  return [
    `${result.did} at block ${showSide(block['number'])} (${showSide(block['hash'])}), ` +
      `${'slot' in inputs ? `slot ${showSide(inputs['slot'])}, ` : ''}clock ${clock}`,
    '',
    ...toColumns([['', 'served', 'recomputed'], ...rows]),
    '',
    ...(result.equal ? [] : [...toColumns([['difference', 'served', 'recomputed'], ...differenceRows]), '']),
    ...(result.ahead.length === 0
      ? []
      : [`Ahead of the service: verdicts of ${result.ahead.length} events, which are pending there.`]),
    ...(result.unchecked.length === 0 ? [] : [`Not checked: ${result.unchecked.join(', ')}`]),
    verdict,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** Lists the scalar members and the points of each factor. */
function listMembers(rating: JsonObject): Map<string, Json> {
  const scalars = Object.entries(rating).filter(
    ([name, value]) => name !== 'summary' && !isObject(value) && !isArray(value),
  );
  const factors = isArray(rating['factors']) ? rating['factors'].map((factor) => asObject(factor)) : [];
  return new Map([
    ...scalars,
    ...factors.map((factor) => [`points: ${showSide(factor['name'])}`, factor['points_hundredths'] ?? null] as const),
    ['summary', rating['summary'] ?? null],
  ]);
}

function toColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([name, served, recomputed]) =>
    `${name!.padEnd(widths[0]!)}  ${served!.padEnd(widths[1]!)}  ${recomputed!}`.trimEnd(),
  );
}
