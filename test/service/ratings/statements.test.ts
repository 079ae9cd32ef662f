/**
 * Statements of the running service: accepted by the client, viem, the CLI with a replay, and a contract on the chain; ten changed ones are
 * refused by client, CLI and contract (design/provable 1).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeDeployData, encodeFunctionData, recoverTypedDataAddress, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { runCommandLine } from '../../../cli/command-table.ts';
import { CommandFailed, EXIT_CODES } from '../../../cli/exit-codes.ts';
import { connect } from '../../../client/client.ts';
import { getRatingStatement, getStatementKeys, verifyRatingStatement } from '../../../client/statements.ts';
import { abiOf, loadArtifacts } from '../../../contracts/artifacts.ts';
import { accountOf } from '../../../devnet/accounts.ts';
import { createChainWriter } from '../../../devnet/main-chain/chain-writer.ts';
import type { StatementResponse } from '../../../src/http/wire/response-types.ts';
import { listPageCommands, runInShell } from '../../../testing/harness/page-commands.ts';
import { rule } from '../../conformance/rule.ts';
import { TAMPERINGS } from './tampered-statements.ts';

const baseUrl = inject('baseUrl');
const env = inject('devnetEnv');
const { machines, mainChain } = inject('fixtures');
const connection = connect({ baseUrl });
const { address: SIGNER } = accountOf('statements');
const RATED = machines.find(({ name }) => name === 'rated-aaa')!;
const ALT_RATED = machines.find(({ name }) => name === 'alt-declared')!;
const registry = env.MACHINE_REGISTRY_ADDRESS as Address;
const writer = createChainWriter(mainChain.rpcUrl);
const abi = abiOf('LendingGate');

let folder: string;
let gate: Address;
let document: StatementResponse;

async function fetchStatement(did: string): Promise<StatementResponse> {
  const result = await getRatingStatement(connection, did);
  if (!result.ok) throw new Error(`${did}: ${result.error.text}`);
  return result.value;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statements-'));
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'svc.env'), settings.join(''));
  // The logs are proven in the background.
  document = await vi.waitFor(() => fetchStatement(RATED.did), { timeout: 60_000, interval: 500 });
  const terms = { signer: SIGNER, model: 'mcr/2', minScoreHundredths: 6_000, maxAge: 86_400n };
  const data = encodeDeployData({
    abi,
    bytecode: loadArtifacts().contracts.LendingGate.bytecode,
    args: [document.domain.name, registry, terms],
  });
  const [receipt] = await writer.mine([{ label: 'LendingGate', from: accountOf('lender').address, data }]);
  gate = receipt!.contractAddress!;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns whether the contract accepts the statement for the borrower. */
async function isEligible({ statement, signature }: StatementResponse, borrower: string): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'requireEligible', args: [statement, signature, borrower] });
  try {
    await writer.rpc.request<Hex>('eth_call', [{ to: gate, data }, 'latest']);
    return true;
  } catch {
    return false;
  }
}

function readStatement(): StatementResponse {
  return JSON.parse(readFileSync(join(folder, 'statement.json'), 'utf8')) as StatementResponse;
}

/** Runs `svc statement verify` and returns the exit code. */
async function verifyByCommand(changed: object, ...options: string[]): Promise<number> {
  const file = join(folder, 'statement.json');
  writeFileSync(file, JSON.stringify(changed));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    return await runCommandLine(['statement', 'verify', file, ...options]);
  } catch (error) {
    if (error instanceof CommandFailed) return error.exitCode;
    throw error;
  } finally {
    vi.restoreAllMocks();
  }
}

async function verifyByClient(changed: unknown): Promise<boolean> {
  const published = await getStatementKeys(connection);
  if (!published.ok) throw new Error(published.error.text);
  return verifyRatingStatement(changed, { chainId: mainChain.chainId, registry, keys: published.value.keys }).ok;
}

describe('a statement of the running service', () => {
  it('is of the rating that /mcr returns, and is signed by the published key', async () => {
    const { statement, explanation } = document;
    const rating = (await (await fetch(`${baseUrl}/mcr/${RATED.did}`)).json()) as { mcr: string };
    expect([statement.rating, explanation.mcr, explanation.inputs.now]).toEqual([
      rating.mcr,
      rating.mcr,
      statement.ratedAt,
    ]);
    expect(document.signer).toBe(SIGNER);
    expect(await verifyByClient(document)).toBe(true);
  });

  it('is accepted by viem', async () => {
    rule('statement.eip712');
    const { statement, domain, types, signature } = document;
    const whole = ['machineId', 'blockNumber', 'altSlot', 'ratedAt', 'validUntil'];
    const message = Object.fromEntries(
      Object.entries(statement).map(([name, value]) => [name, whole.includes(name) ? BigInt(value as string) : value]),
    );
    const typedData = { domain, types, primaryType: 'RatingStatement', message } as never;
    expect(await recoverTypedDataAddress({ ...(typedData as object), signature } as never)).toBe(SIGNER);
  });

  it('is accepted by the contract for the owner of the machine, and for no other borrower', async () => {
    rule('statement.lending-gate');
    expect(await isEligible(document, RATED.owner)).toBe(true);
    expect(await isEligible(document, accountOf('lender').address)).toBe(false);
  });

  it.each([
    ['main chain', RATED],
    ['alt chain', ALT_RATED],
  ])('is recomputed from the chains by svc statement verify --replay: %s', async (_, { did }) => {
    rule('statement.replay');
    const envFile = join(folder, 'svc.env');
    const options = ['--replay', '--base-url', baseUrl, '--env-file', envFile];
    expect(await verifyByCommand(await fetchStatement(did), ...options)).toBe(EXIT_CODES.ok);
    expect(await verifyByCommand(await fetchStatement(did), '--signer', SIGNER)).toBe(EXIT_CODES.ok);
  });

  it('is refused for a machine without a bond or with a flag, although it is signed', async () => {
    for (const name of ['unbonded', 'flagged']) {
      const { did, owner } = machines.find((machine) => machine.name === name)!;
      const other = await fetchStatement(did);
      expect([name, await verifyByClient(other), await isEligible(other, owner)]).toEqual([name, true, false]);
    }
  });
});

describe('a changed statement is refused by client, command and contract', () => {
  it.each(TAMPERINGS)('with %s', async (_, tamper) => {
    rule('statement.lending-gate');
    const changed = tamper(document) as StatementResponse;
    expect(await isEligible(document, RATED.owner)).toBe(true);
    expect({
      client: await verifyByClient(changed),
      command: await verifyByCommand(changed, '--base-url', baseUrl),
      contract: await isEligible(changed, RATED.owner),
    }).toEqual({ client: false, command: EXIT_CODES.verificationFailed, contract: false });
  });
});

describe.each(['docs/statements.md', 'docs/decision-log.md'])('%s', (page) => {
  it('prints commands that succeed in their order', async () => {
    rule('documents.blocks');
    const lines = listPageCommands(page, 'test/service/ratings/statements.test.ts');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const own = line
        .replace('https://ratings.example', baseUrl)
        .replace('did:svc:42', RATED.did)
        .replace(/0x1A64\S*/, SIGNER)
        // The page gets a new statement, which may be more than the allowed clock difference newer than the document.
        .replace('--at 1800000000', () => `--at ${readStatement().statement.ratedAt}`);
      const { code, stderr } = await runInShell(own, folder, { SVC_BASE_URL: baseUrl });
      expect([line, code, stderr]).toEqual([line, 0, '']);
    }
  });
});
