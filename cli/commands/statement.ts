/**
 * `svc statement …`: requests a signed rating, verifies a stored one, and revokes a key (design/provable 1). A statement is verified offline when
 * its signer and the deployment are known from elsewhere.
 */
import { getRatingStatement, verifyRatingStatement } from '../../client/statements.ts';
import { formatAddress } from '../../src/domain/identifiers/identifiers.ts';
import { parseJson } from '../../src/domain/json/json-values.ts';
import type { RatingStatement } from '../../src/domain/statements/rating-statement.ts';
import {
  alignColumns,
  defineCommand,
  ENV_FILE_OPTION,
  EXAMPLE_DID,
  JSON_OPTION,
  parseNumberOption,
  SERVICE_OPTIONS,
} from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable, toFailure } from '../http-reads.ts';
import { formatJson, formatLines, formatTime } from '../output.ts';
import type { JsonObject } from '../replay/replay-json.ts';
import type { ReplayResult } from '../replay/replay.ts';
import { findDocumentTrust, readDocumentFile, requireAddress, type DocumentTrust } from '../document-trust.ts';
import { loadNamespace, openService } from '../service-client.ts';
import { replayRating } from './replay.ts';

const get = defineCommand({
  name: 'statement get',
  about: 'Prints the signed rating of a machine as JSON, to be stored.',
  operands: ['ID'],
  options: SERVICE_OPTIONS,
  example: `svc statement get ${EXAMPLE_DID} > statement.json`,
  async run(options, [id = '']) {
    const connection = openService(options);
    const result = await getRatingStatement(connection, id);
    if (!result.ok) throw toFailure(connection, id, result.error);
    process.stdout.write(formatJson(result.value));
    return EXIT_CODES.ok;
  },
});

const verify = defineCommand({
  name: 'statement verify',
  about: 'Verifies a stored statement; with --replay also recomputes the rating from the chains.',
  operands: ['FILE'],
  options: {
    signer: {
      type: 'string',
      value: 'ADDRESS',
      about: 'the only accepted key (default: the keys that the service publishes)',
    },
    at: { type: 'string', value: 'SECONDS', about: 'Unix time at which it must be valid (default: now)' },
    replay: { type: 'boolean', about: 'recompute the rating; needs nodes with the state of its block' },
    ...SERVICE_OPTIONS,
  },
  example: 'svc statement verify statement.json --signer 0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
  async run(options, [file = '']) {
    const { at, replay = false, 'base-url': baseUrl, 'env-file': envFile, json = false } = options;
    const text = await readDocumentFile(file);
    const nowSeconds = parseNumberOption('--at', at, 0, Number.MAX_SAFE_INTEGER) ?? Math.floor(Date.now() / 1000);
    const namespace = loadNamespace(envFile);
    const trust = await findDocumentTrust('statement', text, options);
    const check = verifyRatingStatement(text, { ...trust, nowSeconds, namespace });
    if (!check.ok) throw new CommandFailed('verificationFailed', `the statement proves nothing: ${check.problem}`);
    const { statement } = check;
    const replayed = replay ? await replayStatement(text, statement, { baseUrl, envFile }) : undefined;
    const differences = replayed === undefined ? [] : listDifferences(statement, replayed);
    const { chainId, registry } = trust;
    const verified = { signer: check.signer, chainId, registry, statement };
    process.stdout.write(
      json
        ? formatJson({ ...verified, ...(replayed && { replay: { differences, unchecked: replayed.unchecked } }) })
        : formatLines(alignColumns(listRows(verified, replayed))),
    );
    if (differences.length > 0) {
      throw new CommandFailed('verificationFailed', `the recomputed rating differs: ${differences.join(', ')}`);
    }
    return EXIT_CODES.ok;
  },
});

const revoke = defineCommand({
  name: 'statement revoke',
  about: "Revokes a statement key in the service's database; nothing that it signed is accepted afterwards.",
  operands: ['ADDRESS'],
  options: { 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: 'svc statement revoke 0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1 --env-file svc.env',
  async run({ 'env-file': envFile, json = false }, [text = '']) {
    const address = requireAddress('ADDRESS', text);
    const { loadAttestConfig, withStore } = await import('../attest/context.ts');
    const now = Math.floor(Date.now() / 1000);
    const isKnown = await withStore(loadAttestConfig(envFile), (store) => store.revokeStatementKey(address, now));
    if (!isKnown) throw new CommandFailed('refused', `${formatAddress(address)} is no key of this service`);
    const revoked = formatAddress(address);
    process.stdout.write(
      json ? formatJson({ revoked }) : `revoked ${revoked}; running services stop signing within a minute\n`,
    );
    return EXIT_CODES.ok;
  },
});

export const STATEMENT_COMMANDS = [get, verify, revoke] as const;

function replayStatement(
  text: string,
  { machineId }: RatingStatement,
  options: { readonly baseUrl: string | undefined; readonly envFile: string | undefined },
): Promise<ReplayResult> {
  const { explanation } = parseJson(text) as { readonly explanation: JsonObject };
  return replayRating({ ...options, machine: machineId, served: explanation });
}

/** Compares the statement with the recomputed explanation, of which the hash is proven already. */
function listDifferences(statement: RatingStatement, { recomputed, differences }: ReplayResult): string[] {
  const inputs = recomputed['inputs'] as JsonObject;
  const block = inputs['block'] as JsonObject;
  const isRated = recomputed['mcr_score'] !== 0;
  const expected: Partial<Record<keyof RatingStatement, unknown>> = {
    machineId: recomputed['machine_id'],
    model: recomputed['model'],
    rating: recomputed['mcr'],
    scoreHundredths: isRated ? recomputed['total_hundredths'] : 0,
    bonded: recomputed['bond_status'] === 'bonded',
    negativeFlag: recomputed['negative_flag'],
    blockNumber: block['number'],
    blockHash: block['hash'],
    altSlot: inputs['slot'] ?? '0',
    ratedAt: inputs['now'],
  };
  const own = Object.entries(expected).filter(([name, value]) => statement[name as keyof RatingStatement] !== value);
  return [...own.map(([name]) => `statement.${name}`), ...differences.map(({ path }) => path)];
}

function listRows(
  { statement, signer, chainId, registry }: Verified,
  replayed: ReplayResult | undefined,
): (readonly string[])[] {
  return [
    ['signer', signer],
    ['deployment', `chain ${chainId}, registry ${printable(registry)}`],
    ['machine', statement.machineId],
    ['rating', `${statement.rating}, ${statement.scoreHundredths / 100} of 100 points (${statement.model})`],
    ['bonded', statement.bonded ? 'yes' : 'no'],
    ['negative flag', statement.negativeFlag ? 'yes' : 'no'],
    ['kyb, chip', `${statement.kyb}, ${statement.chip}`],
    ['block', `${statement.blockNumber} (${statement.blockHash})`],
    ['rated at', formatTime(statement.ratedAt)],
    ['valid until', formatTime(statement.validUntil)],
    ...(replayed === undefined
      ? []
      : [
          ['replay', replayed.equal ? `equal: ${replayed.compared} values recomputed` : 'DIFFERENT'],
          ['not checked', ['statement.kyb', 'statement.chip', ...replayed.unchecked].map(printable).join(', ')],
        ]),
  ];
}

interface Verified extends Pick<DocumentTrust, 'chainId' | 'registry'> {
  readonly statement: RatingStatement;
  readonly signer: string;
}
