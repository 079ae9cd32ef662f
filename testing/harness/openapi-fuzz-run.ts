/**
 * Does a running service keep its own word, whatever it is asked? Sends what `openapi-fuzz.ts` makes up and holds every answer against the document:
 * nothing outside it, and no 5xx, because nothing that is asked about is unreadable. What a busy node left unread is 503 and asked again: it must
 * be answered in the end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { Random } from '../../sim/random.ts';
import { OpenapiConformance, type OpenapiDocument } from './openapi-conformance.ts';
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
const ASKING_MILLISECONDS = 50;
/** A node that does not answer is given up within ten seconds; a service that reads again needs as long to notice. */
const BUSY_MILLISECONDS = 1_000;
const PATIENCE = 60;

export interface FuzzCount {
  /** How many last answers had each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How often something was asked again because a node had not answered in time. */
  readonly askedAgain: number;
}

/** Throws at the first answer that is not documented, or 5xx and not just a busy node's, and tells the request. */
export async function runFuzz({ url, world, seed, requests }: FuzzOptions): Promise<FuzzCount> {
  const callers = Array.from({ length: CONNECTIONS }, () => new PipelinedCaller(Number(new URL(url).port), DEPTH));
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenapiDocument & FuzzedDocument;
  const conformance = new OpenapiConformance(document);
  const next = createFuzz(document, world, new Random(seed));
  const statuses: Record<number, number> = {};
  let left = requests;
  let askedAgain = 0;

  async function askOne(caller: PipelinedCaller, request: FuzzedRequest): Promise<void> {
    const { method, path, body } = request;
    let status: number | undefined;
    try {
      for (let patience = PATIENCE; ; patience--) {
        const answer = await caller.send(request);
        const { headers } = answer;
        const text = answer.body.toString();
        status = answer.status;
        conformance.expectDocumented(method, path, { status, headers, text });
        if (status < 500 || isRefusedFreshness(path, status)) break;
        if (status !== 503 || patience === 0) throw new Error(text);
        askedAgain++;
        await delay(BUSY_MILLISECONDS);
      }
      statuses[status] = (statuses[status] ?? 0) + 1;
    } catch (cause) {
      const told = { ...request, body: body?.toString('latin1').slice(0, 2000) };
      throw new Error(`SEED=${seed}: ${status} to ${JSON.stringify(told)}`, { cause });
    }
  }

  const work = async (caller: PipelinedCaller) => {
    while (left-- > 0) await askOne(caller, next());
  };
  try {
    await Promise.all(callers.flatMap((caller) => Array.from({ length: DEPTH }, () => work(caller))));
  } finally {
    left = 0;
    for (const caller of callers) caller.close();
  }
  return { statuses, askedAgain };
}

/**
 * Resolves when no machine of the world is refused for what the service still follows: for a moment after it is ready, it does not know whether
 * histories that it has indexed went on.
 */
export async function untilReadable(url: string, world: FuzzedWorld): Promise<void> {
  for (const did of world.values.filter((value) => /^did:svc:\d/.test(value))) {
    while ((await fetch(`${url}/mcr/${did}`)).status >= 500) await delay(ASKING_MILLISECONDS);
  }
}

/** A watcher may ask `/status` for an index that is fresher than any can be, and is told by 503 that it is not. */
function isRefusedFreshness(path: string, status: number): boolean {
  return status === 503 && /^\/status\?.*max_/.test(path);
}

/** Everything of the local chains that can be read; machines whose own facts make some route 503 are left to the suites about them. */
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
