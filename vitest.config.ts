import { defineConfig } from 'vitest/config';

/** `unit`: beside the code. `service`: against one running service in front of one seeded devnet. `campaigns`: long runs, by name only. Timeouts end what hangs, on a machine that is ten times slower too. */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,cli,client,explorer,devnet,contracts,testing}/**/*.test.ts', 'test/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/service/*.test.ts'],
          globalSetup: ['test/service/start-service.ts'],
          isolate: false,
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
