/**
 * May a chip record rest on this intake? (evidence 10; decisions 2.) One finding for each thing that must hold, in order; nothing after the first that
 * does not.
 */
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import * as steps from '../../src/domain/evidence/evidence-steps.ts';
import { judgeStoredEvidence } from '../../src/domain/evidence/stored-evidence.ts';
import { Fault } from '../../src/domain/faults.ts';
import { formatMachineDid, type MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { StoredEvidenceRecord } from '../../src/ports/store.ts';
import { fail, ok, unreachable, type Finding } from '../doctor/check-result.ts';
import type { Workplace } from './context.ts';

const ALL = 2 ** 31 - 1;

/** The last finding decides: all others are `ok`. */
export async function examineIntake(workplace: Workplace, intake: StoredEvidenceRecord): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    for await (const finding of examine(workplace, intake)) {
      findings.push(finding);
      if (finding.state !== 'ok') break;
    }
  } catch (error) {
    findings.push(toFailure(error));
  }
  return findings;
}

export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state === 'ok');
}

async function* examine(workplace: Workplace, intake: StoredEvidenceRecord): AsyncGenerator<Finding> {
  const { evidence } = intake;
  if (evidence === undefined) {
    yield fail(
      'document',
      'only its hash was kept',
      'set KEEP_EVIDENCE=true, and let the machine prove its chip again',
    );
    return;
  }
  const { store, rules, main } = workplace;
  const find = ({ nonceHash, evidenceHash }: steps.TimedEvidence) => store.findChallenge(nonceHash, evidenceHash);
  const proven = await judgeStoredEvidence({ ...intake, evidence }, find, rules);
  yield ok('document', 'certificate, chip and controller hold as they did when it was accepted');
  yield examineLeaf(proven.leafDer, rules);
  const { snapshot, deployment } = await main.chain.readMachineNow(intake.machineId);
  const ordinals = { local: deployment.localOrdinal, alt: undefined };
  steps.requireMachine(proven, { snapshot, ordinals, chainId: main.chain.chainId });
  yield ok('machine', 'it is active, and has the controller that signed');
  yield await examineUse(workplace, intake);
}

function examineLeaf(der: Uint8Array, { trust, namespace }: steps.EvidenceRules): Finding {
  const { failed } = judgeLeaf(der, { trust, namespace, nowSeconds: Math.floor(Date.now() / 1000) });
  if (failed === undefined) return ok('certificate', 'it is good today');
  return fail('certificate', `it is not good today: ${failed.name}`, 'let the machine prove another chip');
}

/** No other machine may have an unrevoked record that rests on the same chip, be it by another certificate of its key. */
async function examineUse({ registry, store, rules }: Workplace, intake: StoredEvidenceRecord): Promise<Finding> {
  for (const { machineId, leafFingerprint } of await registry.listStandingChipRecords()) {
    if (machineId === intake.machineId) continue;
    if (leafFingerprint === intake.leafFingerprint || (await rests(machineId, leafFingerprint))) {
      const did = formatMachineDid(machineId, rules.namespace);
      return fail('chip', `it backs the record of ${did}`, `svc attest revoke ${did}, if the chip was moved`);
    }
  }
  return ok('chip', 'it backs the record of no other machine');

  async function rests(machineId: MachineId, leafFingerprint: string): Promise<boolean> {
    const intakes = await store.listIntakes(machineId, ALL);
    return intakes.some((each) => each.leafFingerprint === leafFingerprint && each.chipRef === intake.chipRef);
  }
}

function toFailure(error: unknown): Finding {
  const prove = 'let the machine prove its chip again';
  if (!(error instanceof Fault)) throw error;
  if (error.kind === 'ChainUnreadable') return unreachable('machine', 'the chain cannot be read', 'see svc doctor');
  return fail('evidence', `refused as ${error.kind}`, prove);
}
