/** One case of the provider matrix: a service behind behaviors, compared with a service behind the bare nodes. */
import { setTimeout as delay } from 'node:timers/promises';
import { examineAltChain } from '../../../cli/doctor/alt-chain.ts';
import { examineMainChain } from '../../../cli/doctor/main-chain.ts';
import { StartRefused } from '../../../src/composition/start-refused.ts';
import type { Config } from '../../../src/config.ts';
import { startService, type Service } from '../../../src/main.ts';
import type { Log } from '../../../src/ports/runtime.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';
import { countRefusals } from '../provider-proxy/behaviors.ts';
import { startProviderProxy, type ProviderProxy, type Upstream } from '../provider-proxy/provider-proxy.ts';
import { PROXY_KEY } from '../rpc-proxy.ts';
import { readAnswer, readState, toConfig, type Variables } from './matrix-service.ts';

export interface MatrixCase {
  readonly main: readonly Behavior[];
  readonly alt: readonly Behavior[];
}

/**
 * `served`: every response equals that of the bare nodes. `refused`: some are missing, and the service names a cause that
 * the log and `svc doctor` name too. `stuck`: some are missing and no such cause is named. `wrong`: a response differs,
 * `/status` reports fresh while some are missing, or a node's key is printed.
 */
export type OutcomeKind = 'served' | 'refused' | 'stuck' | 'wrong';

export interface CaseOutcome {
  readonly kind: OutcomeKind;
  /** Names of the behaviors. */
  readonly name: string;
  /** Names of those that have refused or changed something; the others were hidden, or had no occasion. */
  readonly acted: readonly string[];
  /** Seconds from the start until everything was served, or until the time was over; undefined: refused at the start. */
  readonly seconds: number | undefined;
  /** Number of paths without the current response at the end, and some of them with the reason. */
  readonly missing: number;
  readonly missingPaths: readonly string[];
  /** Causes named by the start or `/status`. */
  readonly causes: readonly string[];
  /** Responses that differ: path, expected and received. */
  readonly differences: readonly string[];
  /** Findings of `svc doctor` that make it fail. */
  readonly doctor: readonly string[];
  readonly mainCalls: number;
  readonly altCalls: number;
  /** Last warnings and errors of the log, without repetitions. */
  readonly lines: readonly string[];
}

/** Status and body by path. */
export type Answers = ReadonlyMap<string, string>;

/** What a service may answer at a time. */
export interface Truth {
  readonly current: Answers;
  /** Before each change of the chain that the service may not have seen: accepted until the current answer appears. */
  readonly earlier: readonly Answers[];
  /** Longest pause between two reads of what is missing. */
  readonly maxPauseMilliseconds: number;
  /** Reads the answer of the bare nodes again, which follows the calendar. */
  reread(path: string): Promise<string>;
}

export interface OpenCase {
  /** Whether everything was served when `settle` ended last. */
  readonly isServed: boolean;
  /** Whether nothing can change any more: the start was refused, or a response differs. */
  readonly isOver: boolean;
  /** Compares until every response is current, one differs, or the time is over. */
  settle(truth: Truth, capMilliseconds: number): Promise<void>;
  /** Runs the checks of `svc doctor`, stops everything and returns the outcome. */
  finish(): Promise<CaseOutcome>;
}

/** Pause between two rounds; doubles up to the maximum of the truth while no further response becomes current. */
const FIRST_PAUSE_MILLISECONDS = 500;
/** Missing responses in a row that end a round early, so that polling leaves the node to the index. */
const MAX_MISSING = 4;
const MAX_LISTED = 5;
/** Times that `/status` must contradict the same missing response, and the time between two of them. */
const FRESH_ROUNDS = 5;
const FRESH_PAUSE_MILLISECONDS = 2_000;

/** Nodes behind the proxies. */
export interface Upstreams {
  readonly main: Upstream;
  /** Undefined: there is no alt chain. */
  readonly alt: Upstream | undefined;
}

