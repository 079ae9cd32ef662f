/** `svc devnet`: local chains, deployed and seeded, for development and acceptance tests (configuration.md 2 and 3). */
import { defineCommand, parseNumberOption } from '../command.ts';
import { CommandFailed } from '../exit-codes.ts';
import { requireFreeFolder } from '../free-folder.ts';
import { requireLocalChains } from '../local-chains.ts';
import { runUntilStopped } from '../until-stopped.ts';

export const devnet = defineCommand({
  name: 'devnet',
  about: 'Runs the local chains until you stop it; writes env and fixtures.json, then prints "ready".',
  operands: [],
  options: {
    dir: { type: 'string', value: 'PATH', about: 'folder for env and fixtures.json (default .devnet)' },
    'evm-port': { type: 'string', value: 'N', about: 'port of the main chain (default: any free one)' },
    'svm-port': { type: 'string', value: 'N', about: 'port of the alt chain (default: any free one)' },
    fleet: { type: 'string', value: 'N', about: 'main-chain machines of the operator "fleet" (default 45)' },
    json: { type: 'boolean', about: 'print the fixtures instead of "ready"' },
  },
  example: 'svc devnet --dir .devnet --evm-port 8545 --svm-port 8899',
  async run({ dir = '.devnet', 'evm-port': evmPortText, 'svm-port': svmPortText, fleet: fleetText, json = false }) {
    const evmPort = parseNumberOption('--evm-port', evmPortText, 0, 65_535);
    const svmPort = parseNumberOption('--svm-port', svmPortText, 0, 65_535);
    const fleet = parseNumberOption('--fleet', fleetText, 0, 100_000);
    requireLocalChains();
    await requireFreeFolder(dir);
    return runUntilStopped(async (onShutdown) => {
      const { startDevnet } = await import('../../devnet/start-devnet.ts');
      const started = await startDevnet({
        dir,
        blocks: 'on-demand',
        ...(evmPort === undefined ? {} : { evmPort }),
        ...(svmPort === undefined ? {} : { svmPort }),
        ...(fleet === undefined ? {} : { fleet }),
      }).catch((error: unknown) => {
        throw new CommandFailed('refused', `the local chains did not start: ${(error as Error).message}`);
      });
      onShutdown(() => started.stop());
      process.stdout.write(json ? `${JSON.stringify(started.fixtures)}\n` : 'ready\n');
    });
  },
});
