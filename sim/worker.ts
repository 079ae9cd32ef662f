/** A process that runs seeds for `run.ts`: it is sent numbers, and sends back how each of them ended. */
import { runSeed, type SeedResult } from './run-seed.ts';
import { FrontDoor } from './service/service.ts';

/** What is sent back. */
export interface Report {
  readonly result: SeedResult;
  /** Of the process so far; while others compute too, the one measure that says something. */
  readonly cpuSeconds: number;
}

const door = await FrontDoor.open();

process.on('message', (seed: number) => {
  runSeed({ seed, door }).then(
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

process.send!('ready');
