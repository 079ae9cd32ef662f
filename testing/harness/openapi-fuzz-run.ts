/**
 * OpenAPI fuzzing of a running service. Sends the requests of `openapi-fuzz.ts` and checks every response against the document. A 5xx fails,
 * because everything requested is readable; only a 503 of a busy node is requested again, until it succeeds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { Random } from '../../sim/random.ts';
import { conformanceOf, type OpenapiDocument } from './openapi-conformance.ts';
import { createFuzz, type FuzzedDocument, type FuzzedRequest, type FuzzedWorld } from './openapi-fuzz.ts';
import { PipelinedCaller } from './pipelined-caller.ts';

export interface FuzzOptions {
  readonly url: string;
  readonly world: FuzzedWorld;
  readonly seed: number;
  readonly requests: number;
}

const CONNECTIONS = 8;
const DEPTH = 8;
const POLL_MILLISECONDS = 50;
/** Delay after a 503. A node times out within ten seconds, and a service takes as long to detect its recovery. */
const BUSY_MILLISECONDS = 1_000;
const MAX_ATTEMPTS = 60;

export interface FuzzCount {
  /** Number of final responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Number of requests repeated after the 503 of a busy node. */
  readonly repeated: number;
}

/** Sends all requests. Throws with the request at the first undocumented response, or a 5xx that is not of a busy node. */
export async function runFuzz({ url, world, seed, requests }: FuzzOptions): Promise<FuzzCount> {
  const callers = Array.from({ length: CONNECTIONS }, () => new PipelinedCaller(Number(new URL(url).port), DEPTH));
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenapiDocument & FuzzedDocument;
  const conformance = conformanceOf(document);
  const next = createFuzz(document, world, new Random(seed));
  const statuses: Record<number, number> = {};
  let left = requests;
  let repeated = 0;

  async function sendOne(caller: PipelinedCaller, request: FuzzedRequest): Promise<void> {
    const { method, path, body } = request;
    let status: number | undefined;
    try {
      for (let attempts = MAX_ATTEMPTS; ; attempts--) {
        const response = await caller.send(request);
        const { headers } = response;
        const text = response.body.toString();
        status = response.status;
        conformance.expectDocumented(method, path, { status, headers, text });
        if (status < 500 || isRefusedFreshness(path, status) || isUnavailableStatement(request, text)) break;
        if (status !== 503 || attempts === 0) throw new Error(text);
        repeated++;
        await delay(BUSY_MILLISECONDS);
      }
      statuses[status] = (statuses[status] ?? 0) + 1;
    } catch (cause) {
      const failed = { ...request, body: body?.toString('latin1').slice(0, 2000) };
      throw new Error(`SEED=${seed}: ${status} to ${JSON.stringify(failed)}`, { cause });
    }
  }

  const work = async (caller: PipelinedCaller) => {
    while (left-- > 0) await sendOne(caller, next());
  };
  try {
    await Promise.all(callers.flatMap((caller) => Array.from({ length: DEPTH }, () => work(caller))));
  } finally {
    left = 0;
    for (const caller of callers) caller.close();
  }
  return { statuses, repeated };
}

/**
 * Resolves when every machine of the world is readable: directly after it becomes ready, a service does not know whether the indexed histories
 * have continued.
 */
export async function untilReadable(url: string, world: FuzzedWorld): Promise<void> {
  for (const did of world.values.filter((value) => /^did:svc:\d/.test(value))) {
    while ((await fetch(`${url}/mcr/${did}`)).status >= 500) await delay(POLL_MILLISECONDS);
  }
}

/** Returns whether `/status` correctly refused a freshness limit that no index can meet. */
function isRefusedFreshness(path: string, status: number): boolean {
  return status === 503 && /^\/status\?.*max_/.test(path);
}

/** Returns whether the statement of a readable machine, or the feedback that carries it, was correctly refused, because its rating is degraded. `HEAD` has no reason. */
function isUnavailableStatement({ method, path }: FuzzedRequest, text: string): boolean {
  return (
    /\/(?:statement|agent-feedback\.json)(?:\?|$)/.test(path) &&
    (method === 'HEAD' || text.startsWith('{"detail":"Statement unavailable: '))
  );
}

/** Returns everything readable on the local chains, without machines whose facts make a route return 503. */
export function worldOf({ machines, operators, wallets, onboardingToken }: Fixtures): FuzzedWorld {
  const readable = machines.filter(({ expect }) => Object.values(expect).every(({ status }) => status < 500));
  return {
    values: [
      ...readable.flatMap(({ id, did }) => [id, did, did.replaceAll(':', '%3A')]),
      ...operators.flatMap(({ address }) => [address, `did:svc:${address}`]),
      ...wallets.map(({ address }) => address),
      ...['1', '2', '123456789', String(2n ** 256n - 1n)],
    ],
    tokens: [onboardingToken, onboardingToken, onboardingToken, `${onboardingToken}x`],
  };
}
