/** A process that runs seeds for `run.ts`: it is sent numbers, and sends back how each of them ended. */
import { runSeed } from './run-seed.ts';
import { FrontDoor } from './service/service.ts';

const door = await FrontDoor.open();

process.on('message', (seed: number) => {
  runSeed({ seed, door }).then(
    (result) => process.send!(result),
    (error: unknown) => {
      // A defect of the simulation itself.
      process.stderr.write(`SEED=${seed}: ${String((error as Error).stack)}\n`);
      process.exit(1);
    },
  );
});
process.send!('ready');
