/**
 * `svc attest …`: writes the Verify record on the chain with an attester's key, from accepted evidence (evidence 10; decisions 2).
 * Acceptance alone changes no status.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { AttestationChange } from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import type { Config } from '../../src/config.ts';
import type { Hex } from '../../src/domain/evidence/signed-bytes.ts';
import { findOperator } from '../../src/domain/machine/operator-kyb.ts';
import {
  formatAddress,
  formatMachineDid,
  parseAddress,
  ZERO_ADDRESS,
  type Address,
} from '../../src/domain/identifiers/identifiers.ts';
import type { AttestationReview, StoredEvidenceRecord, Store } from '../../src/ports/store.ts';
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
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson, formatLines, formatTime } from '../output.ts';
import { loadSigningKey } from '../signing-key.ts';
import type { Proposal } from '../attest/record-judgement.ts';

const KEY_FILE_OPTION = {
  type: 'string',
  value: 'PATH',
  about: "the attester's key, in the forms of svc monetize (default: SVC_KEY)",
} as const;
const EXPIRES_OPTION = {
  type: 'string',
  value: 'DATE',
  about: 'YYYY-MM-DD, 00:00 UTC; a chip at most, and by default, until its first certificate ends (KYB default: never)',
} as const;

const REVIEWER_OPTION = {
  type: 'string',
  value: 'NAME',
  about: 'who decides, for the stored review (default: the name of this user)',
} as const;
/** Recorded for a KYB without a document. */
const NO_DOCUMENT = `0x${'0'.repeat(64)}` as const;
const STATES = 'pending, attested, revoked, superseded or expired';
const ALL = 2 ** 31 - 1;
const DEFAULT_METRICS_PORT = 9465;

