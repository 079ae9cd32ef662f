/** Tests the examples of docs/payouts.md: its commands, the signed text, the proof and the sources file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../cli/command-table.ts';
import { readResults } from '../bench/results.ts';
import { parseSources } from '../src/adapters/payment-sources/sources-file.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { PAYMENT } from '../src/domain/rating/constants.ts';
import { isPayoutProofSigned, parsePayoutProof } from '../src/domain/rating/paid/payout-proof.ts';
import { PORTABLE_CHECKS } from '../testing/fixtures/signing-keys.ts';
import { runSvc } from '../testing/harness/run-svc.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', 'docs', 'payouts.md'), 'utf8');

/** Returns the code blocks in a language. */
function blocks(language: string): string[] {
  return [...PAGE.matchAll(/```(\w+)\n([^]+?)```/g)].filter((match) => match[1] === language).map((match) => match[2]!);
}

const commandLines = blocks('sh')
  .flatMap((block) => block.trim().split('\n'))
  .filter((line) => line.startsWith('bin/svc '))
  .map((line) => line.replace(/ &$/, '').split(' ').slice(1));

it('names only commands and options that exist', () => {
  expect(commandLines.length).toBeGreaterThan(2);
  for (const words of commandLines) {
    const command = COMMANDS.find(({ name }) => words.join(' ').startsWith(name))!;
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    expect(Object.keys(command.options)).toEqual(expect.arrayContaining(options));
  }
});

it('shows the text that its command prints', async () => {
  const { stdout } = await runSvc(commandLines[0]!);
  expect(stdout).toBe(blocks('text')[0]);
});

it('shows a proof that is accepted for the machine of the text', () => {
  const [metadata] = blocks('json');
  const proof = parsePayoutProof(new TextEncoder().encode(metadata))!;
  expect(isPayoutProofSigned(7n as MachineId, proof, DEFAULT_NAMESPACE, PORTABLE_CHECKS)).toBe(true);
});

it('shows a sources file that is accepted', () => {
  const { configured, problems } = parseSources(new TextEncoder().encode(blocks('json')[1]), ['USDC']);
  expect(problems).toBeUndefined();
  expect(configured!.sources.map(({ kind }) => kind)).toEqual(['evm', 'solana']);
});

it('states the measured costs, and what they are for 10,000 machines with 20 cited events a day', () => {
  const { figures } = readResults();
  const per = (name: string) => figures[`citation/${name}`]!.ours;
  const perDay = (name: string) => per(name) * 200_000;
  const integer = (value: number) => Math.round(value).toLocaleString('en');
  const megabytes = (value: number) => `${integer(value / 1e6)} MB a day`;
  const rows = [...PAGE.matchAll(/^\| ([a-z ,]+?) +\| +([\d.,]+) \| (.+?) +\|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual([
    ['calls to the source', per('calls').toFixed(2), `${per('calls-per-second').toFixed(1)} per second`],
    ['bytes to and from the source', integer(per('bytes')), megabytes(perDay('bytes'))],
    ['rows stored', per('rows').toFixed(2), `${integer(perDay('rows'))} a day`],
    ['bytes stored, with indexes', integer(per('stored')), megabytes(perDay('stored'))],
  ]);
  const { followedDays } = PAYMENT;
  const gigabytes = integer((perDay('stored') * followedDays) / 1e9);
  const retained = `Rows are deleted after ${followedDays} days, so such a fleet holds ${gigabytes} GB at most`;
  expect(PAGE.replaceAll(/\s+/g, ' ')).toContain(retained);
  expect(PAGE).toContain(`has ${integer(figures['rating/state']!.ours)} bytes`);
});
