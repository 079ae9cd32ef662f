/**
 * `svc attest …`: writes the Verify record on the chain with an attester's key, from accepted evidence (evidence 10; decisions 2).
 * Acceptance alone changes no status.
 */
import type { AttestationChange } from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import type { Config } from '../../src/config.ts';
import type { Hex } from '../../src/domain/evidence/signed-bytes.ts';
import {
  formatAddress,
  formatMachineDid,
  parseAddress,
  parseMachineDid,
} from '../../src/domain/identifiers/identifiers.ts';
import type { StoredEvidenceRecord, Store } from '../../src/ports/store.ts';
import {
  alignColumns,
  defineCommand,
  ENV_FILE_OPTION,
  EXAMPLE_DID,
  JSON_OPTION,
  parseNumberOption,
} from '../command.ts';
import { formatFinding, type Finding } from '../doctor/check-result.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { formatJson, formatLines } from '../output.ts';
import { loadSigningKey } from '../signing-key.ts';

const KEY_FILE_OPTION = {
  type: 'string',
  value: 'PATH',
  about: "the attester's key, in the forms of svc monetize (default: SVC_KEY)",
} as const;
const EXPIRES_OPTION = {
  type: 'string',
  value: 'DATE',
  about: 'YYYY-MM-DD, 00:00 UTC (default: never)',
} as const;

