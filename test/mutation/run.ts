/**
 * Mutation tests of the domain. Stryker changes `src/domain` in one place at a time and runs the tests that reach it: a change
 * that no test detects is reported, unless `equivalent-mutants.ts` lists it. Fails below `LEAST_PERCENT`.
 *
 * `node test/mutation/run.ts [path…]` limits the run to files whose paths begin so, or to lines `path:from-to`. Installs its
 * tools into its folder on first use.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSourceFiles } from '../architecture/source-file.ts';
import { EQUIVALENT_MUTANTS } from './equivalent-mutants.ts';
import { formatReport, judgeMutants, type MutationReport } from './mutation-report.ts';

const LEAST_PERCENT = 85;
const ROOT = join(import.meta.dirname, '../..');
const STRYKER = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const RANGE = /:\d+-\d+$/;
const OUTPUT = 'coverage/mutation';
const SOURCES = '{src,client,cli,explorer,contracts,devnet,test}/**/*.{ts,tsx}';
const NOT_COPIED = [
  'coverage',
  'dist',
  'data',
  'deploy',
  'docs',
  'explorer',
  'bench',
  'sim',
  'test/mutation/node_modules',
];

/** Returns the product files of the domain, relative to the repository root. */
function findDomainFiles(beginnings: readonly string[]): string[] {
  const paths = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });
  const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  return parseSourceFiles(texts)
    .filter(({ path, isForTests }) => path.startsWith('src/domain/') && !isForTests && !path.endsWith('.d.ts'))
    .map(({ path }) => path)
    .filter((path) => beginnings.length === 0 || beginnings.some((each) => path.startsWith(each)))
    .sort();
}

/** Returns files by the beginning of their path, and line ranges as given. */
function findMutated(args: readonly string[]): string[] {
  const ranges = args.filter((each) => RANGE.test(each));
  const beginnings = args.filter((each) => !RANGE.test(each));
  return [...ranges, ...(args.length > 0 && beginnings.length === 0 ? [] : findDomainFiles(beginnings))];
}

function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}

const reportFile = join(OUTPUT, 'report.json');
const config = {
  testRunner: 'in-process',
  plugins: [join(import.meta.dirname, 'in-process-runner.ts')],
  mutate: findMutated(process.argv.slice(2)),
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env['CONCURRENCY'] ?? 2),
  timeoutMS: 60_000,
  maxTestRunnerReuse: 300,
  tempDirName: join(OUTPUT, 'sandbox'),
  ignorePatterns: NOT_COPIED,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: reportFile },
};

if (!existsSync(STRYKER)) run('npm', ['ci'], import.meta.dirname);
mkdirSync(join(ROOT, OUTPUT), { recursive: true });
const configFile = join(OUTPUT, 'stryker.json');
writeFileSync(join(ROOT, configFile), JSON.stringify(config));
// Fixed, because a random seed in a test title would make it another test in each run.
run(process.execPath, [STRYKER, 'run', configFile], ROOT, { FC_RUNS: '5', FC_SEED: '1' });

const report = JSON.parse(readFileSync(join(ROOT, reportFile), 'utf8')) as MutationReport;
const whole = judgeMutants(report, EQUIVALENT_MUTANTS);
// A range of lines says nothing about entries for other lines of the file.
const judgement = process.argv.slice(2).some((each) => RANGE.test(each)) ? { ...whole, unmatched: [] } : whole;
process.stdout.write(formatReport(judgement));
if (judgement.percent < LEAST_PERCENT || judgement.unmatched.length > 0) process.exitCode = 1;
