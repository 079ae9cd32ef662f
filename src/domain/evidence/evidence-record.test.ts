import { describe, expect, it } from 'vitest';
import { parseAddress, type MachineId } from '../identifiers/identifiers.ts';
import { rule } from '../../../test/conformance/rule.ts';
import type { ChallengeRecord } from './challenge-record.ts';
import type { TrustedSeconds } from '../clock/clock-judgement.ts';
import { createEvidenceHarness, passSteps, CURRENT_MACHINE } from '../../../testing/fixtures/evidence-documents.ts';
import { attempts, vectorNamespace, type VectorAttempt } from '../../../testing/fixtures/evidence-vectors.ts';
import { toEvidenceRecord, toReceipt } from './evidence-record.ts';
import { nonceHashOf } from './signed-bytes.ts';
import { present } from '../read-result.ts';

function accept({ bodyText, challenge }: VectorAttempt) {
  const record: ChallengeRecord = {
    nonceHash: nonceHashOf(challenge['nonce']!),
    machineId: BigInt(challenge['machineId']!) as MachineId,
    didController: parseAddress(challenge['didController']!)!,
    chainId: Number(challenge['chainId']),
    expiresAt: Number(challenge['expiresAt']),
    consumedBy: undefined,
  };
  const snapshot = { ...CURRENT_MACHINE.snapshot, id: record.machineId, controller: present(record.didController) };
  return passSteps(
    createEvidenceHarness({
      body: Buffer.from(bodyText),
      lookup: () => ({ state: 'stored', challenge: record }),
      machine: { ...CURRENT_MACHINE, snapshot },
    }),
  );
}

describe('the published attempts', () => {
  it.each(Object.entries(attempts))('produce their receipt: %s', (_name, attempt) => {
    const receipt = toReceipt(accept(attempt), vectorNamespace);
    expect(receipt).toStrictEqual(attempt.receipt);
    expect(JSON.stringify(receipt)).toBe(attempt.receiptText);
  });

  it('produce an evidence record', () => {
    rule('verify.evidence-moves-chip');
    const evidence = accept(attempts.first);
    expect(toEvidenceRecord(evidence, 1_800_000_007 as TrustedSeconds, vectorNamespace)).toStrictEqual({
      receiptId: '0x1bda30d9544bd5b7c459796365bd20645cf959b34e40fc6e92d0392005417161',
      evidenceHash: '0xfe5f8d87aa306bc45cbab15993328b2d23cac62effa3d5fa2aaf7991e1d3e776',
      machineId: 89350908712967475431870180087874041421682312546316148027441151704494887437771n,
      chipRef: '0xb429ce7f01357d7e3c010167c5b042de44db95f5aa2be293c3e596d09705e537',
      leafFingerprint: '0x747e9ef7fc1335f30a947e9c5e34eb8f2179a41061314a4fd5d51fdf96af674f',
      leafSerial: `0x${(394_590_176).toString(16)}`,
      controller: '0x00a555a5a14535fc5bc6158db663f7433e74bfed',
      receivedAt: 1_800_000_007,
      evidence: Buffer.from(attempts.first.bodyText),
    });
  });
});
