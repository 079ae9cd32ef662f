/** Provider matrix: one devnet, the responses of a service behind its bare nodes, and cases that are compared with them. */
import { startDevnet } from '../../../devnet/start-devnet.ts';
import { readConfig } from '../../../src/config.ts';
import { startService } from '../../../src/main.ts';
import { readAnswer, runCase, type Answers, type CaseOutcome, type MatrixCase } from './matrix-case.ts';
import { listServedPaths } from './served-paths.ts';

export interface ProviderMatrix {
  /** Responses of a service behind the bare nodes, by path. */
  readonly expected: Answers;
  run(matrixCase: MatrixCase, capMilliseconds: number): Promise<CaseOutcome>;
  close(): Promise<void>;
}

/** Fills two pages of a listing. */
const FLEET = 22;

const SILENT = { info() {}, warn() {}, error() {} };

/** Starts the devnet, whose chain grows only on request, and reads the expected responses. */
export async function openProviderMatrix(): Promise<ProviderMatrix> {
  const devnet = await startDevnet({ fleet: FLEET, blocks: 'on-demand', quiet: true });
  try {
    const env = {
      ...devnet.env,
      DATABASE_URL: 'sqlite::memory:',
      PORT: '0',
      ADMIN_PORT: '0',
      RATE_LIMITS: 'off',
      POLL_INTERVAL_SECONDS: '2',
    };
    const expected = await readExpected(env, listServedPaths(devnet.fixtures));
    return {
      expected,
      run: (matrixCase, capMilliseconds) => runCase(matrixCase, { env, expected, capMilliseconds }),
      close: () => devnet.stop(),
    };
  } catch (error) {
    await devnet.stop();
    throw error;
  }
}

async function readExpected(env: Readonly<Record<string, string>>, paths: readonly string[]): Promise<Answers> {
  const { config, problems } = readConfig(env, { readFile: () => '' });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const service = await startService(config, { log: SILENT });
  try {
    await service.indexed;
    const expected = new Map<string, string>();
    for (const path of paths) {
      expected.set(path, await readAnswer(service, path));
    }
    return expected;
  } finally {
    await service.close();
  }
}
