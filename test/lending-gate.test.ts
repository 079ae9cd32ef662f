/** Example consumer of rating statements on a local chain: terms, owner and times; statements are signed here (design/provable 1). */
import { decodeErrorResult, encodeDeployData, encodeFunctionData, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abiOf, loadArtifacts } from '../contracts/artifacts.ts';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain, type BareChain } from '../devnet/main-chain/bare-chain.ts';
import { activateMachine, machineIdOf } from '../devnet/main-chain/calls.ts';
import { RpcError } from '../devnet/main-chain/rpc.ts';
import { credentialsOf } from '../devnet/personas/persona.ts';
import { parseAddress } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { createMainChainKey } from '../src/domain/signatures/account-keys.ts';
import { signStatement, statementDomain, type RatingStatement } from '../src/domain/statements/rating-statement.ts';
import { VECTOR_KEY, VECTOR_STATEMENT } from '../testing/fixtures/statement-vectors.ts';
import { rule } from './conformance/rule.ts';

const NOW = 1_800_000_000;
const abi = [...abiOf('LendingGate'), ...abiOf('MachineRegistry').filter(({ type }) => type === 'error')];
const owner = accountOf('owner').address;
const MACHINE = String(machineIdOf(credentialsOf('recorded')));
const ELIGIBLE: RatingStatement = {
  ...VECTOR_STATEMENT,
  machineId: MACHINE,
  scoreHundredths: 6_000,
  ratedAt: NOW - 100,
  validUntil: NOW + 3_500,
};

let chain: BareChain;
let gate: Address;
/** Gate of another registry. */
let otherGate: Address;

beforeAll(async () => {
  chain = await startBareChain({ genesisTimestamp: NOW - 10, timestamp: NOW - 9 });
  await chain.writer.mine([activateMachine(chain.deployment, { ...credentialsOf('recorded'), from: owner })], NOW - 5);
  gate = await deploy(chain.deployment.addresses.machineRegistry, NOW - 4);
  otherGate = await deploy(chain.deployment.addresses.eventRegistry, NOW - 3);
  await chain.writer.mine([], NOW);
});
afterAll(() => chain.stop());

async function deploy(registry: Address, timestamp: number): Promise<Address> {
  const terms = { signer: VECTOR_KEY.address, model: 'mcr/2', minScoreHundredths: 6_000, maxAge: 100n };
  const data = encodeDeployData({
    abi,
    bytecode: loadArtifacts().contracts.LendingGate.bytecode,
    args: [DEFAULT_NAMESPACE.statement_name, registry, terms],
  });
  const [receipt] = await chain.writer.mine([{ label: 'LendingGate', from: owner, data }], timestamp);
  return receipt!.contractAddress!;
}

interface Ask {
  readonly changes?: Partial<RatingStatement>;
  readonly key?: typeof VECTOR_KEY;
  readonly borrower?: Address;
  readonly at?: Address;
}

/** Returns the revert reason of the gate; `accepted` without one. */
async function ask({ changes, key = VECTOR_KEY, borrower = owner, at = gate }: Ask = {}): Promise<string> {
  const { chainId, addresses } = chain.deployment;
  const domain = statementDomain(chainId, parseAddress(addresses.machineRegistry)!, DEFAULT_NAMESPACE);
  const { statement, signature } = signStatement({ ...ELIGIBLE, ...changes }, domain, key);
  const data = encodeFunctionData({ abi, functionName: 'requireEligible', args: [statement, signature, borrower] });
  try {
    await chain.writer.rpc.request<Hex>('eth_call', [{ to: at, data }, 'latest']);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return decodeErrorResult({ abi, data: error.data as Hex }).errorName;
  }
}

it('accepts a statement that meets the terms exactly', async () => {
  rule('statement.lending-gate');
  expect(await ask()).toBe('accepted');
});

describe('reverts for a signed statement', () => {
  rule('statement.lending-gate');

  it.each<[string, Ask, string]>([
    ['without a bond', { changes: { bonded: false } }, 'NotBonded'],
    ['with a negative flag', { changes: { negativeFlag: true } }, 'NegativeFlag'],
    ['of another model', { changes: { model: 'mcr/3' } }, 'WrongModel'],
    ['with too few points', { changes: { scoreHundredths: 5_999 } }, 'ScoreTooLow'],
    ['that is too old', { changes: { ratedAt: NOW - 101 } }, 'TooOld'],
    ['that has expired', { changes: { validUntil: NOW - 1 } }, 'Expired'],
    ['that is not valid yet', { changes: { ratedAt: NOW + 1 } }, 'NotValidYet'],
    ['that is valid for more than a day', { changes: { validUntil: NOW - 100 + 86_401 } }, 'WrongLifetime'],
    ['that ends before it begins', { changes: { validUntil: NOW - 101 } }, 'WrongLifetime'],
    ['of another owner', { borrower: accountOf('buyer').address }, 'NotOwner'],
    ['of a machine without a token', { changes: { machineId: '7' } }, 'ERC721NonexistentToken'],
    ['of another key', { key: createMainChainKey(new Uint8Array(32).fill(3)) }, 'WrongSigner'],
  ])('%s', async (_, question, reason) => {
    expect(await ask(question)).toBe(reason);
  });

  it('of another registry', async () => {
    expect(await ask({ at: otherGate })).toBe('WrongSigner');
  });
});
