/** One case of the provider matrix: a service behind behaviors, compared with a service behind the bare nodes. */
import { setTimeout as delay } from 'node:timers/promises';
import { examineAltChain } from '../../../cli/doctor/alt-chain.ts';
import type { Finding } from '../../../cli/doctor/check-result.ts';
import { examineMainChain } from '../../../cli/doctor/main-chain.ts';
import { StartRefused } from '../../../src/composition/start-refused.ts';
import { readConfig, type Config } from '../../../src/config.ts';
import { startService, type Service } from '../../../src/main.ts';
import type { Log } from '../../../src/ports/runtime.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';
import { startProviderProxy, type ProviderProxy } from '../provider-proxy/provider-proxy.ts';
import { PROXY_KEY } from '../rpc-proxy.ts';

export interface MatrixCase {
  readonly main: readonly Behavior[];
  readonly alt: readonly Behavior[];
}

/**
 * `served`: every response equals that of the bare nodes. `refused`: the service names a cause. `stuck`: responses are
 * missing and no cause is named. `wrong`: a response differs, or contains the key of a node's URL.
 */
export type OutcomeKind = 'served' | 'refused' | 'stuck' | 'wrong';

export interface CaseOutcome {
  readonly kind: OutcomeKind;
  /** Responses that equal those of the bare nodes. */
  readonly equal: number;
  readonly paths: number;
  readonly seconds: number;
  /** Causes named by the start, `/status` or `/ready`. */
  readonly causes: readonly string[];
  /** Responses that differ: path, expected and actual. */
  readonly differences: readonly string[];
  /** Paths without a response, at most some. */
  readonly missing: readonly string[];
  /** Findings of `svc doctor` that make it fail. */
  readonly doctor: readonly string[];
  readonly mainCalls: number;
  readonly altCalls: number;
  /** Last warnings and errors of the log, without repetitions. */
  readonly lines: readonly string[];
}

/** Status and body of each response. */
export type Answers = ReadonlyMap<string, string>;

export interface CaseParts {
  /** Variables of a service behind the bare nodes. */
  readonly env: Readonly<Record<string, string>>;
  readonly expected: Answers;
  readonly capMilliseconds: number;
}

const PAUSE_MILLISECONDS = 250;
/** Unanswered paths in a row that end a round early, so that polling leaves the node to the index. */
const MAX_UNANSWERED = 4;
const MAX_LISTED = 5;
const UNAVAILABLE = '503 ';
const TIMED_OUT = '504 ';

