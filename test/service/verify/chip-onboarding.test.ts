/** Chip onboarding from challenge to Verify record, with real commands, a real service and a real chain (evidence 4 to 10). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accountOf } from '../../../devnet/accounts.ts';
import { transferMachine } from '../../../devnet/main-chain/calls.ts';
import { evidenceHashOf } from '../../../src/domain/evidence/signed-bytes.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { OWNER, startChipOnboardingFixture, type ChipOnboardingFixture } from './chip-onboarding-fixture.ts';

const { chip, onboardingToken } = inject('fixtures');
const SOON = { timeout: 20_000 };
const SOFTWARE_CHIP = ['--leaf', chip.certificate, '--chip-key', chip.key];

let harness: ChipOnboardingFixture;
beforeAll(async () => {
  harness = await startChipOnboardingFixture();
});
afterAll(() => harness.close());

/** Runs a command that must succeed and returns its output. */
async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await harness.svc(...args);
  expect([code, stderr], args.join(' ')).toEqual([0, expect.any(String)]);
  expect(stdout + stderr).not.toContain(onboardingToken);
  return stdout;
}

const at = () => ['--base-url', harness.service.service.url];
async function challenge(machine = 0): Promise<string> {
  return harness.fileOf('challenge.json', await succeed('chip', 'challenge', harness.dids[machine]!, ...at()));
}

describe('a provider', () => {
  let evidence: string;
  let receipt: Record<string, string>;

  it('proves a software chip, and gets the receipt that follows from the document', async () => {
    rule('evidence.two-signatures');
    evidence = harness.fileOf('evidence.json');
    await succeed('chip', 'prove', await challenge(), ...SOFTWARE_CHIP, '--out', evidence);
    receipt = JSON.parse(await succeed('chip', 'submit', evidence, '--json', ...at())) as Record<string, string>;
    expect(receipt).toMatchObject({ machineDid: harness.dids[0], status: 'accepted' });
    expect(harness.service.lines.join('\n')).not.toContain(onboardingToken);
  });

  it('learns on a second submission that the document was accepted before', async () => {
    const { receivedAt, ...follows } = receipt;
    const { code, stdout, stderr } = await harness.svc('chip', 'submit', evidence, '--json', ...at());
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, follows, 'this document was already accepted\n']);
    expect(receivedAt).toMatch(/^\d+$/);
  });

  it.each([
    ['DER with a SEQUENCE', "'der'", ''],
    ['r and s of 32 bytes', "'ieee-p1363'", ''],
    ['DER without a SEQUENCE', "'der'", '.subarray(2)'],
  ])('uses a command that signs and prints %s', async (_name, encoding, rest) => {
    // Signs the preimage, which is the same; the prehash on its input must be that of it.
    const file = await challenge();
    const script = harness.fileOf(
      'signer.mjs',
      `import { createHash, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
const leaf = readFileSync(${JSON.stringify(chip.certificate)});
const nine = JSON.parse(readFileSync(${JSON.stringify(file)}));
const der = Buffer.from(String(leaf).split('\\n').slice(1, -2).join(''), 'base64');
const texts = { ...nine, certificateFingerprintSha256: '0x' + createHash('sha256').update(der).digest('hex') };
const transcript = JSON.stringify(Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))));
const preimage = Buffer.from(nine.protocol + '\\0' + transcript);
const prehash = readFileSync(0);
if (!createHash('sha256').update(preimage).digest().equals(prehash)) process.exit(9);
const key = readFileSync(${JSON.stringify(chip.key)});
process.stdout.write(sign('sha256', preimage, { key, dsaEncoding: ${encoding} })${rest});
`,
    );
    const command = ['--leaf', chip.certificate, '--chip-command', `${process.execPath} ${script}`];
    const document = harness.fileOf('signed.json', await succeed('chip', 'prove', file, ...command));
    expect(await succeed('chip', 'submit', document, ...at())).toContain('status            accepted\n');
  });

  it('gets the reason when no document can be created or accepted', async () => {
    const file = await challenge(1);
    const lines = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await harness.svc(...args);
      return [code, stdout, stderr.trimEnd()];
    };
    const leaf = ['--leaf', chip.certificate];
    expect(await lines('chip', 'prove', file, ...leaf, '--chip-command', 'exit 7')).toEqual([
      1,
      '',
      'svc: --chip-command: exited with 7, without a signature',
    ]);
    expect(await lines('chip', 'prove', file, ...leaf, '--chip-command', 'echo no')).toEqual([
      4,
      '',
      'svc: --chip-command: the output is not a signature of the prehash by the key of the leaf',
    ]);
    expect(await lines('chip', 'prove', file, ...leaf, '--chip-key', chip.certificate)).toEqual([
      2,
      '',
      'svc: --chip-key: not a readable private key in PEM',
    ]);
    const stranger = harness.fileOf('stranger.key', `0x${'02'.repeat(32)}`);
    expect(await lines('chip', 'prove', file, ...SOFTWARE_CHIP, '--key-file', stranger)).toEqual([
      2,
      '',
      expect.stringMatching(/^svc: --key-file: not the key of the controller 0x/),
    ]);
    const nine = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const late = harness.fileOf('late.json', JSON.stringify({ ...nine, expiresAt: '1700000000' }));
    expect(await lines('chip', 'prove', late, ...SOFTWARE_CHIP)).toEqual([
      4,
      '',
      'svc: no evidence was created: expired',
    ]);
    expect(await lines('chip', 'submit', file, ...at())).toEqual([
      2,
      '',
      'svc: not an evidence document as svc chip prove writes it',
    ]);
    const wrongToken = harness.fileOf('token', 'wrong\n');
    expect(await lines('chip', 'challenge', harness.dids[1]!, '--token-file', wrongToken, ...at())).toEqual([
      1,
      '',
      expect.stringContaining('401 {"code":"ONBOARDING_AUTH_REQUIRED"'),
    ]);
  });
});