/** Starts proxies and service of one case. The caller finishes it. */
export async function openCase({ main, alt }: MatrixCase, env: Variables, upstreams: Upstreams): Promise<OpenCase> {
  const startedAt = performance.now();
  const mainProxy = await startProviderProxy(upstreams.main, main);
  const altProxy = upstreams.alt === undefined ? undefined : await startProviderProxy(upstreams.alt, alt);
  const altUrls = altProxy === undefined ? {} : { ALT_RPC_URLS: altProxy.url };
  const config = toConfig({ ...env, MAIN_RPC_URLS: mainProxy.url, ...altUrls });
  const lines: string[] = [];
  const { service, problems } = await start(config, lines);
  const differences: string[] = [];
  let missing: readonly string[] = [];
  let gapPaths: readonly string[] = [];
  let isServed = false;
  let seconds: number | undefined;

  /**
   * Returns whether `/status` is fresh again and again, before and after a path has no response. The paths are read one
   * by one: many at once would be more than the node's rate allows a caller, and a single failure may be the node's.
   */
  async function isFalselyFresh(running: Service, path: string): Promise<boolean> {
    for (let round = 0; round < FRESH_ROUNDS; round++) {
      if (!(await readState(running)).isFresh) return false;
      if ((await readAnswer(running, path)).gap === undefined) return false;
      if (!(await readState(running)).isFresh) return false;
      await delay(FRESH_PAUSE_MILLISECONDS);
    }
    return true;
  }

  /**
   * A cause counts when the log and `svc doctor` name it in the same words. Where there are two reasons to refuse, the
   * service may name the one and `svc doctor`, which checks in another order, the other.
   */
  const judge = (causes: readonly string[], doctor: readonly string[]): OutcomeKind => {
    if (differences.length > 0) return 'wrong';
    if (isServed) return 'served';
    const hasTwoCauses = countRefusals([...main, ...alt]) > 1;
    const isNamedIn = (texts: readonly string[], cause: string) => texts.some((text) => text.includes(cause));
    const isNamed = (cause: string) =>
      isNamedIn(lines, cause) && (hasTwoCauses ? doctor.length > 0 : isNamedIn(doctor, cause));
    return causes.some(isNamed) ? 'refused' : 'stuck';
  };

  return {
    get isServed() {
      return isServed;
    },
    get isOver() {
      return service === undefined || differences.length > 0;
    },
    async settle(truth, capMilliseconds) {
      if (service === undefined) return;
      const cap = performance.now() + capMilliseconds;
      const wasServed = isServed;
      missing = await compare(service, { truth, differences, deadline: cap });
      gapPaths = missing.map((each) => each.slice(0, each.indexOf(': ')));
      isServed = missing.length === 0 && differences.length === 0;
      if (!wasServed) seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    },
    async finish() {
      const causes = isServed ? [] : service === undefined ? problems : (await readState(service)).causes;
      for (const path of service === undefined ? [] : gapPaths) {
        if (!(await isFalselyFresh(service!, path))) continue;
        differences.push(`/status reports fresh while there is no response to ${path}`);
        break;
      }
      const calls = { mainCalls: countCalls(mainProxy), altCalls: altProxy === undefined ? 0 : countCalls(altProxy) };
      await service?.close();
      const doctor = await examine(config).catch((error: unknown) => {
        differences.push(`svc doctor ended with ${String(error)}`);
        return [];
      });
      await Promise.all([mainProxy.close(), altProxy?.close()]);
      const printsKey = [...lines, ...doctor, ...causes].some((line) => line.includes(PROXY_KEY));
      if (printsKey) differences.push('the key of a node is printed');
      return {
        kind: judge(causes, doctor),
        name: [...main, ...alt].map(({ name }) => name).join(' + '),
        acted: [...mainProxy.acted, ...(altProxy?.acted ?? [])],
        ...{ seconds, causes, differences, doctor, ...calls },
        missing: missing.length,
        missingPaths: missing.slice(0, MAX_LISTED),
        lines: [...new Set(lines)].slice(-MAX_LISTED),
      };
    },
  };
}

