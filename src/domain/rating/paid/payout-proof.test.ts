import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';

import type { MachineId } from '../../identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../identifiers/namespace.ts';
import { createAltChainKey, createMainChainKey } from '../../signatures/account-keys.ts';
import { hashPersonalMessage } from '../../signatures/personal-message.ts';
import { PORTABLE_CURVES } from '../../signatures/portable-curves.ts';
import { createSignatureChecks } from '../../signatures/signature-checks.ts';
import { formatPayoutText, isPayoutProofSigned, parsePayoutProof, type PayoutProof } from './payout-proof.ts';

const MACHINE = 7n as MachineId;
const OWNER = '0x5935897a39afabbeda5a599d38236e7df151c8b8';
const EVM_KEY = createMainChainKey(Uint8Array.from({ length: 32 }, (_, at) => [3, 234][at - 30] ?? 0));
const SOLANA_KEY = createAltChainKey(new Uint8Array(32).fill(22));
const EVM_PROOF: PayoutProof = {
  account: '0x8105660af15a4eb54fa0571bc84dfbec0294a99a',
  owner: OWNER,
  signature:
    '0xe600be93fe4bbb551343b2292ab680e0f1d54ab12e8a70333d23cb5114ad45bc37' +
    '0f064abcd29eb22ce050701986f957031e00b300d7b059ba76287f502adbe41b',
};
const SOLANA_PROOF: PayoutProof = {
  account: '6TcyBfPdBt1kjsvDZLzmBFnuMaLWiTaAt4RjUr9VA5YD',
  owner: 'FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV',
  signature: '3pzTXxKz6b2ayLgELurw3NNvvADsRyZgy2DQWNjhpey6ivsB6KqWbJSZo9S76w5FGnpyvDK9zNUox1GsxCcob4wB',
};

const checks = createSignatureChecks(PORTABLE_CURVES);
const isSigned = (proof: PayoutProof, id = MACHINE, namespace = DEFAULT_NAMESPACE) =>
  isPayoutProofSigned(id, proof, namespace, checks);

describe('worked example 5', () => {
  it('signs a text of 141 bytes with the published hash', () => {
    const text = utf8ToBytes(formatPayoutText(MACHINE, EVM_PROOF, DEFAULT_NAMESPACE));
    expect(text).toHaveLength(141);
    expect(bytesToHex(hashPersonalMessage(text))).toBe(
      '8dafb5d794fb71cb8136bce73097821e050b61568522c2b298a33f142d80b34f',
    );
  });

  it('is the signature of an EVM account', () => {
    expect(EVM_KEY.address).toBe(EVM_PROOF.account);
    const text = utf8ToBytes(formatPayoutText(MACHINE, EVM_PROOF, DEFAULT_NAMESPACE));
    expect(isSigned(EVM_PROOF)).toBe(true);
    expect(isSigned({ ...EVM_PROOF, signature: EVM_KEY.sign(text) })).toBe(true);
  });

  it('is the signature of a Solana account', () => {
    expect(SOLANA_KEY.key).toBe(SOLANA_PROOF.account);
    const text = utf8ToBytes(formatPayoutText(MACHINE, SOLANA_PROOF, DEFAULT_NAMESPACE));
    expect(SOLANA_KEY.sign(text)).toBe(SOLANA_PROOF.signature);
    expect(isSigned(SOLANA_PROOF)).toBe(true);
  });
});

describe('a payout proof', () => {
  it.each([EVM_PROOF, SOLANA_PROOF])('is rejected for another machine, owner, account or namespace (%#)', (proof) => {
    expect(isSigned(proof, 8n as MachineId)).toBe(false);
    expect(isSigned({ ...proof, owner: '0x5f51853276d59b6c99d2042b16b92861c52542d1' })).toBe(false);
    const other = proof === EVM_PROOF ? `0x${'12'.repeat(20)}` : createAltChainKey(new Uint8Array(32).fill(9)).key;
    expect(isSigned({ ...proof, account: other })).toBe(false);
    expect(isSigned(proof, MACHINE, { ...DEFAULT_NAMESPACE, payout_header: 'other payout account/1' })).toBe(false);
    expect(isSigned(proof, MACHINE, { ...DEFAULT_NAMESPACE, did_method: 'other' })).toBe(false);
  });

  it('is rejected with the signature of the other kind', () => {
    expect(isSigned({ ...EVM_PROOF, signature: SOLANA_PROOF.signature })).toBe(false);
    expect(isSigned({ ...SOLANA_PROOF, signature: EVM_PROOF.signature })).toBe(false);
  });

  it('fits into 253 bytes of metadata', () => {
    const { account, owner, signature } = SOLANA_PROOF;
    expect(JSON.stringify({ payout: account, owner, proof: signature }).length).toBeLessThanOrEqual(253);
  });

  it('is read from a strict JSON object with further members', () => {
    const { account, owner, signature } = EVM_PROOF;
    const metadata = { order: 12, payout: account, owner, proof: signature, items: [{ price: 1e3 }] };
    expect(parsePayoutProof(utf8ToBytes(JSON.stringify(metadata)))).toEqual(EVM_PROOF);
  });

  it.each([
    '',
    '[]',
    '{"payout":"a","owner":"b"}',
    '{"payout":"a","owner":"b","proof":1}',
    '{"payout":"a","payout":"a","owner":"b","proof":"c"}',
    '\ufeff{"payout":"a","owner":"b","proof":"c"}',
    '{"payout":"a","owner":"b","proof":"\\ud800"}',
    '{"__proto__":{"payout":"a","owner":"b","proof":"c"}}',
  ])('is not read from %j', (text) => {
    expect(parsePayoutProof(utf8ToBytes(text))).toBeUndefined();
  });
});
