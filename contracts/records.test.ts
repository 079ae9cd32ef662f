/**
 * Optional contracts: flags, overrides, attestations and legacy machines, and Multicall3, which reads them all (chain-evm 2.7 to 2.9,
 * 5).
 */
import { createPublicClient, http, multicall3Abi, stringToHex, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain } from '../devnet/main-chain/bare-chain.ts';
import type { BareChain } from '../devnet/main-chain/bare-chain.ts';
import { createContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { ContractReader } from '../devnet/main-chain/contract-reader.ts';
import { activateMachine, adminCall, contractCall, machineIdOf, transferMachine } from '../devnet/main-chain/calls.ts';
import { credentialsOf } from '../devnet/personas/persona.ts';
import { abiOf } from './artifacts.ts';

const NOW = 1_800_000_000;
const owner = accountOf('owner').address;
const buyer = accountOf('buyer').address;
const id = machineIdOf(credentialsOf('recorded'));
const NO_RECORD = { issuedAt: 0n, expiresAt: 0n, revokedAt: 0n };
const CERTIFICATE_HASH = `0x${'ab'.repeat(32)}`;

let chain: BareChain;
let reader: ContractReader;

beforeAll(async () => {
  chain = await startBareChain({ genesisTimestamp: NOW - 10, timestamp: NOW - 9 });
  reader = createContractReader(chain);
  await chain.writer.mine([activateMachine(chain.deployment, { ...credentialsOf('recorded'), from: owner })], NOW);
});
afterAll(() => chain.stop());

test('flags and overrides are set and cleared independently', async () => {
  const flags = (functionName: string, ...args: unknown[]) =>
    adminCall(chain.deployment, 'adminFlags', functionName, [id, ...args]);
  expect(await reader.read('adminFlags', 'flagsOf', [id])).toEqual([0n, false, 0]);
  await chain.writer.mine([flags('flagMachine'), flags('setTrustOverride', 0)], NOW + 5);
  expect(await reader.read('adminFlags', 'flagsOf', [id])).toEqual([BigInt(NOW + 5), true, 0]);
  expect(await reader.revertOf(flags('setTrustOverride', 101), 'adminFlags')).toBe('InvalidTrustOverride(101)');
  await chain.writer.mine([flags('clearFlag'), flags('setTrustOverride', 100)]);
  expect(await reader.read('adminFlags', 'flagsOf', [id])).toEqual([0n, true, 100]);
  await chain.writer.mine([flags('clearTrustOverride'), flags('devFlagMachineAt', 1n)]);
  expect(await reader.read('adminFlags', 'flagsOf', [id])).toEqual([1n, false, 0]);
  const foreign = contractCall(chain.deployment, 'adminFlags', owner, 'flagMachine', [id]);
  expect(await reader.revertOf(foreign, 'adminFlags')).toBe('NotProtocolOwner()');
});

test('records follow the current operator, and a new attestation clears a revocation', async () => {
  const attest = (functionName: string, ...args: unknown[]) =>
    adminCall(chain.deployment, 'attestationRegistry', functionName, args);
  const recordsOf = () => reader.read('attestationRegistry', 'recordsOf', [id]);
  const countLogs = () => reader.read('attestationRegistry', 'chipLogCount', [id]);
  expect([await recordsOf(), await countLogs()]).toEqual([[owner, NO_RECORD, NO_RECORD], 0n]);
  expect(await reader.revertOf(attest('revokeKyb', owner), 'attestationRegistry')).toBe('NoAttestation()');
  await chain.writer.mine([attest('attestKyb', owner, 0n), attest('attestChip', id, 7n, CERTIFICATE_HASH)], NOW + 20);
  const issued = { issuedAt: BigInt(NOW + 20), expiresAt: 0n, revokedAt: 0n };
  expect([await recordsOf(), await countLogs()]).toEqual([[owner, issued, { ...issued, expiresAt: 7n }], 1n]);
  await chain.writer.mine([attest('revokeKyb', owner), attest('revokeChip', id)], NOW + 30);
  const revoked = { ...issued, revokedAt: BigInt(NOW + 30) };
  expect([await recordsOf(), await countLogs()]).toEqual([[owner, revoked, { ...revoked, expiresAt: 7n }], 2n]);
  await chain.writer.mine([attest('attestKyb', owner, 0n)], NOW + 40);
  expect(await recordsOf()).toMatchObject([owner, { issuedAt: BigInt(NOW + 40), revokedAt: 0n }, {}]);
  await chain.writer.mine([transferMachine(chain.deployment, owner, buyer, id)]);
  expect(await recordsOf()).toMatchObject([buyer, NO_RECORD, { revokedAt: BigInt(NOW + 30) }]);
  const foreign = contractCall(chain.deployment, 'attestationRegistry', owner, 'revokeChip', [id]);
  expect(await reader.revertOf(foreign, 'attestationRegistry')).toBe('NotAttester()');
});

test('an unknown machine has no operator and no records', async () => {
  const unknown = await reader.read('attestationRegistry', 'recordsOf', [1n]);
  expect(unknown).toEqual([`0x${'0'.repeat(40)}`, NO_RECORD, NO_RECORD]);
});

test('legacy machines are numbered from 1 and have stake and attributes', async () => {
  const { deployment, writer } = chain;
  const identities = 'legacyIdentityRegistry';
  await writer.mine([
    adminCall(deployment, identities, 'registerMachine', [buyer, owner]),
    adminCall(deployment, 'legacyStaking', 'setStaked', [1n, true]),
    contractCall(deployment, 'legacyDidStore', buyer, 'setAttribute', [owner, stringToHex('machines'), '0x5b315d', 9]),
  ]);
  expect(await reader.read(identities, 'machineIdOf', [buyer])).toBe(1n);
  expect(await reader.read(identities, 'machineExists', [1n])).toBe(true);
  expect(await reader.read(identities, 'machineExists', [2n])).toBe(false);
  expect(await reader.read(identities, 'operatorOf', [1n])).toBe(owner);
  expect(await reader.read(identities, 'machineAddressOf', [1n])).toBe(buyer);
  expect(await reader.read('legacyStaking', 'isStaked', [1n])).toBe(true);
  expect(await reader.read('legacyDidStore', 'readAttribute', [owner, stringToHex('machines')])).toMatchObject({
    ...{ name: stringToHex('machines'), value: '0x5b315d', validity: 9 },
  });
});

test('Multicall3 has the canonical selectors', () => {
  const selectors = abiOf('Multicall3').flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []));
  const known = multicall3Abi.map((item) => toFunctionSelector(item));
  expect(known.filter((selector) => !selectors.includes(selector))).toEqual([]);
  for (const selector of ['0x82ad56cb', '0x42cbb15c', '0x27e86d6e', '0x0f28c97d', '0xee82ac5e', '0x3408e470']) {
    expect(selectors).toContain(selector);
  }
});

test('Multicall3 reports its block and tolerates a failed call', async () => {
  const { addresses } = chain.deployment;
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const block = await client.getBlock();
  expect(await reader.read('multicall3', 'getBlockNumber')).toBe(block.number);
  expect(await reader.read('multicall3', 'getCurrentBlockTimestamp')).toBe(block.timestamp);
  expect(await reader.read('multicall3', 'getLastBlockHash')).toBe(block.parentHash);
  const registry = { address: addresses.machineRegistry, abi: abiOf('MachineRegistry'), functionName: 'ownerOf' };
  const answers = await client.multicall({
    multicallAddress: addresses.multicall3,
    contracts: [
      { ...registry, args: [id] },
      { ...registry, args: [1n] },
      { ...registry, address: accountOf('without code').address, args: [id] },
    ],
  });
  expect(answers.map(({ status }) => status)).toEqual(['success', 'failure', 'failure']);
  expect(answers[0].result).toBe(buyer);
});
