/** `svc verify`: verification status of a machine's operator and chip, read through HTTP; `--require` sets the exit code for scripts. */
import type { VerifyRecordResponse } from '../../client/client.ts';
import { alignColumns, defineCommand, EXAMPLE_DID, SERVICE_OPTIONS } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson } from '../output.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize } from '../table.ts';

const TOPICS = ['kyb', 'chip'] as const;
type Topic = (typeof TOPICS)[number];

const STYLES: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  verified: 'green',
  expired: 'yellow',
  revoked: 'red',
};

export const verify = defineCommand({
  name: 'verify',
  about: 'Shows whether the operator of a machine (kyb) and its chip are verified, independently.',
  operands: ['ID'],
  options: {
    require: { type: 'string', value: 'TOPICS', about: 'kyb, chip or kyb,chip: exit with 4 unless all are verified' },
    ...SERVICE_OPTIONS,
  },
  example: `svc verify ${EXAMPLE_DID} --require chip`,
  async run({ require, json = false, ...service }, [id = '']) {
    const required = parseTopics(require);
    const client = openClient(service);
    const record = requireValue(client, id, await client.getVerification(id));
    process.stdout.write(json ? formatJson(record) : formatRecord(record));
    const missing = required.filter((topic) => record.verification[topic].status !== 'verified');
    if (missing.length > 0) throw new CommandFailed('verificationFailed', `not verified: ${missing.join(', ')}`);
    return EXIT_CODES.ok;
  },
});

function parseTopics(text: string | undefined): Topic[] {
  if (text === undefined) return [];
  return text.split(',').map((word) => {
    const topic = TOPICS.find((each) => each === word);
    if (topic === undefined) throw new CommandFailed('usage', '--require must be kyb, chip or kyb,chip');
    return topic;
  });
}

function formatRecord({ machineDid, homeChain, didController, operator, verification }: VerifyRecordResponse): string {
  const rows = [
    ...TOPICS.map((topic) => [topic, showStatus(verification[topic].status)]),
    ['operator', printable(operator.address)],
    ['controller', printable(didController.address)],
    ['chain', printable(homeChain.chainId)],
  ];
  return `${[emphasize('bold', printable(machineDid)), ...alignColumns(rows)].join('\n')}\n`;
}

function showStatus(status: string): string {
  const [text, style] = [printable(status), STYLES[status]];
  return style === undefined ? text : emphasize(style, text);
}
