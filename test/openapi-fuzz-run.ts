/**
 * Does a running service keep its own word, whatever it is asked? Sends what `openapi-fuzz.ts` makes up and holds every answer against the document:
 * nothing outside it, and no 5xx, because nothing that is asked about is unreadable.
 */
import { Pool } from 'undici';
import type { Fixtures } from '../devnet/fixtures.ts';
import { Random } from '../sim/random.ts';
import { OpenapiConformance, type OpenapiDocument } from './openapi-conformance.ts';
import { createFuzz, type FuzzedDocument, type FuzzedRequest, type FuzzedWorld } from './openapi-fuzz.ts';

export interface FuzzOptions {
  readonly url: string;
  readonly world: FuzzedWorld;
  readonly seed: number;
  readonly requests: number;
}

const CALLERS = 16;

/** How many answers had each status. Throws at the first answer that is not documented, or 5xx, and tells the request. */
export async function runFuzz({ url, world, seed, requests }: FuzzOptions): Promise<Readonly<Record<number, number>>> {
  const pool = new Pool(url, { connections: CALLERS });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenapiDocument & FuzzedDocument;
  const conformance = new OpenapiConformance(document);
  const next = createFuzz(document, world, new Random(seed));
  const statuses: Record<number, number> = {};
  let left = requests;

  async function askOne(request: FuzzedRequest): Promise<void> {
    const { method, path, headers, body } = request;
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    const { statusCode: status } = answer;
    statuses[status] = (statuses[status] ?? 0) + 1;
    try {
      if (status >= 500 && !isRefusedFreshness(path, status)) throw new Error(text);
      conformance.expectDocumented(method, path, { status, headers: answer.headers, text });
    } catch (cause) {
      const told = { ...request, body: body?.toString('latin1').slice(0, 2000) };
      throw new Error(`SEED=${seed}: ${status} to ${JSON.stringify(told)}`, { cause });
    }
  }

  const work = async () => {
    while (left-- > 0) await askOne(next());
  };
  try {
    await Promise.all(Array.from({ length: CALLERS }, work));
  } finally {
    left = 0;
    await pool.close();
  }
  return statuses;
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