const RECEIPT = /^0x[0-9a-f]{64}$/;
const EXAMPLE_RECEIPT = `0x1b${'0'.repeat(60)}61`;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const list = defineCommand({
  name: 'attest list',
  about: 'Lists accepted evidence with its state on the chain, newest first.',
  operands: [],
  options: {
    machine: { type: 'string', value: 'DID', about: 'only evidence of this machine' },
    state: { type: 'string', value: 'STATE', about: `only receipts in this state: ${STATES}` },
    limit: { type: 'string', value: 'N', about: 'maximum number (default 50)' },
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: 'svc attest list --env-file .devnet/env',
  async run({ machine: did, state: wanted, limit: limitText, 'env-file': envFile, json = false }) {
    const [{ loadAttestConfig, openRegistry, withStore }, { findReceiptState, RECEIPT_STATES }] = await Promise.all([
      import('../attest/context.ts'),
      import('../attest/receipt-state.ts'),
    ]);
    if (wanted !== undefined && !RECEIPT_STATES.some((state) => state === wanted)) {
      throw new CommandFailed('usage', `--state must be one of ${STATES}`);
    }
    const config = loadAttestConfig(envFile);
    const limit = parseNumberOption('--limit', limitText, 1, 1_000_000) ?? 50;
    const machineId = did === undefined ? undefined : parseMachineOperand(did, config.namespace);
    const stored = wanted === undefined ? limit : ALL;
    const records = await withStore(config, (store) => store.listEvidenceRecords(machineId, stored));
    const { chips } = await orFail(() => openRegistry(config).readLogged());
    const now = Math.floor(Date.now() / 1000);
    const rows = records
      .map((record) => ({
        ...toRow(record, config),
        state: findReceiptState(record, chips.get(record.machineId), now),
      }))
      .filter(({ state }) => wanted === undefined || state === wanted)
      .slice(0, limit);
    if (rows.length === 0 && !json) process.stderr.write('this database holds no such evidence\n');
    const columns = rows.map(({ receiptId, state, machineDid, receivedAt }) => [
      ...[receiptId, state, receivedAt, machineDid],
    ]);
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
    'override-revocation': {
      type: 'string',
      value: 'REASON',
      about:
        'reinstates a machine or chip whose record was revoked; the reason is stored, and its hash is on the chain',
    },
    document: { type: 'string', value: 'PATH', about: 'evidence of the KYB; its Keccak-256 is recorded on the chain' },
    reviewer: REVIEWER_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: `svc attest approve ${EXAMPLE_RECEIPT} --expires 2031-01-01 --key-file attester.key`,
  async run(options, [subject = '']) {
    const { 'key-file': keyFile, 'override-revocation': reason, 'env-file': envFile, json = false } = options;
    const [{ loadAttestConfig, openRegistry, withAttestContext }, { examineEvidence, isSound, reinstates }] =
      await openTools();
    const config = loadAttestConfig(envFile);
    const requestedEnd = parseExpiry(options.expires);
    const reviewer = findReviewer(options.reviewer);
    if (reason?.trim() === '') throw new CommandFailed('usage', '--override-revocation requires a reason');
    const operator = parseOperator(subject);
    const key = await loadAttesterKey(keyFile);
    if (operator !== undefined) {
      const evidenceHash = await hashDocument(options.document);
      const opened = await orFail(() => openRegistry(config).openChange(key));
      const change = { kind: 'attest-kyb', operator, expiresAt: requestedEnd ?? 0, evidenceHash } as const;
      const hash = await orFail(() => opened.send(change));
      await storeReview(config, toReview(change, hash, config, { reviewer, reason, operator }));
      printChange(change, hash, config, json);
      return EXIT_CODES.ok;
    }
    return withAttestContext(config, async (context) => {
      const record = await requireEvidence(context.store, subject);
      // Fixes the nonce first: of two concurrent approvals by one key only one can be mined.
      const opened = await orFail(() => context.registry.openChange(key));
      const findings = await orFail(() => examineEvidence(context, record, reason));
      process.stderr.write(formatLines(findings.map(formatFinding)));
      if (!isSound(findings)) return exitCodeOf(findings);
      const { machineId, leafFingerprint, chipRef, evidenceHash, receiptId } = record;
      const { findEarliestEnd } = await import('../attest/certificate-dates.ts');
      const lastEnd = findEarliestEnd(record.evidence!, context.rules.trust);
      const expiresAt = Math.min(requestedEnd ?? lastEnd, lastEnd);
      if (requestedEnd !== undefined && requestedEnd > lastEnd) {
        process.stderr.write(`the record expires with its certificate, at ${formatTime(lastEnd)}\n`);
      }
      const isReinstated = reinstates(record, await orFail(() => context.registry.readLogged()));
      const { snapshot } = await context.main.chain.readMachineUncached(machineId);
      const change = {
        ...({ kind: 'attest-chip', machineId, expiresAt, leafFingerprint, chipRef, evidenceHash } as const),
        reinstatementReason: isReinstated ? reason : undefined,
      };
      const hash = await orFail(() => opened.send(change));
      const review = { reviewer, reason, receiptId, operator: findOperator(snapshot) };
      await storeReview(config, toReview(change, hash, config, review));
      printChange(change, hash, config, json);
      return EXIT_CODES.ok;
    });
  },
});

const revoke = defineCommand({
  name: 'attest revoke',
  about: 'Revokes the chip record of a machine, or the KYB of an operator.',
  operands: ['DID|ADDRESS'],
  options: {
    'key-file': KEY_FILE_OPTION,
    reason: { type: 'string', value: 'TEXT', about: 'why, for the stored review' },
    reviewer: REVIEWER_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: `svc attest revoke ${EXAMPLE_DID} --key-file attester.key`,
  async run({ 'key-file': keyFile, reason, reviewer: name, 'env-file': envFile, json = false }, [subject = '']) {
    const [{ loadAttestConfig, openRegistry }] = await openTools();
    const config = loadAttestConfig(envFile);
    const operator = parseOperator(subject);
    const change: AttestationChange =
      operator === undefined
        ? { kind: 'revoke-chip', machineId: parseMachineOperand(subject, config.namespace) }
        : { kind: 'revoke-kyb', operator };
    const key = await loadAttesterKey(keyFile);
    const hash = await orFail(async () => (await openRegistry(config).openChange(key)).send(change));
    await storeReview(config, toReview(change, hash, config, { reviewer: findReviewer(name), reason, operator }));
    printChange(change, hash, config, json);
    return EXIT_CODES.ok;
  },
});

const watch = defineCommand({
  name: 'attest watch',
  about: 'Judges every record in force again and prints proposals; the exit code is 4 when there are any.',
  operands: [],
  options: {
    interval: { type: 'string', value: 'SECONDS', about: 'stays, judges again at this interval and serves metrics' },
    'metrics-port': {
      type: 'string',
      value: 'N',
      about: 'port of /metrics on 127.0.0.1 with --interval (default 9465)',
    },
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: 'svc attest watch --env-file .devnet/env --json',
  async run({ interval, 'metrics-port': port, 'env-file': envFile, json = false }) {
    const [{ loadAttestConfig, withAttestContext }, { judgeRecords }] = await Promise.all([
      import('../attest/context.ts'),
      import('../attest/record-judgement.ts'),
    ]);
    const config = loadAttestConfig(envFile);
    const judgeAll = () => orFail(() => withAttestContext(config, (context) => judgeRecords(context)));
    const show = (proposals: readonly Proposal[]) => {
      const lines = proposals.map(({ subject, text, proposal }) => `${subject}: ${text}; ${proposal}`);
      print(json, proposals, lines);
    };
    const intervalSeconds = parseNumberOption('--interval', interval, 1, 86_400);
    const metricsPort = parseNumberOption('--metrics-port', port, 0, 65_535) ?? DEFAULT_METRICS_PORT;
    if (intervalSeconds !== undefined) {
      const { watchRecords } = await import('../attest/watch-loop.ts');
      return watchRecords({ judge: judgeAll, show, intervalSeconds, metricsPort });
    }
    const proposals = await judgeAll();
    show(proposals);
    if (proposals.length === 0 && !json) process.stderr.write('every record in force is valid\n');
    return proposals.length === 0 ? EXIT_CODES.ok : EXIT_CODES.verificationFailed;
  },
});

const exportBundle = defineCommand({
  name: 'attest export',
  about: 'Writes the stored document, its judgement, the reviews and the record on the chain as one JSON bundle.',
  operands: ['RECEIPT'],
  options: {
    out: { type: 'string', value: 'PATH', about: 'file to write (default: standard output)' },
    json: JSON_OPTION,
    'env-file': ENV_FILE_OPTION,
  },
  example: `svc attest export ${EXAMPLE_RECEIPT} --out bundle.json`,
  async run({ out, 'env-file': envFile }, [receipt = '']) {
    const [{ loadAttestConfig, withAttestContext }] = await openTools();
    const { createBundle } = await import('../attest/bundle.ts');
    const bundle = await withAttestContext(loadAttestConfig(envFile), async (context) => {
      const record = await requireEvidence(context.store, receipt);
      return orFail(() => createBundle(context, record));
    });
    if (out === undefined) process.stdout.write(formatJson(bundle));
    else
      await writeFile(out, formatJson(bundle), { flag: 'wx' }).catch(() => {
        throw new CommandFailed('usage', `${out} exists or cannot be written`);
      });
    return EXIT_CODES.ok;
  },
});

export const ATTEST_COMMANDS = [list, judge, approve, revoke, watch, exportBundle];

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

async function loadAttesterKey(keyFile: string | undefined) {
  const { chain, key } = await loadSigningKey(keyFile);
  if (chain === 'main') return key;
  throw new CommandFailed('usage', 'the attestation registry requires a key of the main chain');
}

/** Parses an address; undefined for another text. Throws `CommandFailed` for a wrong checksum and for the zero address. */
function parseOperator(text: string): Address | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && text !== formatAddress(address)) {
    throw new CommandFailed('usage', `the checksum of ${text} is wrong: check every digit`);
  }
  if (address === ZERO_ADDRESS) throw new CommandFailed('usage', 'the zero address has no KYB');
  return address;
}

function findReviewer(name: string | undefined): string {
  if (name !== undefined && name.trim() !== '') return name;
  try {
    return userInfo().username;
  } catch {
    throw new CommandFailed('usage', '--reviewer NAME is required, because this user has no name');
  }
}

async function hashDocument(path: string | undefined): Promise<Hex> {
  if (path === undefined) return NO_DOCUMENT;
  const content = await readFile(path).catch(() => {
    throw new CommandFailed('usage', `${path} cannot be read`);
  });
  const { evidenceHashOf } = await import('../../src/domain/evidence/signed-bytes.ts');
  return evidenceHashOf(content);
}

function toReview(
  change: AttestationChange,
  transaction: Hex,
  config: Config,
  review: Pick<AttestationReview, 'reviewer' | 'reason' | 'operator'> & { readonly receiptId?: Hex },
): AttestationReview {
  return {
    receiptId: undefined,
    ...review,
    transaction,
    change: change.kind,
    subject: toSubject(change, config),
    expiresAt: 'expiresAt' in change ? change.expiresAt : undefined,
    reviewedAt: Math.floor(Date.now() / 1000),
  };
}

/** Stores the review of a change that is on the chain already; without a database it is only reported. */
async function storeReview(config: Config, review: AttestationReview): Promise<void> {
  const { withStore } = await import('../attest/context.ts');
  await withStore(config, (store) => store.insertAttestationReview(review)).catch(() => {
    process.stderr.write('the change is on the chain, but its review could not be stored: check DATABASE_URL\n');
  });
}

/** Parses a date into Unix seconds. Throws `CommandFailed`. */
function parseExpiry(date: string | undefined): number | undefined {
  if (date === undefined) return undefined;
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
    receivedAt: formatTime(receivedAt),
    machineDid: formatMachineDid(machineId, config.namespace),
    chipRef,
    leafFingerprint,
    documentKept: evidence !== undefined,
  };
}

function toSubject(change: AttestationChange, { namespace }: Config): string {
  return 'operator' in change ? formatAddress(change.operator) : formatMachineDid(change.machineId, namespace);
}

function printChange(change: AttestationChange, transaction: Hex, config: Config, json: boolean): void {
  const subject = toSubject(change, config);
  print(json, { change: change.kind, subject, transaction }, [`${change.kind} ${subject}: ${transaction}`]);
}

/** Prints a value as JSON, or as lines. */
function print(json: boolean, value: object, lines: readonly string[]): void {
  process.stdout.write(json ? formatJson(value) : formatLines(lines));
}
