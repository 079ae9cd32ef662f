/** Tests the examples of docs/payouts.md: its commands, the signed text, the proof and the sources file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../cli/command-table.ts';
import { parseSources } from '../src/adapters/payment-sources/sources-file.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
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
