import { describe, expect, it } from 'vitest';
import { recordCases } from '../../../testing/fixtures/evidence-vectors.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { judgeVerifyStatus, type AttestationRecord } from './verify-status.ts';

const NOW = 1_800_000_000;
const RECORD: AttestationRecord = { issuedAt: 1_700_000_000n, expiresAt: undefined, revokedAt: undefined };
const at = (seconds: number) => BigInt(NOW + seconds);

describe('the status of a record', () => {
  rule('verify.revoked-before-expired', 'verify.status-values');

  it.each<[name: string, record: AttestationRecord | undefined, status: string]>([
    ['that does not exist', undefined, 'unverified'],
    ['that never expires', RECORD, 'verified'],
    ['a second before its end', { ...RECORD, expiresAt: at(1) }, 'verified'],
    ['at its end', { ...RECORD, expiresAt: at(0) }, 'expired'],
    ['a second after its end', { ...RECORD, expiresAt: at(-1) }, 'expired'],
    ['at the end of time', { ...RECORD, expiresAt: 2n ** 64n - 1n }, 'verified'],
    ['revoked', { ...RECORD, revokedAt: at(-1) }, 'revoked'],
    ['revoked by a block whose clock is ahead', { ...RECORD, revokedAt: at(9) }, 'revoked'],
    ['revoked before it would expire', { ...RECORD, expiresAt: at(1), revokedAt: at(-1) }, 'revoked'],
    ['revoked and expired', { ...RECORD, expiresAt: at(-2), revokedAt: at(-1) }, 'revoked'],
    ['issued by a block whose clock is ahead', { ...RECORD, issuedAt: at(9) }, 'verified'],
  ])('%s is %s', (_name, record, status) => {
    expect(judgeVerifyStatus(record, NOW)).toBe(status);
  });

  it.each(recordCases)('reports KYB $kyb and chip $chip independently', ({ kyb, chip, bodyText }) => {
    const records: Record<string, AttestationRecord | undefined> = {
      unverified: undefined,
      verified: { ...RECORD, expiresAt: at(1) },
      expired: { ...RECORD, expiresAt: at(0) },
      revoked: { ...RECORD, expiresAt: at(0), revokedAt: at(0) },
    };
    const { verification } = JSON.parse(bodyText) as { verification: unknown };
    expect({
      kyb: { status: judgeVerifyStatus(records[kyb], NOW) },
      chip: { status: judgeVerifyStatus(records[chip], NOW) },
    }).toStrictEqual(verification);
  });
});
