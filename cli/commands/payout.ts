/** `svc payout proof`: the text that a payout account signs for a machine and, with its key, the metadata to attach to an event. */
import { loadSigningSecrets } from '../../src/config.ts';
import { parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatMachineDid, parseAddress } from '../../src/domain/identifiers/identifiers.ts';
import { formatPayoutText } from '../../src/domain/rating/paid/payout-proof.ts';
import { defineCommand, EXAMPLE_DID, SERVICE_OPTIONS, type Command } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { openConnection, readDocument } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson } from '../output.ts';
import { loadNamespace } from '../service-client.ts';
import { loadSigningKey } from '../signing-key.ts';

const proof = defineCommand({
  name: 'payout proof',
  about:
    'Prints the text that a payout account signs for a machine or, with its key, the metadata to attach to an event.',
  operands: ['DID', 'ACCOUNT'],
  options: {
    owner: {
      type: 'string',
      value: 'ADDRESS',
      about: 'owner of the machine (default: read from the service, for alt-chain machines only)',
    },
    'key-file': {
      type: 'string',
      value: 'PATH',
      about:
        'key of the account: 0x and 64 hex digits, a version 3 keystore, or an Ed25519 seed in hex (default: SVC_KEY)',
    },
    ...SERVICE_OPTIONS,
  },
  example:
    `svc payout proof ${EXAMPLE_DID} 0x8105660af15a4eb54fa0571bc84dfbec0294a99a ` +
    '--owner 0x5935897a39afabbeda5a599d38236e7df151c8b8 --key-file payout.key',
  async run(options, [did = '', accountText = '']) {
    const { 'base-url': baseUrl, 'env-file': envFile, 'key-file': keyFile, json = false } = options;
    const namespace = loadNamespace(envFile);
    const id = parseMachineOperand(did, namespace);
    const account = parseAccount('ACCOUNT', accountText);
    const owner = parseAccount('--owner', options.owner ?? (await readOwner(baseUrl, formatMachineDid(id, namespace))));
    const text = formatPayoutText(id, { account, owner }, namespace);
    if (keyFile === undefined && loadSigningSecrets().key === undefined) {
      process.stdout.write(json ? formatJson({ message: text }) : `${text}\n`);
      return EXIT_CODES.ok;
    }
    const metadata = JSON.stringify({ payout: account, owner, proof: await sign(text, account, keyFile) });
    process.stderr.write(`${text}\n`);
    process.stdout.write(json ? formatJson({ message: text, metadata }) : `${metadata}\n`);
    return EXIT_CODES.ok;
  },
});

export const PAYOUT_COMMANDS: readonly Command[] = [proof];

/** Returns an EVM address in lower case, or a Solana address. Throws `CommandFailed`. */
function parseAccount(name: string, text: string): string {
  const account = parseAddress(text) ?? parseAltKey(text);
  if (account === undefined) throw new CommandFailed('usage', `${name} must be an EVM or a Solana address`);
  return account;
}

/** Reads the owner of an alt-chain machine from its profile. Throws `CommandFailed` for a machine without one. */
async function readOwner(baseUrl: string | undefined, did: string): Promise<string> {
  const profile = await readDocument(openConnection(baseUrl), `/machine/${encodeURIComponent(did)}`, did);
  const owners = Object.values(profile).flatMap((part) => {
    const owner: unknown = typeof part === 'object' && part !== null && 'owner' in part ? part.owner : undefined;
    return typeof owner === 'string' ? [owner] : [];
  });
  if (owners.length === 1) return owners[0]!;
  throw new CommandFailed('usage', `the profile of ${did} names no owner: pass --owner ADDRESS`);
}

/** Signs the text with the key of the account. Throws `CommandFailed` for the key of another account. */
async function sign(text: string, account: string, keyFile: string | undefined): Promise<string> {
  const signing = await loadSigningKey(keyFile);
  const signer = signing.chain === 'main' ? signing.key.address : signing.key.key;
  if (signer === account) return signing.key.sign(new TextEncoder().encode(text));
  const source = keyFile === undefined ? 'SVC_KEY' : '--key-file';
  throw new CommandFailed('usage', `${source}: the key is that of ${signer}, not of the payout account ${account}`);
}