/** Runs one case until everything is served, a response differs, the start is refused, or the time is over. */
export async function runCase(
  { main, alt }: MatrixCase,
  { env, expected, capMilliseconds }: CaseParts,
): Promise<CaseOutcome> {
  const startedAt = performance.now();
  const mainProxy = await startProviderProxy(env['MAIN_RPC_URLS']!, main);
  const altProxy = await startProviderProxy(env['ALT_RPC_URLS']!, alt);
  const { config, problems } = readConfig(
    { ...env, MAIN_RPC_URLS: mainProxy.url, ALT_RPC_URLS: altProxy.url },
    { readFile: () => '' },
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const lines: string[] = [];
  try {
    const run = await runService(config, { expected, lines, deadline: startedAt + capMilliseconds });
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const mainCalls = countCalls(mainProxy);
    const altCalls = countCalls(altProxy);
    const doctor = await examine(config);
    if ([...lines, ...doctor, ...run.causes].some((line) => line.includes(PROXY_KEY))) {
      run.differences.push('the key of a node URL is printed');
    }
    return {
      kind: judge(run, expected.size),
      ...run,
      paths: expected.size,
      ...{ seconds, doctor, mainCalls, altCalls },
      lines: [...new Set(lines)].slice(-MAX_LISTED),
    };
  } finally {
    await Promise.all([mainProxy.close(), altProxy.close()]);
  }
}

interface Run {
  readonly equal: number;
  readonly causes: readonly string[];
  readonly differences: string[];
  readonly missing: readonly string[];
}

function judge({ differences, equal, causes }: Run, paths: number): OutcomeKind {
  if (differences.length > 0) return 'wrong';
  if (equal === paths) return 'served';
  return causes.length > 0 ? 'refused' : 'stuck';
}

interface RunParts {
  readonly expected: Answers;
  readonly lines: string[];
  readonly deadline: number;
}

async function runService(config: Config, parts: RunParts): Promise<Run> {
  let service: Service;
  try {
    service = await startService(config, { log: recordTo(parts.lines) });
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return { equal: 0, causes: error.problems, differences: [], missing: [] };
  }
  try {
    return await compare(service, parts);
  } finally {
    await service.close();
  }
}

/** Compares responses until all are equal; then once more in full, because a later response may differ. */
async function compare(service: Service, { expected, deadline }: RunParts): Promise<Run> {
  const differences: string[] = [];
  let pending = [...expected.keys()];
  for (let isFinal = false; performance.now() < deadline && differences.length === 0;) {
    pending = await compareOnce(service, { pending, expected, differences });
    if (pending.length > 0) await delay(PAUSE_MILLISECONDS);
    else if (isFinal) break;
    else [isFinal, pending] = [true, [...expected.keys()]];
  }
  const isServed = pending.length === 0;
  return {
    equal: expected.size - pending.length,
    causes: isServed ? [] : await readCauses(service),
    differences,
    missing: pending.slice(0, MAX_LISTED),
  };
}

interface Round {
  readonly pending: readonly string[];
  readonly expected: Answers;
  readonly differences: string[];
}

/** Requests the pending paths one after another; returns those without an answer, the unanswered first ones last. */
async function compareOnce(service: Service, { pending, expected, differences }: Round): Promise<string[]> {
  const left: string[] = [];
  for (const [i, path] of pending.entries()) {
    const answer = await readAnswer(service, path);
    if (answer === expected.get(path)) continue;
    if (isUnavailable(answer)) left.push(path);
    else differences.push(`${path}\n  expected ${expected.get(path)}\n  received ${answer}`);
    if (left.length === MAX_UNANSWERED) return [...pending.slice(i + 1), ...left];
  }
  return left;
}

/** Members that follow the head and the clock. */
const MOVING = /^(?:block|now|slot|indexed_block|head_block|lag_blocks|ready|\w+_age_seconds)$/;

/** Returns status and body without the members that follow the head and the clock. */
export async function readAnswer(service: Service, path: string): Promise<string> {
  const { statusCode, body } = await service.app.inject(path);
  const facts: unknown = JSON.parse(body, (name, value: unknown) => (MOVING.test(name) ? undefined : value));
  return `${statusCode} ${JSON.stringify(facts)}`;
}

/** Returns whether the service could not answer at the time. */
function isUnavailable(answer: string): boolean {
  return answer.startsWith(UNAVAILABLE) || answer.startsWith(TIMED_OUT);
}

/** Members of `/status` and `/ready` that name a cause. */
const CAUSE = /cause|problem|remedy/i;

/** Returns the texts that the status of the service names as causes. */
async function readCauses(service: Service): Promise<string[]> {
  const found = new Set<string>();
  const visit = (value: unknown, isCause: boolean): void => {
    if (typeof value === 'string' && isCause) found.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value)) visit(each, isCause || CAUSE.test(name));
  };
  for (const path of ['/status', '/ready']) visit((await service.app.inject(path)).json(), false);
  return [...found];
}

async function examine(config: Config): Promise<string[]> {
  const findings = [
    ...(await examineMainChain(config.mainChain, Date.now)),
    ...(await examineAltChain(config.altChain, Date.now)),
  ];
  return findings.filter(isFailure).map(({ subject, text }) => `${subject}: ${text}`);
}

function isFailure({ state }: Finding): boolean {
  return state === 'fail' || state === 'unreachable';
}

function countCalls({ calls }: ProviderProxy): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

function recordTo(lines: string[]): Log {
  const record = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { info: () => undefined, warn: record, error: record };
}
