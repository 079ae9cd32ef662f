import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { listFastTests } from './test/fast-tests.ts';
import { orderFiles } from './test/run-order.ts';

const UNIT_TESTS = ['{bin,src,cli,client,explorer,devnet,dev,contracts,testing}/**/*.test.ts', 'test/*.test.ts'];

class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return orderFiles(await super.sort(files), ({ moduleId }) => relative(import.meta.dirname, moduleId));
  }
}

/**
 * `unit`: beside the code; the files of a worker share their modules. `fast`: those of them that start no process and take little time. `service`:
 * against one running service in front of one seeded devnet. `languages`: the same with clients in other languages, whose tools it installs.
 * `campaigns`: long runs, by name only. The timeouts fit a machine that is ten times slower.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Two more than the cores of a small machine, because many tests wait for blocks and processes.
    maxWorkers: 4,
    sequence: { sequencer: Sequencer },
    // Processes that tests start read compiled modules from here.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'tests') },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: UNIT_TESTS, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'fast',
          include: listFastTests(UNIT_TESTS),
          setupFiles: ['test/fast-setup.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          globalSetup: ['test/service/pages/unpack-browser.ts', 'test/service/start-service.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'languages',
          include: ['test/languages/*.test.ts'],
          globalSetup: ['test/languages/tools.ts', 'test/service/start-service.ts'],
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: ['test/campaigns/*.test.ts'],
          testTimeout: 0,
          fileParallelism: false,
        },
      },
    ],
  },
});
