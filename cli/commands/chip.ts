/**
 * `svc chip …`: onboarding for providers. Requests a challenge, lets chip and controller sign the evidence, submits it; creates a test PKI
 * for staging (evidence 4 to 9; configuration.md 2).
 */
import { writeFile } from 'node:fs/promises';
import {
  buildEvidence,
  EvidenceBuildError,
  prepareChipProof,
  prepareControllerProof,
  type ChipLeaf,
} from '../../src/domain/evidence/evidence-building.ts';
import { formatAddress } from '../../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../../src/domain/identifiers/namespace.ts';
import { openChipSigner, type ChipSigner } from '../chip/chip-signer.ts';
import { readInput, readJson, readLeaf } from '../chip/evidence-files.ts';
import { requestChallenge, submitEvidence } from '../chip/onboarding-client.ts';
import { readOnboardingToken } from '../chip/onboarding-token.ts';
import { alignColumns, defineCommand, ENV_FILE_OPTION, EXAMPLE_DID, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable, type JsonObject } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson, formatLines } from '../output.ts';
import { loadNamespace } from '../service-client.ts';
import { loadSigningKey, type SigningKey } from '../signing-key.ts';

const TOKEN_FILE_OPTION = {
  type: 'string',
  value: 'PATH',
  about: 'the onboarding token (default: SVC_ONBOARDING_TOKEN)',
} as const;

const challenge = defineCommand({
  name: 'chip challenge',
  about: 'Requests a challenge for the chip of a machine and prints it. It is shown only once.',
  operands: ['DID'],
  options: {
    'token-file': TOKEN_FILE_OPTION,
    ...SERVICE_OPTIONS,
    json: { type: 'boolean', about: 'accepted for uniformity; the output is always JSON' },
  },
  example: `svc chip challenge ${EXAMPLE_DID} > challenge.json`,
  async run({ 'token-file': tokenFile, 'base-url': baseUrl, 'env-file': envFile }, [did = '']) {
    const machineId = parseMachineOperand(did, loadNamespace(envFile));
    const token = await readOnboardingToken(tokenFile);
    process.stdout.write(formatJson(await requestChallenge({ baseUrl, token }, machineId)));
    return EXIT_CODES.ok;
  },
});

const prove = defineCommand({
  name: 'chip prove',
  about: 'Signs a challenge with chip and controller, and prints the evidence to submit.',
  operands: ['CHALLENGE'],
  options: {
    leaf: { type: 'string', value: 'PATH', about: "the chip's certificate, PEM or DER" },
    'chip-key': { type: 'string', value: 'PATH', about: "software chip: the leaf's private key in PEM" },
    'chip-command': {
      type: 'string',
      value: 'COMMAND',
      about: 'command that reads the 32-byte prehash and writes the signature (DER, or r and s of 32 bytes each)',
    },
    'key-file': {
      type: 'string',
      value: 'PATH',
      about: "the controller's key, in the forms of svc monetize (default: SVC_KEY)",
    },
    out: { type: 'string', value: 'PATH', about: 'file for the evidence (default: standard output)' },
    'env-file': ENV_FILE_OPTION,
    json: { type: 'boolean', about: 'accepted for uniformity; the output is always JSON' },
  },
  example: 'svc chip prove challenge.json --leaf chip.pem --chip-key chip.key --key-file owner.key --out evidence.json',
  async run(options, [challengeFile = '']) {
    const { leaf: leafFile, 'key-file': keyFile, out } = options;
    if (leafFile === undefined) throw new CommandFailed('usage', 'no certificate: pass --leaf PATH');
    const namespace = loadNamespace(options['env-file']);
    const signer = await openChipSigner(options['chip-key'], options['chip-command']);
    const [leaf, controller] = [await readLeaf(leafFile), await loadSigningKey(keyFile)];
    const evidence = await orRefuse(() => signEvidence(challengeFile, { leaf, signer, controller, namespace }));
    if (out === undefined) process.stdout.write(evidence.body);
    else await writeFile(out, evidence.body);
    process.stderr.write(`evidence ${evidence.evidenceHash}\nreceipt  ${evidence.receiptId}\n`);
    return EXIT_CODES.ok;
  },
});

