/** `svc monetize`: changes the opt-in of a machine. Shows the exact message, signs and sends it, and prints the stored state. */
import type { ExpectedDeployment } from '../../client/monetization.ts';
import type { MonetizationStateResponse } from '../../client/client.ts';
import { loadConfig, type Config } from '../../src/config.ts';
import { DEFAULT_ALT_ORDINAL } from '../../src/config/alt-chain-settings.ts';
import { parseAddress } from '../../src/domain/identifiers/identifiers.ts';
import { alignColumns, defineCommand, EXAMPLE_DID, SERVICE_OPTIONS } from '../command.ts';
import { signAndSendDecision, prepareOrFail } from '../decision-client.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { openConnection, printable } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson, formatLines, formatTime } from '../output.ts';
import { loadSigningKey } from '../signing-key.ts';

export const monetize = defineCommand({
  name: 'monetize',
  about: 'Opts a machine in or out with the signature of its owner or controller.',
  operands: ['DID'],
  options: {
    'opt-in': { type: 'boolean', about: 'opt the machine in' },
    'opt-out': { type: 'boolean', about: 'opt the machine out' },
    'key-file': {
      type: 'string',
      value: 'PATH',
      about: 'file with 0x and 64 hex digits, a version 3 keystore, or an Ed25519 seed in hex (default: SVC_KEY)',
    },
    show: { type: 'boolean', about: 'print the message without signing or sending it; requires no key' },
    holder: {
      type: 'string',
      value: 'CHAIN',
      about:
        'main or alt: the chain that holds a relocating machine, which only an opt-out needs (default: that of the key)',
    },
    'chain-id': { type: 'string', value: 'N', about: 'sign only for this chain (default: MAIN_CHAIN_ID)' },
    registry: {
      type: 'string',
      value: 'ADDRESS',
      about: 'sign only for this registry (default: MACHINE_REGISTRY_ADDRESS)',
    },
    ...SERVICE_OPTIONS,
  },
  example: `svc monetize ${EXAMPLE_DID} --opt-in --key-file owner.key`,
  async run(options, [did = '']) {
    const { 'base-url': baseUrl, 'env-file': envFile, show = false, json = false } = options;
    const optedIn = options['opt-in'] ?? false;
    if (optedIn === (options['opt-out'] ?? false))
      throw new CommandFailed('usage', 'pass either --opt-in or --opt-out');
    const { config, problems } = loadConfig({ envFile, lenient: true });
    if (problems.length > 0) throw new CommandFailed('usage', problems.join('\n'));
    const { namespace } = config;
    const machineId = parseMachineOperand(did, namespace);
    const expected = findExpected(config, options['chain-id'], options.registry);
    const named = options.holder === undefined ? undefined : parseHolder(options.holder);
    const key = show ? undefined : await loadSigningKey(options['key-file']);

    const connection = openConnection(baseUrl, namespace);
    const chain = named ?? key?.chain;
    const ordinal = config.altChain?.ordinal ?? DEFAULT_ALT_ORDINAL;
    const holder = chain === 'alt' ? { chain, ordinal } : chain && { chain };
    const target = { machine: machineId, optedIn, expected, ...(holder && { holder }) };
    if (key === undefined) {
      const { text, scheme } = await prepareOrFail(connection, target);
      process.stdout.write(json ? formatJson({ message: text, scheme }) : `${text}\n`);
      return EXIT_CODES.ok;
    }
    const state = await signAndSendDecision(connection, target, key, ({ text }) => process.stderr.write(`${text}\n`));
    process.stdout.write(json ? formatJson(state) : formatState(state));
    return EXIT_CODES.ok;
  },
});

function parseHolder(text: string): 'main' | 'alt' {
  if (text !== 'main' && text !== 'alt') throw new CommandFailed('usage', '--holder must be main or alt');
  return text;
}

/** Options take precedence over the settings of the service. Without either, any published deployment is accepted. */
function findExpected({ mainChain }: Config, chainId?: string, registry?: string): ExpectedDeployment {
  const address = registry === undefined ? mainChain?.addresses.machineRegistry : parseAddress(registry);
  if (registry !== undefined && address === undefined)
    throw new CommandFailed('usage', '--registry must be an address');
  return { chainId: chainId ?? mainChain?.chainId.toString(), registry: address };
}

function formatState({ machine_id: id, status, signer, updated_at: updatedAt }: MonetizationStateResponse): string {
  const rows = [
    ['machine', id],
    ['status', status],
    ['signer', signer],
    ['signed at', formatTime(Number(updatedAt))],
  ];
  return formatLines(alignColumns(rows.map(([name, value]) => [String(name), printable(String(value))])));
}
