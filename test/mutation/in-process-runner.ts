/**
 * Test runner for Stryker that loads each test file once and then calls only the tests that reach a mutant: a few
 * milliseconds each, where a separate process or worker takes hundreds. A failing test must pass again without the mutant;
 * otherwise everything is reloaded and the mutant runs again, so that leftovers of an earlier mutant never count as a kill.
 * The timeout of a test is CPU time, so that a busy machine does not make a mutant look like an endless loop.
 */
import { globSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { collectTests, type CollectedTest } from './collected-tests.ts';

/** Global state that Stryker's instrumented code reads and writes. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: unknown;
}

interface MutantRun {
  /** Undefined: all tests. */
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly activeMutant: { readonly id: string };
  readonly sandboxFileName: string;
  readonly mutantActivation: 'runtime' | 'static';
}

interface TrialResult {
  readonly killedBy: string | undefined;
  readonly failure: string;
  readonly count: number;
}

/** CPU time that a test may take; a test that needs more without a mutant gets `TIMEOUT_FACTOR` times its own time. */
const QUICK_SECONDS = 2;
const LOADED_SECONDS = 20;
const DRY_SECONDS = 120;
const TIMEOUT_FACTOR = 5;
const TIMED_OUT = 'does not end';
/** Values of Stryker's `TestStatus`. */
const SUCCESS = 0;
const FAILED = 1;
const TESTS = 'src/domain/**/*.test.ts';
/** Excluded: a mutant that only random tests kill counts as survived. */
const RANDOM_TESTS = /-(properties|fuzz)\.test\.ts$/;
const VITEST = pathToFileURL(join(import.meta.dirname, 'collected-tests.ts')).href;

const instrumentation = ((globalThis as Record<string, unknown>)['__stryker__'] ??= {}) as Instrumentation;

class InProcessRunner {
  readonly #root = process.cwd();
  readonly #files = globSync(TESTS, { cwd: this.#root })
    .filter((path) => !RANDOM_TESTS.test(path))
    .sort();
  readonly #imports = new Map<string, readonly string[]>();
  /** Sources without types, by URL without a query. */
  readonly #sources = new Map<string, string>();
  /** CPU seconds for tests that are slow without any mutant, by id. */
  readonly #limits = new Map<string, number>();
  /** Number of mutants that each test file has killed. */
  readonly #kills = new Map<string, number>();
  #generation = 0;
  #loaded = new Map<string, readonly CollectedTest[]>();

