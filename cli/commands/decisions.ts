/**
 * `svc decisions …`: lists the decision log of a machine, exports it as a signed bundle, and verifies a bundle (design/provable 2). A bundle is
 * verified offline when its signer and the deployment are known from elsewhere.
 */
import { verifyDecisionBundle, type DecisionBundle } from '../../client/decision-log.ts';
import { listDecisions } from '../../client/machine-history.ts';
import type { DecisionLogResponse } from '../../client/client.ts';
import {
  alignColumns,
  defineCommand,
  ENV_FILE_OPTION,
  EXAMPLE_DID,
  JSON_OPTION,
  parseNumberOption,
  SERVICE_OPTIONS,
} from '../command.ts';
import { findDocumentTrust, readDocumentFile } from '../document-trust.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable, toFailure } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson, formatLines, formatTime } from '../output.ts';
import { replayAuthority, type AuthorityReplay } from '../replay/decision-authority.ts';
import { loadNamespace, openService } from '../service-client.ts';
import { openRawChain, toReplayError } from './replay.ts';

const HASH = /^0x[0-9a-f]{64}$/;

const list = defineCommand({
  name: 'decisions list',
  about: 'Lists the opt-in decisions of a machine, newest first.',
  operands: ['ID'],
  options: {
    cursor: { type: 'string', value: 'N', about: 'the cursor of the previous page (default: the newest decisions)' },
    limit: { type: 'string', value: 'N', about: 'decisions of a page, 1 to 100 (default: 20)' },
    ...SERVICE_OPTIONS,
  },
  example: `svc decisions list ${EXAMPLE_DID}`,
  async run(options, [id = '']) {
    const { json = false } = options;
    const cursor = parseNumberOption('--cursor', options.cursor, 0, Number.MAX_SAFE_INTEGER) ?? null;
    const limit = parseNumberOption('--limit', options.limit, 1, 100) ?? 20;
    const connection = openService(options);
    const result = await listDecisions(connection, id, { cursor, limit });
    if (!result.ok) throw toFailure(connection, id, result.error);
    process.stdout.write(json ? formatJson(result.value) : formatPage(result.value));
    return EXIT_CODES.ok;
  },
});

const exportLog = defineCommand({
  name: 'decisions export',
  about: "Writes the decision log of a machine from the service's database, with a head signed by the statement key.",
  operands: ['DID'],
  options: { 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: `svc decisions export ${EXAMPLE_DID} --env-file svc.env > decisions.json`,
  async run({ 'env-file': envFile }, [did = '']) {
    const [{ loadAttestConfig, withStore }, { exportDecisions }] = await Promise.all([
      import('../attest/context.ts'),
      import('../decision-export.ts'),
    ]);
    const config = loadAttestConfig(envFile);
    const id = parseMachineOperand(did, config.namespace);
    const { bundle, unverifiable } = await withStore(config, (store) => exportDecisions(config, store, id));
    if (unverifiable > 0) {
      process.stderr.write(`left out: ${unverifiable} decisions from before the chain, which nothing proves\n`);
    }
    process.stdout.write(formatJson(bundle));
    return EXIT_CODES.ok;
  },
});

const verify = defineCommand({
  name: 'decisions verify',
  about: 'Verifies an exported decision log; with --replay also who was entitled, from the chain.',
  operands: ['FILE'],
  options: {
    signer: {
      type: 'string',
      value: 'ADDRESS',
      about: 'the only accepted key (default: the keys that the service publishes)',
    },
    head: { type: 'string', value: 'HASH', about: 'a head stored earlier, which the log must contain' },
    replay: { type: 'boolean', about: 'read owner and controller at each block; needs nodes with that state' },
    ...SERVICE_OPTIONS,
  },
  example: 'svc decisions verify decisions.json --signer 0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1',
  async run(options, [file = '']) {
    const { head, 'env-file': envFile, json = false } = options;
    if (head !== undefined && !HASH.test(head)) {
      throw new CommandFailed('usage', '--head must be 0x and 64 lower-case hex digits');
    }
    const text = await readDocumentFile(file);
    const trust = await findDocumentTrust('bundle', text, options);
    const namespace = loadNamespace(envFile);
    const check = verifyDecisionBundle(text, { ...trust, namespace, ...(head !== undefined && { knownHead: head }) });
    if (!check.ok) throw new CommandFailed('verificationFailed', `the bundle proves nothing: ${check.problem}`);
    const { bundle } = check;
    const replayed = options.replay === true ? await replayBundle(bundle, envFile) : undefined;
    const { machine_id: machineId, decisions } = bundle;
    const verified = { machineId, ...bundle.head, decisions: decisions.length };
    process.stdout.write(
      json
        ? formatJson({ ...verified, ...(replayed && { replay: replayed }) })
        : formatLines(alignColumns(listRows(bundle, replayed))),
    );
    if (replayed !== undefined && replayed.differences.length > 0) {
      throw new CommandFailed('verificationFailed', `the authority differs: ${replayed.differences.join('; ')}`);
    }
    return EXIT_CODES.ok;
  },
});

export const DECISIONS_COMMANDS = [list, exportLog, verify] as const;

async function replayBundle({ decisions, domain }: DecisionBundle, envFile: string | undefined) {
  const { rpc, location } = openRawChain(envFile);
  const machineRegistry = domain.verifyingContract.toLowerCase();
  try {
    return await replayAuthority(rpc, { ...location, machineRegistry }, decisions);
  } catch (error) {
    throw toReplayError(error);
  }
}

function formatPage({ decisions, head, next_cursor: next }: DecisionLogResponse): string {
  const rows = decisions.map(({ timestamp, opted_in: optedIn, signer, hash }) => [
    formatTime(timestamp),
    optedIn ? 'opted in' : 'opted out',
    printable(signer),
    hash ?? 'not verifiable',
  ]);
  return formatLines([
    ...alignColumns(rows),
    head === null ? 'no decision' : `head ${head}`,
    ...(next === null ? [] : [`older decisions: --cursor ${next}`]),
  ]);
}

function listRows({ machine_id: id, decisions, checkpoint, head }: DecisionBundle, replayed?: AuthorityReplay) {
  const last = decisions.at(-1)!;
  return [
    ['machine', id],
    ['decisions', String(decisions.length)],
    ['pruned', String(checkpoint?.head.count ?? 0)],
    ['newest', `${formatTime(last.timestamp)}, ${last.opted_in ? 'opted in' : 'opted out'} by ${last.signer}`],
    ['head', head.head.hash],
    ['signed', `${formatTime(head.head.signedAt)} by ${head.signer}`],
    ...(replayed === undefined
      ? []
      : [
          ['replay', replayed.differences.length === 0 ? `equal: ${replayed.compared} decisions` : 'DIFFERENT'],
          ['not checked', `authority of ${replayed.unchecked} decisions on the alt chain`],
        ]),
  ];
}