const submit = defineCommand({
  name: 'chip submit',
  about: 'Submits the evidence and prints the receipt.',
  operands: ['EVIDENCE'],
  options: { 'token-file': TOKEN_FILE_OPTION, ...SERVICE_OPTIONS },
  example: 'svc chip submit evidence.json',
  async run(options, [evidenceFile = '']) {
    const { 'base-url': baseUrl, json = false } = options;
    const namespace = loadNamespace(options['env-file']);
    const token = await readOnboardingToken(options['token-file']);
    const receipt = await submitEvidence({ baseUrl, token }, await readInput(evidenceFile), namespace);
    if (receipt['receivedAt'] === undefined) process.stderr.write('this document was already accepted\n');
    process.stdout.write(json ? formatJson(receipt) : formatTexts(receipt));
    return EXIT_CODES.ok;
  },
});

const testPki = defineCommand({
  name: 'chip test-pki',
  about: 'Creates test certificates and a chip for staging, or adds a chip to them. Not for production.',
  operands: [],
  options: {
    dir: { type: 'string', value: 'PATH', about: 'folder of the certificates (default ./test-pki)' },
    chip: { type: 'string', value: 'NAME', about: 'name of the files NAME.pem and NAME.key (default chip)' },
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: 'svc chip test-pki --dir staging --chip chip-2',
  async run({ dir = './test-pki', chip: name = 'chip', 'env-file': envFile, json = false }) {
    if (!/^[\w-]+$/.test(name)) throw new CommandFailed('usage', '--chip must contain only letters, digits, - and _');
    const namespace = loadNamespace(envFile);
    const { addChip, openTrustFolder } = await import('../../devnet/chips/trust-folder.ts');
    const now = Math.floor(Date.now() / 1000);
    try {
      const { env } = openTrustFolder(dir, now);
      const chip = addChip(dir, name, namespace, now);
      const settings = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
      process.stdout.write(json ? formatJson({ env, chip }) : formatLines(settings));
      process.stderr.write(`${chip.certificate}\n${chip.key}\n`);
      return EXIT_CODES.ok;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      if (code === undefined) throw error;
      throw new CommandFailed(
        'refused',
        `--dir: the files cannot be written (${code}); check the folder, and that this chip does not exist yet`,
      );
    }
  },
});

export const CHIP_COMMANDS = [challenge, prove, submit, testPki];

interface Signers {
  readonly leaf: ChipLeaf;
  readonly signer: ChipSigner;
  readonly controller: SigningKey;
  readonly namespace: Namespace;
}

/** Checks the expiry before each signature, because a person may take time between them. */
async function signEvidence(challengeFile: string, { leaf, signer, controller, namespace }: Signers) {
  const chip = prepareChipProof(await readJson(challengeFile), leaf, namespace, nowSeconds());
  const { didController } = chip.challenge;
  if (controller.chain !== 'main' || formatAddress(controller.key.address) !== didController) {
    throw new CommandFailed('usage', `--key-file: not the key of the controller ${didController}`);
  }
  const rs = await signer(chip.prehash, leaf.publicKey);
  const proof = prepareControllerProof(chip, rs, namespace, nowSeconds());
  return buildEvidence(proof, controller.key.sign(proof.message), namespace, nowSeconds());
}

async function orRefuse<T>(build: () => Promise<T>): Promise<T> {
  try {
    return await build();
  } catch (error) {
    if (!(error instanceof EvidenceBuildError)) throw error;
    throw new CommandFailed('verificationFailed', `no evidence was created: ${error.message}`);
  }
}

function nowSeconds(): number {
  return Date.now() / 1000;
}

function formatTexts(texts: JsonObject): string {
  return formatLines(alignColumns(Object.entries(texts).map(([name, text]) => [name, printable(String(text))])));
}
