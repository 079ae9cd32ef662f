/**
 * Decides whether stored evidence supports a chip record (evidence 10; decisions 2): one finding per condition, in order, up to the first
 * that fails.
 */
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import * as steps from '../../src/domain/evidence/evidence-steps.ts';
import { judgeStoredEvidence } from '../../src/domain/evidence/stored-evidence.ts';
import { Fault } from '../../src/domain/faults.ts';
import { formatMachineDid, type MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { isInForce, type LoggedRecords } from '../../src/adapters/main-chain/reads/attestation-registry.ts';
import type { StoredEvidenceRecord } from '../../src/ports/store.ts';
import { fail, ok, unreachable, type Finding } from '../doctor/check-result.ts';
import type { AttestContext } from './context.ts';

const ALL = 2 ** 31 - 1;

/** Returns the findings; all but the last are `ok`. `override` is the reason to reinstate what was revoked. */
export async function examineEvidence(
  context: AttestContext,
  record: StoredEvidenceRecord,
  override?: string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    for await (const finding of examine(context, record, override)) {
      findings.push(finding);
      if (finding.state !== 'ok') break;
    }
  } catch (error) {
    findings.push(toFailure(error));
  }
  return findings;
}

/** Returns whether every condition holds. */
export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state === 'ok');
}

async function* examine(
  context: AttestContext,
  record: StoredEvidenceRecord,
  override: string | undefined,
): AsyncGenerator<Finding> {
  const { evidence } = record;
  if (evidence === undefined) {
    yield fail(
      'document',
      'only its hash is stored',
      'set KEEP_EVIDENCE=true, then let the machine prove its chip again',
    );
    return;
  }
  const { store, rules, main } = context;
  const find = ({ nonceHash, evidenceHash }: steps.TimedEvidence) => store.findChallenge(nonceHash, evidenceHash);
  const proven = await judgeStoredEvidence({ ...record, evidence }, find, rules);
  yield ok('document', 'certificate and both signatures were valid when it was accepted');
  yield examineLeaf(proven.leafDer, rules);
  const { snapshot, deployment } = await main.chain.readMachineUncached(record.machineId);
  const ordinals = { local: deployment.localOrdinal, alt: undefined };
  steps.requireMachine(proven, { snapshot, ordinals, chainId: main.chain.chainId });
  yield ok('machine', 'active, and its controller is the one that signed');
  const logged = await context.registry.readLogged();
  yield await examineUse(context, record, logged);
  yield examineRevocation(record, logged, override);
}

function examineLeaf(der: Uint8Array, { trust, namespace }: steps.EvidenceRules): Finding {
  const { failed } = judgeLeaf(der, { trust, namespace, nowSeconds: Math.floor(Date.now() / 1000) });
  if (failed === undefined) return ok('certificate', 'valid today');
  return fail('certificate', `not valid today: ${failed.name}`, 'let the machine prove another chip');
}

/** No other machine may have a record in force of the same chip, even through another certificate of its key. */
async function examineUse(
  { store, rules }: AttestContext,
  record: StoredEvidenceRecord,
  { chips }: LoggedRecords,
): Promise<Finding> {
  const now = Math.floor(Date.now() / 1000);
  for (const chip of chips.values()) {
    const { machineId, leafFingerprint, evidence } = chip;
    if (machineId === record.machineId || !isInForce(chip, now)) continue;
    const isSame =
      evidence === undefined
        ? leafFingerprint === record.leafFingerprint || (await isSameChip(machineId, leafFingerprint))
        : evidence.chipRef === record.chipRef;
    if (isSame) {
      const did = formatMachineDid(machineId, rules.namespace);
      return fail('chip', `it backs the record of ${did}`, `if the chip was moved, run svc attest revoke ${did}`);
    }
  }
  return ok('chip', 'backs no record of another machine');

  async function isSameChip(machineId: MachineId, leafFingerprint: string): Promise<boolean> {
    const records = await store.listEvidenceRecords(machineId, ALL);
    return records.some((each) => each.leafFingerprint === leafFingerprint && each.chipRef === record.chipRef);
  }
}

/** Returns whether an attestation of this evidence would reinstate a machine or a chip whose record was revoked. */
export function reinstates({ machineId, receivedAt, chipRef }: StoredEvidenceRecord, logged: LoggedRecords): boolean {
  const lastRevokedAt = logged.chips.get(machineId)?.lastRevokedAt ?? 0;
  return receivedAt <= lastRevokedAt || logged.revokedChips.has(chipRef);
}

function examineRevocation(record: StoredEvidenceRecord, logged: LoggedRecords, override: string | undefined): Finding {
  if (!reinstates(record, logged)) return ok('revocation', 'no record of this chip, and none since, was revoked');
  if (override !== undefined) return ok('revocation', 'overridden');
  const text = logged.revokedChips.has(record.chipRef)
    ? 'a record of this chip was revoked'
    : 'the record of the machine was revoked after this evidence was accepted';
  return fail('revocation', text, 'if it must be reinstated, pass --override-revocation REASON');
}

function toFailure(error: unknown): Finding {
  if (!(error instanceof Fault)) throw error;
  if (error.kind === 'ChainUnreadable') return unreachable('machine', 'the chain cannot be read', 'run svc doctor');
  return fail('evidence', `refused: ${error.kind}`, 'let the machine prove its chip again');
}