  capabilities(): object {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
    const root = pathToFileURL(`${this.#root}/`).href;
    registerHooks({
      resolve: (specifier, context, nextResolve) => {
        if (specifier === 'vitest' && context.parentURL?.startsWith(root)) return { url: VITEST, shortCircuit: true };
        const resolved = nextResolve(specifier, context);
        const isOwn = resolved.url.startsWith(root) && !resolved.url.includes('/node_modules/');
        return isOwn ? { ...resolved, url: `${resolved.url}?generation=${this.#generation}` } : resolved;
      },
      load: (url, context, nextLoad) => {
        const [path, query] = url.split('?');
        if (query === undefined || !path!.endsWith('.ts')) return nextLoad(url, context);
        return { format: 'module', source: this.#stripped(path!), shortCircuit: true };
      },
    });
  }

  async dryRun({ files = [] }: { readonly files?: readonly string[] }): Promise<object> {
    instrumentation.activeMutant = undefined;
    const tests: object[] = [];
    for (const file of this.#filesThatReach(files.map((path) => relative(this.#root, path)))) {
      for (const { name, run } of await this.#load(file)) {
        const id = `${file}#${name}`;
        instrumentation.currentTestId = id;
        const startedAt = performance.now();
        const failure = await tryTest(run, DRY_SECONDS);
        instrumentation.currentTestId = undefined;
        const timeSpentMs = performance.now() - startedAt;
        const result = { id, name, timeSpentMs, fileName: join(this.#root, file) };
        tests.push(
          failure === undefined
            ? { ...result, status: SUCCESS }
            : { ...result, status: FAILED, failureMessage: failure },
        );
      }
    }
    return { status: 'complete', tests, mutantCoverage: instrumentation.mutantCoverage };
  }

  async mutantRun(options: MutantRun): Promise<object> {
    instrumentation.hitLimit = options.hitLimit;
    instrumentation.hitCount = 0;
    let trial: TrialResult;
    try {
      trial = options.mutantActivation === 'static' ? await this.#tryLoading(options) : await this.#tryReached(options);
    } catch (error) {
      return { status: 'error', errorMessage: String(error) };
    } finally {
      instrumentation.activeMutant = undefined;
    }
    const { killedBy, failure, count } = trial;
    const isLooping = options.hitLimit !== undefined && instrumentation.hitCount > options.hitLimit;
    if (isLooping || failure === TIMED_OUT) return { status: 'timeout' };
    return killedBy === undefined
      ? { status: 'survived', nrOfTests: count }
      : { status: 'killed', nrOfTests: count, killedBy: [killedBy], failureMessage: failure };
  }

  /** Tries a mutant that acts while modules load: reloads each test file that imports it. */
  async #tryLoading({ activeMutant, sandboxFileName }: MutantRun): Promise<TrialResult> {
    const loadedBefore = this.#loaded;
    this.#loaded = new Map();
    this.#generation++;
    instrumentation.activeMutant = activeMutant.id;
    try {
      return await this.#try(this.#filesThatReach([relative(this.#root, sandboxFileName)]), () => true, LOADED_SECONDS);
    } finally {
      this.#loaded = loadedBefore;
    }
  }

  async #tryReached({ activeMutant, testFilter = [] }: MutantRun): Promise<TrialResult> {
    const ids = new Set(testFilter);
    const files = [...new Set(testFilter.map((id) => id.slice(0, id.indexOf('#'))))];
    for (;;) {
      for (const file of files) await this.#load(file);
      instrumentation.activeMutant = activeMutant.id;
      const trial = await this.#try(files, (id) => ids.has(id), QUICK_SECONDS);
      instrumentation.activeMutant = undefined;
      if (trial.killedBy === undefined || (await this.#isCause(trial.killedBy, trial.failure))) return trial;
      this.#unload();
      instrumentation.hitCount = 0;
    }
  }

  async #try(files: readonly string[], isSelected: (id: string) => boolean, seconds: number): Promise<TrialResult> {
    let count = 0;
    for (const file of files) {
      for (const { name, run } of await this.#load(file)) {
        const id = `${file}#${name}`;
        if (!isSelected(id)) continue;
        count++;
        const failure = await tryTest(run, this.#limits.get(id) ?? seconds);
        if (failure === undefined) continue;
        this.#kills.set(file, (this.#kills.get(file) ?? 0) + 1);
        return { killedBy: id, failure, count };
      }
    }
    return { killedBy: undefined, failure: '', count };
  }

  /** Returns whether a test that fails with a mutant passes without it. A timed-out test that is slow without it too gets more time. */
  async #isCause(id: string, failure: string): Promise<boolean> {
    const { hitCount } = instrumentation;
    const file = id.slice(0, id.indexOf('#'));
    const test = this.#loaded.get(file)!.find(({ name }) => `${file}#${name}` === id)!;
    const before = process.cpuUsage();
    const passes = (await tryTest(test.run, DRY_SECONDS)) === undefined;
    const needed = TIMEOUT_FACTOR * secondsSince(before);
    instrumentation.hitCount = hitCount;
    if (failure !== TIMED_OUT || needed <= (this.#limits.get(id) ?? QUICK_SECONDS)) return passes;
    this.#limits.set(id, needed);
    return false;
  }

  #unload(): void {
    this.#generation++;
    this.#loaded.clear();
  }

  async #load(file: string): Promise<readonly CollectedTest[]> {
    let tests = this.#loaded.get(file);
    if (tests === undefined) {
      const url = pathToFileURL(join(this.#root, file)).href;
      tests = await collectTests(() => import(url));
      this.#loaded.set(file, tests);
    }
    return tests;
  }

  /** Returns the test files that import one of the files, directly or not: first its own test file, then by number of kills. */
  #filesThatReach(targets: readonly string[]): string[] {
    const own = new Set(targets.map((path) => path.replace(/\.ts$/, '.test.ts')));
    const reaching = this.#files.filter((file) => {
      const reached = this.#reach(file, new Set());
      return targets.some((path) => reached.has(path));
    });
    const weightOf = (file: string) => (own.has(file) ? Infinity : (this.#kills.get(file) ?? 0));
    return reaching.sort((a, b) => (weightOf(a) === weightOf(b) ? 0 : weightOf(b) - weightOf(a)));
  }

  #stripped(path: string): string {
    let source = this.#sources.get(path);
    if (source === undefined) {
      source = stripTypeScriptTypes(readFileSync(fileURLToPath(path), 'utf8'));
      this.#sources.set(path, source);
    }
    return source;
  }

  #reach(from: string, seen: Set<string>): ReadonlySet<string> {
    if (seen.has(from)) return seen;
    seen.add(from);
    for (const each of this.#importsOf(from)) this.#reach(each, seen);
    return seen;
  }

  #importsOf(file: string): readonly string[] {
    let imports = this.#imports.get(file);
    if (imports === undefined) {
      const text = readFileSync(join(this.#root, file), 'utf8');
      imports = [...text.matchAll(/from ["'](\.[^"']+\.ts)["']/g)].map(([, path]) => join(dirname(file), path!));
      this.#imports.set(file, imports);
    }
    return imports;
  }
}

const called: { run: () => unknown } = { run: () => undefined };
Object.assign(globalThis, { calledTest: called });
const CALL = new Script('calledTest.run()');

/** Returns the failure of a test; undefined when it passes. Interrupts a test that never yields. */
async function tryTest(run: () => unknown, seconds: number): Promise<string | undefined> {
  called.run = run;
  for (let wall = seconds; ; wall *= 4) {
    const before = process.cpuUsage();
    try {
      await CALL.runInThisContext({ timeout: wall * 1000 });
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return String(error);
      if (secondsSince(before) >= seconds * 0.8) return TIMED_OUT;
    }
  }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner }];
