/**
 * Cost of an evidence document: form, certificate, chip and controller, separately and together, in CPU time of this process;
 * and complete challenges and documents of a service on SQLite, each with its own chain read and disk write. `BENCH_ROUNDS` and
 * `BENCH_CHALLENGES` change the length.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from '../../devnet/start-devnet.ts';
import type { TrustedSeconds } from '../../src/domain/clock/clock-judgement.ts';
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { createEvidenceHarness, passSteps, type EvidenceHarness } from '../../testing/fixtures/evidence-documents.ts';
import * as steps from '../../src/domain/evidence/evidence-steps.ts';
import { vectorRules } from '../../testing/fixtures/evidence-vectors.ts';
import { isSignedByP256 } from '../../src/domain/evidence/p256.ts';
import { chipPreimage, fromHex } from '../../src/domain/evidence/signed-bytes.ts';
import { NATIVE_CHECKS } from '../../testing/fixtures/signing-keys.ts';
import { createProvider, startChipService } from '../../test/campaigns/chip-process.ts';
import { printFigures } from '../figures.ts';
import { median, waitUntilIdle } from '../measuring.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const CHALLENGES = Number(process.env['BENCH_CHALLENGES'] ?? 200);
const CONNECTIONS = 32;
const PER_ROUND = 300;

function measureChecks(): void {
  const harness = createEvidenceHarness();
  const accepted = passSteps(harness);
  const { document, transcript, leaf, leafDer, now } = accepted;
  const rules = { ...vectorRules, checks: NATIVE_CHECKS };
  const chipSignature = fromHex(document.proof.chipSignature);
  const preimage = chipPreimage(transcript, rules.namespace);
  const unknown = createEvidenceHarness({ lookup: () => ({ state: 'gone', isDocumentAccepted: false }) });
  const checks: Readonly<Record<string, () => unknown>> = {
    'form and canonical bytes': () => steps.requireCanonical(steps.requireWellFormed(harness.body)),
    certificate: () => judgeLeaf(leafDer, { ...rules, nowSeconds: now }),
    'chip signature': () => isSignedByP256(leaf.publicKey.encoded, preimage, chipSignature),
    'controller signature': () => steps.requireControllerProof(accepted, rules),
    'all of them, as the service does': () => judge(harness, rules),
    'a rejection without a challenge': () => {
      try {
        judge(unknown, rules);
      } catch {
        return undefined;
      }
    },
  };
  for (const run of Object.values(checks)) for (let k = 0; k < PER_ROUND; k++) run();
  const rounds = Object.fromEntries(Object.keys(checks).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(checks)) {
      const start = process.cpuUsage();
      for (let k = 0; k < PER_ROUND; k++) run();
      const { user, system } = process.cpuUsage(start);
      rounds[name]!.push((user + system) / PER_ROUND);
    }
  }
  for (const [name, microseconds] of Object.entries(rounds)) {
    const own = median(microseconds);
    console.log(`${name}: ${own.toFixed(0)} µs of CPU, ${Math.round(1e6 / own)}/s`);
  }
  printFigures({ 'evidence/checks': { ours: 1e6 / median(rounds['all of them, as the service does']!) } });
}

/** Checks a document from its bytes to the proven evidence, without chain and store. */
function judge(harness: EvidenceHarness, rules: steps.EvidenceRules): steps.ProvenEvidence {
  const supported = steps.requireSupported(steps.requireCanonical(steps.requireWellFormed(harness.body)), rules);
  const timed = steps.requireClock(supported, harness.now as TrustedSeconds);
  const matching = steps.requireMatch(steps.requireChallenge(timed, harness.lookup(timed.nonceHash)), rules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, rules));
  return steps.requireControllerProof(steps.requireChipProof(bound, rules), rules);
}

async function measureService(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-verify-'));
  const devnet = await startDevnet({ quiet: true });
  const service = await startChipService(devnet, {
    databaseUrl: `sqlite:${join(folder, 'svc.db')}`,
    connections: CONNECTIONS,
    logFile: join(folder, 'log'),
  });
  try {
    await waitUntilIdle(service.process.pid!);
    const sign = createProvider(devnet);
    const fleet = devnet.fixtures.machines.filter(({ name, home }) => name.startsWith('fleet') && home === 'main');
    const [challengeSeconds, evidenceSeconds]: [number[], number[]] = [[], []];
    // One challenge per machine at a time, so that none exceeds its limit of open challenges.
    for (let done = 0; done < CHALLENGES; done += fleet.length) {
      const start = performance.now();
      const challenges = await Promise.all(
        fleet.map(async (machine, n) => {
          const response = await service.post('challenge', JSON.stringify({ machineId: machine.id }), n);
          if (response?.status !== 201) throw new Error(`challenge: ${response?.status} ${response?.text}`);
          return { machine, challenge: JSON.parse(response.text) as unknown };
        }),
      );
      challengeSeconds.push((performance.now() - start) / 1000 / fleet.length);
      const documents = challenges.map(({ machine, challenge }) => sign(challenge, machine));
      const sent = performance.now();
      await Promise.all(
        documents.map(async ({ body }, n) => {
          const response = await service.post('evidence', body, n);
          if (response?.status !== 202) throw new Error(`evidence: ${response?.status} ${response?.text}`);
        }),
      );
      evidenceSeconds.push((performance.now() - sent) / 1000 / fleet.length);
    }
    const perSecond = (seconds: readonly number[]) => Math.round(1 / median(seconds));
    console.log(`challenges: ${perSecond(challengeSeconds)}/s on sqlite, ${CONNECTIONS} connections`);
    console.log(`evidence: ${perSecond(evidenceSeconds)}/s on sqlite, ${CONNECTIONS} connections`);
    printFigures({
      'evidence/challenges': { ours: perSecond(challengeSeconds) },
      'evidence/accepted': { ours: perSecond(evidenceSeconds) },
    });
  } finally {
    await service.kill();
    await devnet.stop();
    rmSync(folder, { recursive: true });
  }
}

measureChecks();
await measureService();