describe('an attester', () => {
  const attester = () => ['--key-file', harness.fileOf('attester.key', inject('fixtures').mainChain.admin.key)];
  const statuses = async (machine: number) => {
    const response = await fetchChecked(`${harness.service.service.url}/v1/verify/machines/${harness.ids[machine]}`);
    const { verification } = response.json<{ verification: Record<'kyb' | 'chip', { status: string }> }>();
    return `${verification.kyb.status} ${verification.chip.status}`;
  };
  const receipts: string[] = [];

  /** Submits evidence of one chip for both machines. */
  beforeAll(async () => {
    await harness.chain.writer.rpc.request('evm_setAutomine', [true]);
    for (const machine of [0, 1]) {
      const document = harness.fileOf('own.json');
      await succeed('chip', 'prove', await challenge(machine), ...SOFTWARE_CHIP, '--out', document);
      const receipt = JSON.parse(await succeed('chip', 'submit', document, '--json', ...at())) as { receiptId: string };
      receipts.push(receipt.receiptId);
    }
  });

  it('finds the evidence of a machine', async () => {
    const rows = JSON.parse(await succeed('attest', 'list', '--machine', harness.dids[1]!, '--json')) as object[];
    expect(rows).toEqual([
      {
        receiptId: receipts[1],
        receivedAt: expect.stringMatching(/Z$/),
        machineDid: harness.dids[1],
        chipRef: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        leafFingerprint: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        documentKept: true,
        state: 'pending',
      },
    ]);
  });

  it('verifies it again without changing a status', async () => {
    rule('verify.evidence-moves-chip');
    expect(await succeed('attest', 'judge', receipts[0]!)).toBe(
      [
        'ok    document: certificate and both signatures were valid when it was accepted',
        'ok    certificate: valid today',
        'ok    machine: active, and its controller is the one that signed',
        'ok    chip: backs no record of another machine',
        'ok    revocation: no record of this chip, and none since, was revoked',
        '',
      ].join('\n'),
    );
    expect(await statuses(0)).toBe('unverified unverified');
  });

  it('verifies the chip, and verifies and revokes the operator', async () => {
    rule('verify.evidence-moves-chip');
    const { stderr } = await harness.svc('attest', 'approve', receipts[0]!, ...attester(), '--expires', '2100-01-01');
    const [cut] = /expires with its certificate, at (.*)/.exec(stderr)!.slice(1);
    const stored = await harness.readChip(0);
    expect(Number(stored.expiresAt)).toBe(Date.parse(cut!) / 1000);
    await expect.poll(() => statuses(0), SOON).toBe('unverified verified');
    await succeed('attest', 'approve', OWNER.address, ...attester());
    await expect.poll(() => statuses(0), SOON).toBe('verified verified');
    await succeed('attest', 'revoke', OWNER.address, ...attester());
    await expect.poll(() => statuses(0), SOON).toBe('revoked verified');
  });

  it('records a chip for one machine at a time', async () => {
    const refused = await harness.svc('attest', 'approve', receipts[1]!, ...attester());
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining(`FAIL  chip: it backs the record of ${harness.dids[0]}`),
    ]);
    expect(await statuses(1)).toBe('revoked unverified');
    await succeed('attest', 'revoke', harness.dids[0]!, ...attester());
    const again = await harness.svc('attest', 'approve', receipts[1]!, ...attester());
    expect([again.code, again.stderr]).toEqual([
      4,
      expect.stringContaining('FAIL  revocation: a record of this chip was revoked'),
    ]);
    await succeed(
      'attest',
      'approve',
      receipts[1]!,
      ...attester(),
      '--override-revocation',
      'moved',
      '--reviewer',
      'ann',
    );
    await expect
      .poll(async () => [await statuses(0), await statuses(1)], SOON)
      .toEqual(['revoked revoked', 'revoked verified']);
  });

  it('sees what has become of each receipt', async () => {
    const states = async (...args: readonly string[]) => {
      const rows = JSON.parse(await succeed('attest', 'list', '--json', ...args)) as Record<string, string>[];
      return rows
        .filter(({ receiptId }) => receipts.includes(receiptId!))
        .map(({ machineDid, state }) => [machineDid, state]);
    };
    expect(new Map((await states()) as [string, string][])).toEqual(
      new Map([
        [harness.dids[0], 'revoked'],
        [harness.dids[1], 'attested'],
      ]),
    );
    expect(await states('--state', 'revoked')).toEqual([[harness.dids[0], 'revoked']]);
    expect(await states('--state', 'superseded')).toEqual([]);
  });

  it('exports document, judgement, reviews and record as one bundle', async () => {
    const bundle = JSON.parse(await succeed('attest', 'export', receipts[1]!)) as Record<string, unknown>;
    expect(bundle).toMatchObject({
      schema: 'svc.attest.bundle/1',
      state: 'attested',
      receipt: { receiptId: receipts[1], machineDid: harness.dids[1] },
      reviews: [{ change: 'attest-chip', reviewer: 'ann', reason: 'moved', operator: OWNER.address.toLowerCase() }],
      chipRecord: { isOfThisReceipt: true, revokedAt: 0, stored: { revokedAt: 0 } },
    });
    expect(evidenceHashOf(Buffer.from(bundle['document'] as string))).toBe(
      (bundle['receipt'] as { evidenceHash: string }).evidenceHash,
    );
  });

  it('watches the records in force', async () => {
    const problems = async () => {
      const { code, stdout } = await harness.svc('attest', 'watch', '--json');
      const proposals = JSON.parse(stdout) as { subject: string; problem: string }[];
      return [code, ...proposals.map(({ subject, problem }) => `${harness.dids.indexOf(subject)} ${problem}`)];
    };
    expect(await problems()).toEqual([0]);
    const { deployment, writer } = harness.chain;
    await writer.rpc.request('evm_setAutomine', [false]);
    await writer.mine([transferMachine(deployment, OWNER.address, accountOf('buyer').address, harness.ids[1]!)]);
    expect(await problems()).toEqual([4, '1 sold', '1 controller-changed', '1 operator-changed']);
  });

  it('gets the reason for a rejected change', async () => {
    const lines = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await harness.svc(...args);
      return [code, stdout, stderr.trimEnd().split('\n').at(-1)];
    };
    const refusal = 'svc: the registry rejects the change: the key is not an attester, or the record does not exist';
    expect(await lines('attest', 'approve', OWNER.address)).toEqual([1, '', refusal]);
    expect(await lines('attest', 'approve', `0x${'0'.repeat(64)}`, ...attester())).toEqual([
      1,
      '',
      'svc: this database holds no evidence with this receipt',
    ]);
    const flip = (digit: string) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase());
    const wrong = OWNER.address.replace(/(?<=^0x\d*)[a-fA-F]/, flip);
    const refused = await lines('attest', 'approve', wrong, ...attester());
    expect(refused).toEqual([2, '', `svc: the checksum of ${wrong} is wrong: check every digit`]);
    expect(await lines('attest', 'approve', `0x${'0'.repeat(40)}`, ...attester())).toEqual([
      ...[2, '', 'svc: the zero address has no KYB'],
    ]);
    for (const date of ['2020-01-01', '2100-02-31']) {
      expect(await lines('attest', 'approve', OWNER.address, ...attester(), '--expires', date)).toEqual([
        2,
        '',
        'svc: --expires must be a future date, YYYY-MM-DD',
      ]);
    }
  });
});