const RECEIPT = /^0x[0-9a-f]{64}$/;
const EXAMPLE_RECEIPT = `0x1b${'0'.repeat(60)}61`;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const list = defineCommand({
  name: 'attest list',
  about: 'Lists accepted evidence, newest first.',
  operands: [],
  options: {
    machine: { type: 'string', value: 'DID', about: 'only evidence of this machine' },
    limit: { type: 'string', value: 'N', about: 'maximum number (default 50)' },
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: 'svc attest list --env-file .devnet/env',
  async run({ machine: did, limit: limitText, 'env-file': envFile, json = false }) {
    const { loadAttestConfig, withStore } = await import('../attest/context.ts');
    const config = loadAttestConfig(envFile);
    const limit = parseNumberOption('--limit', limitText, 1, 1_000_000) ?? 50;
    const machineId = did === undefined ? undefined : requireMachine(did, config);
    const records = await withStore(config, (store) => store.listEvidenceRecords(machineId, limit));
    const rows = records.map((record) => toRow(record, config));
    if (rows.length === 0 && !json) process.stderr.write('this database holds no accepted evidence\n');
    const columns = rows.map(({ receiptId, machineDid, receivedAt }) => [receiptId, receivedAt, machineDid]);
    print(json, rows, alignColumns(columns));
    return EXIT_CODES.ok;
  },
});

const judge = defineCommand({
  name: 'attest judge',
  about: 'Verifies accepted evidence again, and reports whether it supports a record.',
  operands: ['RECEIPT'],
  options: { 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: `svc attest judge ${EXAMPLE_RECEIPT}`,
  async run({ 'env-file': envFile, json = false }, [receipt = '']) {
    const [{ loadAttestConfig, withAttestContext }, { examineEvidence, isSound }] = await openTools();
    const findings = await withAttestContext(loadAttestConfig(envFile), async (context) => {
      const record = await requireEvidence(context.store, receipt);
      return orFail(() => examineEvidence(context, record));
    });
    print(json, findings, findings.map(formatFinding));
    return isSound(findings) ? EXIT_CODES.ok : exitCodeOf(findings);
  },
});

const approve = defineCommand({
  name: 'attest approve',
  about: 'Records a chip by the receipt of its verified evidence, or the KYB of an operator by address.',
  operands: ['RECEIPT|ADDRESS'],
  options: {
    'key-file': KEY_FILE_OPTION,
    expires: EXPIRES_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: `svc attest approve ${EXAMPLE_RECEIPT} --expires 2031-01-01 --key-file attester.key`,
  async run({ 'key-file': keyFile, expires, 'env-file': envFile, json = false }, [subject = '']) {
    const [{ loadAttestConfig, openRegistry, withAttestContext }, { examineEvidence, isSound }] = await openTools();
    const config = loadAttestConfig(envFile);
    const expiresAt = parseExpiry(expires);
    const operator = parseAddress(subject);
    const key = await loadAttesterKey(keyFile);
    const report = (change: AttestationChange, hash: Hex) => printChange(change, hash, config, json);
    if (operator !== undefined) {
      const opened = await orFail(() => openRegistry(config).openChange(key));
      const change = { kind: 'attest-kyb', operator, expiresAt } as const;
      report(change, await orFail(() => opened.send(change)));
      return EXIT_CODES.ok;
    }
    return withAttestContext(config, async (context) => {
      const record = await requireEvidence(context.store, subject);
      const { machineId, leafFingerprint } = record;
      // Fixes the nonce first: of two concurrent approvals by one key only one can be mined.
      const opened = await orFail(() => context.registry.openChange(key));
      const findings = await orFail(() => examineEvidence(context, record));
      process.stderr.write(formatLines(findings.map(formatFinding)));
      if (!isSound(findings)) return exitCodeOf(findings);
      const change = { kind: 'attest-chip', machineId, expiresAt, leafFingerprint } as const;
      report(change, await orFail(() => opened.send(change)));
      return EXIT_CODES.ok;
    });
  },
});

const revoke = defineCommand({
  name: 'attest revoke',
  about: 'Revokes the chip record of a machine, or the KYB of an operator.',
  operands: ['DID|ADDRESS'],
  options: { 'key-file': KEY_FILE_OPTION, 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: `svc attest revoke ${EXAMPLE_DID} --key-file attester.key`,
  async run({ 'key-file': keyFile, 'env-file': envFile, json = false }, [subject = '']) {
    const [{ loadAttestConfig, openRegistry }] = await openTools();
    const config = loadAttestConfig(envFile);
    const operator = parseAddress(subject);
    const change: AttestationChange =
      operator === undefined
        ? { kind: 'revoke-chip', machineId: requireMachine(subject, config) }
        : { kind: 'revoke-kyb', operator };
    const key = await loadAttesterKey(keyFile);
    const hash = await orFail(async () => (await openRegistry(config).openChange(key)).send(change));
    printChange(change, hash, config, json);
    return EXIT_CODES.ok;
  },
});

export const ATTEST_COMMANDS = [list, judge, approve, revoke];

/** Loads the modules on demand, to keep other commands fast. */
function openTools() {
  return Promise.all([import('../attest/context.ts'), import('../attest/examine-evidence.ts')]);
}

async function requireEvidence(store: Store, receipt: string): Promise<StoredEvidenceRecord> {
  if (!RECEIPT.test(receipt)) throw new CommandFailed('usage', `${JSON.stringify(receipt)} is not a receipt id`);
  const record = await store.readEvidenceRecord(receipt as Hex);
  if (record === undefined) throw new CommandFailed('refused', 'this database holds no evidence with this receipt');
  return record;
}

function requireMachine(did: string, { namespace }: Config) {
  const machineId = parseMachineDid(did, namespace);
  if (machineId === undefined) throw new CommandFailed('usage', `${JSON.stringify(did)} is not the DID of a machine`);
  return machineId;
}

async function loadAttesterKey(keyFile: string | undefined) {
  const { chain, key } = await loadSigningKey(keyFile);
  if (chain === 'main') return key;
  throw new CommandFailed('usage', 'the attestation registry requires a key of the main chain');
}

/** Parses a date into Unix seconds; 0 means never. Throws `CommandFailed`. */
function parseExpiry(date: string | undefined): number {
  if (date === undefined) return 0;
  const milliseconds = DATE.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  // `Date.parse` reads a 31st of February as a day of March.
  const isFuture = milliseconds > Date.now() && new Date(milliseconds).toISOString().startsWith(date);
  if (isFuture) return milliseconds / 1000;
  throw new CommandFailed('usage', '--expires must be a future date, YYYY-MM-DD');
}

async function orFail<T>(work: () => Promise<T>): Promise<T> {
  const { AttestationFailed } = await import('../../src/adapters/main-chain/reads/attestation-registry.ts');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AttestationFailed)) throw error;
    throw new CommandFailed(error.problem === 'no node responds' ? 'unreachable' : 'refused', error.problem);
  }
}

function exitCodeOf(findings: readonly Finding[]) {
  const isReachable = findings.every(({ state }) => state !== 'unreachable');
  return isReachable ? EXIT_CODES.verificationFailed : EXIT_CODES.unreachable;
}

function toRow(
  { receiptId, machineId, chipRef, leafFingerprint, receivedAt, evidence }: StoredEvidenceRecord,
  config: Config,
) {
  return {
    receiptId,
    receivedAt: new Date(receivedAt * 1000).toISOString(),
    machineDid: formatMachineDid(machineId, config.namespace),
    chipRef,
    leafFingerprint,
    documentKept: evidence !== undefined,
  };
}

function printChange(change: AttestationChange, transaction: Hex, { namespace }: Config, json: boolean): void {
  const subject = 'operator' in change ? formatAddress(change.operator) : formatMachineDid(change.machineId, namespace);
  print(json, { change: change.kind, subject, transaction }, [`${change.kind} ${subject}: ${transaction}`]);
}

/** Prints a value as JSON, or as lines. */
function print(json: boolean, value: object, lines: readonly string[]): void {
  process.stdout.write(json ? formatJson(value) : formatLines(lines));
}
