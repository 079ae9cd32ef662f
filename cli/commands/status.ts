/** `svc status`: how far the indexes of the service are behind their chains, and why; the exit code is for monitors. */
import type { StatusResponse } from '../../client/client.ts';
import { alignColumns, defineCommand, parseNumberOption, SERVICE_OPTIONS } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize } from '../table.ts';

export const status = defineCommand({
  name: 'status',
  about: 'Shows how far the indexes of the service are behind their chains; exits with 4 unless they are fresh.',
  operands: [],
  options: {
    'max-lag-blocks': { type: 'string', value: 'N', about: 'the largest accepted lag (default: that of the service)' },
    ...SERVICE_OPTIONS,
  },
  example: 'svc status --max-lag-blocks 20',
  async run(options) {
    const { json = false } = options;
    const maxLagBlocks = parseNumberOption('--max-lag-blocks', options['max-lag-blocks'], 0, Number.MAX_SAFE_INTEGER);
    const client = openClient(options);
    const result = await client.getStatus(maxLagBlocks === undefined ? {} : { maxLagBlocks });
    const report = requireValue(client, 'status', result);
    process.stdout.write(json ? formatJson(report) : formatStatus(report));
    if (report.status === 'not_fresh') throw new CommandFailed('verificationFailed', 'the indexes are not fresh');
    return EXIT_CODES.ok;
  },
});

function formatStatus({ status: word, operator_index: main, solana_indexer: alt, causes }: StatusResponse): string {
  const rows = [
    ['main chain', main === null ? '-' : `${show(main.lag_blocks)} blocks behind, head ${show(main.head_block)}`],
    ['alt chain', alt === null ? '-' : `slot ${show(alt.slot)}, ${show(alt.age_seconds)} s old`],
  ];
  return formatLines([
    emphasize(word === 'fresh' ? 'green' : 'red', word),
    ...alignColumns(rows),
    ...causes.map(({ subject, text, remedy }) => printable(`${subject}: ${text}; ${remedy}`)),
  ]);
}

function show(value: number | null): string {
  return value === null ? '-' : String(value);
}
