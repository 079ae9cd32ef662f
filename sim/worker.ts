/** Worker process of a campaign: receives seed numbers and sends back their results. */
import { flushCompileCache } from 'node:module';
import { INDEX_PROOFS } from '../src/domain/index-rules/index-proof.ts';
import { runSeed, type SeedResult } from './run-seed.ts';
import { InjectClient } from './service/service.ts';

/** Message with the result of a seed. */
export interface Report {
  readonly result: SeedResult;
  /** CPU time of the process so far; unlike wall time, it does not depend on other load. */
  readonly cpuSeconds: number;
}

/** Options of the campaign. */
const indexProof = INDEX_PROOFS.find((mode) => process.argv.includes(mode));
const poisonsProfiles = process.argv.includes('--poisoned-profiles');

async function run(seed: number): Promise<SeedResult> {
  // Not one for the process: it keeps the requests that died with their service.
  const client = await InjectClient.open();
  return runSeed({ seed, client, indexProof, poisonsProfiles });
}

process.on('message', (seed: number) => {
  run(seed).then(
    (result) => process.send!({ result, cpuSeconds: readCpuSeconds() } satisfies Report),
    (error: unknown) => {
      // A defect of the simulation itself.
      process.stderr.write(`SEED=${seed}: ${String((error as Error).stack)}\n`);
      process.exit(1);
    },
  );
});

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

// The campaign has ended, or its process has.
process.on('disconnect', () => process.exit(0));

// The end of the process would not write the compile cache, because the process is killed.
flushCompileCache();
process.send!('ready');
