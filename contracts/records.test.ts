/**
 * Optional contracts: flags, overrides, attestations and legacy machines, and Multicall3, which reads them all (chain-evm 2.7 to 2.9,
 * 5).
 */
import { createPublicClient, http, multicall3Abi, parseEventLogs, stringToHex, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain } from '../devnet/main-chain/bare-chain.ts';
import type { BareChain } from '../devnet/main-chain/bare-chain.ts';
import { createContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { ContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { Call } from '../devnet/main-chain/chain-writer.ts';
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

describe('attestations', () => {
  const word = (byte: string) => `0x${byte.repeat(32)}`;
  const [EVIDENCE, REASON] = ['e1', '0f'].map(word);
  const attest = (functionName: string, ...args: unknown[]) =>
    adminCall(chain.deployment, 'attestationRegistry', functionName, args);
  const attestChip = (machineId: bigint, chipRef = CHIP, expiresAt = 0n) =>
    attest('attestChip', machineId, expiresAt, CERTIFICATE_HASH, chipRef, EVIDENCE);
  const reinstateChip = (machineId: bigint, chipRef = CHIP, reason = REASON) =>
    attest('reinstateChip', machineId, 0n, CERTIFICATE_HASH, chipRef, EVIDENCE, reason);
  const read = (functionName: string, ...args: unknown[]) => reader.read('attestationRegistry', functionName, args);
  const revertOf = (call: Call) => reader.revertOf(call, 'attestationRegistry');
  /** Each test has its own machines, chips and time, because blocks cannot be undone. */
  let one = 0n;
  let other = 0n;
  let CHIP = '';
  let OTHER_CHIP = '';
  let now = NOW;

  beforeEach(() => {
    now += 1_000;
    [one, other] = [BigInt(now), BigInt(now + 1)];
    [CHIP, OTHER_CHIP] = [`0x${one.toString(16).padStart(64, '0')}`, `0x${other.toString(16).padStart(64, '0')}`];
  });

  test('follow the current operator, and a new one clears a revocation', async () => {
    const recordsOf = () => read('recordsOf', id);
    const countLogs = () => read('chipLogCount', id);
    expect([await recordsOf(), await countLogs()]).toEqual([[owner, NO_RECORD, NO_RECORD], 0n]);
    expect(await revertOf(attest('revokeKyb', owner))).toBe('NoAttestation()');
    await chain.writer.mine([attest('attestKyb', owner, 0n, EVIDENCE), attestChip(id, CHIP, 7n)], now + 20);
    const issued = { issuedAt: BigInt(now + 20), expiresAt: 0n, revokedAt: 0n };
    expect([await recordsOf(), await countLogs()]).toEqual([[owner, issued, { ...issued, expiresAt: 7n }], 1n]);
    await chain.writer.mine([attest('revokeKyb', owner), attest('revokeChip', id)], now + 30);
    const revoked = { ...issued, revokedAt: BigInt(now + 30) };
    expect([await recordsOf(), await countLogs()]).toEqual([[owner, revoked, { ...revoked, expiresAt: 7n }], 2n]);
    await chain.writer.mine([attest('attestKyb', owner, 0n, EVIDENCE)], now + 40);
    expect(await recordsOf()).toMatchObject([owner, { issuedAt: BigInt(now + 40), revokedAt: 0n }, {}]);
    await chain.writer.mine([transferMachine(chain.deployment, owner, buyer, id)]);
    expect(await recordsOf()).toMatchObject([buyer, NO_RECORD, { revokedAt: BigInt(now + 30) }]);
    for (const call of ['revokeChip', 'attestKyb', 'attestChip', 'reinstateChip'] as const) {
      const args = { revokeChip: 1, attestKyb: 3, attestChip: 5, reinstateChip: 6 }[call];
      const values = [call === 'attestKyb' ? owner : id, 0n, ...[CHIP, CHIP, CHIP, CHIP]].slice(0, args);
      const foreign = contractCall(chain.deployment, 'attestationRegistry', owner, call, values);
      expect(await revertOf(foreign)).toBe('NotAttester()');
    }
  });

  test('of KYB refuse the zero address and emit the hash of their evidence', async () => {
    const zero = `0x${'0'.repeat(40)}`;
    expect(await revertOf(attest('attestKyb', zero, 0n, EVIDENCE))).toBe('ZeroOperator()');
    await chain.writer.mine([attest('attestKyb', buyer, 9n, EVIDENCE)], now + 100);
    expect(await listEvents()).toEqual([
      ['KybAttested', { operator: buyer, issuedAt: BigInt(now + 100), expiresAt: 9n }],
      ['KybEvidence', { operator: buyer, evidenceHash: EVIDENCE }],
    ]);
  });

  test('of a chip store and emit its reference and the hash of its evidence', async () => {
    expect(await revertOf(attestChip(one, word('00')))).toBe('ZeroChipRef()');
    await chain.writer.mine([attestChip(one)], now + 100);
    expect(await read('chipEvidenceOf', one)).toEqual([CHIP, EVIDENCE]);
    expect([await read('machineOfChip', CHIP), await read('machineOfChip', OTHER_CHIP)]).toEqual([one, 0n]);
    const attested = { machineId: one, issuedAt: BigInt(now + 100), expiresAt: 0n, certificateHash: CERTIFICATE_HASH };
    expect(await listEvents()).toEqual([
      ['ChipAttested', attested],
      ['ChipEvidence', { machineId: one, chipRef: CHIP, evidenceHash: EVIDENCE }],
    ]);
  });

  test('of a chip that backs another machine revert until that record expires or has another chip', async () => {
    await chain.writer.mine([attestChip(one, CHIP, BigInt(now + 200))], now + 100);
    expect(await revertOf(attestChip(other))).toBe(`ChipInUse(${one})`);
    expect(await revertOf(reinstateChip(other))).toBe(`ChipInUse(${one})`);
    await expect(revertOf(attestChip(one))).rejects.toThrow('did not revert');
    await chain.writer.mine([attestChip(one, OTHER_CHIP)], now + 110);
    await expect(revertOf(attestChip(other))).rejects.toThrow('did not revert');
    await chain.writer.mine([attestChip(one, CHIP, BigInt(now + 200))], now + 120);
    expect(await revertOf(attestChip(other))).toBe(`ChipInUse(${one})`);
    await chain.writer.mine([], now + 200);
    await chain.writer.mine([attestChip(other)], now + 210);
    expect(await read('machineOfChip', CHIP)).toBe(other);
    expect(await revertOf(attestChip(one))).toBe(`ChipInUse(${other})`);
  });

  test('of a chip that was ever revoked need a reinstatement with a reason, on any machine', async () => {
    await chain.writer.mine([attestChip(one)], now + 100);
    await chain.writer.mine([attest('revokeChip', one)], now + 110);
    expect(await revertOf(attestChip(one))).toBe(`ChipRevokedBefore(${one})`);
    expect(await revertOf(attestChip(other))).toBe(`ChipRevokedBefore(${one})`);
    expect(await revertOf(reinstateChip(other, CHIP, word('00')))).toBe('NoReason()');
    await chain.writer.mine([reinstateChip(other)], now + 120);
    expect((await listEvents()).map(([name]) => name)).toEqual(['ChipAttested', 'ChipEvidence', 'ChipReinstated']);
    expect((await listEvents()).at(-1)).toEqual([
      'ChipReinstated',
      { machineId: other, chipRef: CHIP, reasonHash: REASON },
    ]);
    expect(await read('chipLogCount', other)).toBe(1n);
    expect(await revertOf(attestChip(other))).toBe(`ChipRevokedBefore(${one})`);
    expect(await revertOf(reinstateChip(one))).toBe(`ChipInUse(${other})`);
    await expect(revertOf(attestChip(one, OTHER_CHIP))).rejects.toThrow('did not revert');
  });

  /** Returns the events of the registry in the newest block. */
  async function listEvents(): Promise<[name: string, args: object][]> {
    const client = createPublicClient({ transport: http(chain.rpcUrl) });
    const { number } = await client.getBlock();
    const address = chain.deployment.addresses.attestationRegistry;
    const logs = await client.getLogs({ address, fromBlock: number, toBlock: number });
    return parseEventLogs({ abi: abiOf('AttestationRegistry'), logs }).map((log) => {
      const { eventName, args } = log as unknown as { readonly eventName: string; readonly args: object };
      return [eventName, args];
    });
  }
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