/** Starts the service; undefined with problems: the start was refused. */
async function start(
  config: Config,
  lines: string[],
): Promise<{ readonly service: Service | undefined; readonly problems: readonly string[] }> {
  const record = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: () => undefined, warn: record, error: record };
  try {
    return { service: await startService(config, { log }), problems: [] };
  } catch (error) {
    if (error instanceof StartRefused) return { service: undefined, problems: error.problems };
    throw error;
  }
}

interface Comparison {
  readonly truth: Truth;
  readonly differences: string[];
  /** In time of the process. */
  readonly deadline: number;
}

/** Returns the paths without a current response, each with the reason. Compares all once more when all were current, because a later one may differ. */
async function compare(service: Service, { deadline, ...parts }: Comparison): Promise<readonly string[]> {
  const all = [...parts.truth.current.keys()];
  const mixed = new Map<string, string>();
  const gaps = new Map<string, string>();
  let pending: readonly string[] = all;
  let pause = FIRST_PAUSE_MILLISECONDS;
  for (let rounds = 0; performance.now() < deadline && parts.differences.length === 0;) {
    const before = pending.length;
    pending = await compareOnce(service, { pending, mixed, gaps, ...parts });
    pause = pending.length < before ? FIRST_PAUSE_MILLISECONDS : Math.min(2 * pause, parts.truth.maxPauseMilliseconds);
    if (pending.length > 0) await delay(pause);
    else if (++rounds === 2) break;
    else pending = all;
  }
  // A list that still mixes the states of two blocks when the time is over is wrong.
  parts.differences.push(...pending.flatMap((path) => mixed.get(path) ?? []));
  return pending.map((path) => `${path}: ${gaps.get(path)}`);
}

interface Round extends Omit<Comparison, 'deadline'> {
  readonly pending: readonly string[];
  /** Lists that matched neither state when they were read last: each entry follows the head, their order the index. */
  readonly mixed: Map<string, string>;
  /** Why the response to a path was not taken when it was read last. */
  readonly gaps: Map<string, string>;
}

const LIST = /^\/(?:active-machines|operator\/)/;

/** Requests the pending paths one after another. Returns those without a current response, the first ones last. */
async function compareOnce(
  service: Service,
  { pending, mixed, gaps, truth, differences }: Round,
): Promise<readonly string[]> {
  const isChanging = truth.earlier.length > 0;
  const missing: string[] = [];
  for (const [i, path] of pending.entries()) {
    const { text, gap } = await readAnswer(service, path);
    mixed.delete(path);
    if (text === truth.current.get(path)) continue;
    const expected = await truth.reread(path);
    if (text === expected) continue;
    gaps.set(path, gap ?? `not the current response, but ${describeDifference(text, expected)}`);
    const isEarlier = truth.earlier.some((answers) => text === answers.get(path));
    const isAwaited = gap !== undefined || isEarlier || /^50[34] /.test(expected);
    const difference = `${path}\n  expected ${expected}\n  received ${text}`;
    if (!isAwaited && isChanging && LIST.test(path)) mixed.set(path, difference);
    if (isAwaited || mixed.has(path)) missing.push(path);
    else differences.push(difference);
    if (missing.length === MAX_MISSING) return [...pending.slice(i + 1), ...missing];
  }
  return missing;
}

/** Returns where the first text leaves the second one. */
function describeDifference(text: string, expected: string): string {
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const cut = (whole: string) => whole.slice(Math.max(0, at - 40), at + 80);
  return `${cut(text)} in place of ${cut(expected)}`;
}

async function examine(config: Config): Promise<string[]> {
  const findings = [
    ...(await examineMainChain(config.mainChain, Date.now)),
    ...(await examineAltChain(config.altChain, Date.now)),
  ];
  const failures = findings.filter(({ state }) => state === 'fail' || state === 'unreachable');
  return failures.map(({ subject, text }) => `${subject}: ${text}`);
}

function countCalls({ calls }: ProviderProxy): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
