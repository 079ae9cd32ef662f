/** `svc explain`: the points of each factor of a rating, and every deduction with its reason, read through HTTP. */
import type { ExplanationResponse } from '../../client/client.ts';
import { defineCommand, EXAMPLE_DID, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { styleOfScore } from '../rating-style.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize, formatTable } from '../table.ts';

export const explain = defineCommand({
  name: 'explain',
  about: 'Explains the rating of a machine: points by factor, and the reason for each deduction.',
  operands: ['ID'],
  options: SERVICE_OPTIONS,
  example: `svc explain ${EXAMPLE_DID}`,
  async run({ json = false, ...service }, [id = '']) {
    const client = openClient(service);
    const explanation = requireValue(client, id, await client.getExplanation(id));
    process.stdout.write(json ? formatJson(explanation) : formatExplanation(explanation));
    return EXIT_CODES.ok;
  },
});

function formatExplanation({ did, mcr, mcr_score, summary, factors, reasons }: ExplanationResponse): string {
  const points = factors.map(({ name, points_hundredths, max_hundredths }) => [
    { text: printable(name) },
    { text: toPoints(points_hundredths), style: styleOfScore((100 * points_hundredths) / max_hundredths) },
    { text: toPoints(max_hundredths) },
  ]);
  const losses = reasons.map(({ lost_hundredths, text }) => [
    { text: lost_hundredths === null ? 'notice' : `-${toPoints(lost_hundredths)}` },
    { text: printable(text) },
  ]);
  return formatLines([
    `${emphasize('bold', printable(did))}  ${emphasize(styleOfScore(mcr_score), `${printable(mcr)} ${mcr_score}`)}`,
    printable(summary),
    ...(points.length === 0 ? [] : ['', ...formatTable(['factor', 'points', 'of'], points)]),
    ...(losses.length === 0 ? [] : ['', ...formatTable(['points', 'reason'], losses)]),
  ]);
}

function toPoints(hundredths: number): string {
  return (hundredths / 100).toFixed(2);
}
