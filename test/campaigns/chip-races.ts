/**
 * Races of documents for chip challenges. Challenges are issued in batches; for each, `submissions` of one, two or that many documents are sent
 * concurrently to two services on one database. In some batches one or both are killed, and callers without a response repeat their request.
 */
import { expect } from 'vitest';
import type { MachineFixture } from '../../devnet/fixtures.ts';
import type { Devnet } from '../../devnet/start-devnet.ts';
import type { Random } from '../../sim/random.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { parseDatabaseUrl } from '../../src/adapters/sql/engine/database-url.ts';
import type { BuiltEvidence } from '../../src/domain/evidence/evidence-building.ts';
import { nonceHashOf, type Hex } from '../../src/domain/evidence/signed-bytes.ts';
import type { Store } from '../../src/ports/store.ts';
import { startChipReplicas, type ChipReplicas } from './chip-replicas.ts';
import { createProvider } from './chip-process.ts';
import type { PostResponse } from './pipelined-posts.ts';

export interface RaceOptions {
  readonly devnet: Devnet;
  readonly databaseUrl: string;
  readonly logFile: string;
  readonly random: Random;
  readonly challenges: number;
  /** Number for each challenge; each uses its own connection, and half of them another process. */
  readonly submissions: number;
  /** Mean number of batches between two kills. */
  readonly batchesPerKill: number;
  /** Called after every batch; true stops early. */
  readonly isOver?: (done: number) => boolean;
}

export interface RaceResult {
  readonly challenges: number;
  /** Number of these that expired; 0 unless the service is overloaded. */
  readonly expired: number;
  readonly kills: number;
  /** Number of submissions sent, including repeated ones. */
  readonly sent: number;
  /** Count of each response. */
  readonly answers: ReadonlyMap<string, number>;
  /** Nonces of open challenges, some after refused documents, as hex without `0x`. */
  readonly openNonces: readonly string[];
}

interface Race {
  readonly nonceHash: Hex;
  readonly documents: readonly BuiltEvidence[];
}

interface Submission {
  readonly race: Race;
  readonly document: BuiltEvidence;
  readonly connection: number;
  /** `202` or the error code; undefined until a response arrives. */
  answer: string | undefined;
}

/** Kill of services during a batch. */
interface Kill {
  /** Number of responses before it. */
  readonly after: number;
  readonly victims: readonly number[];
}

/** Two processes, because one process serializes the documents of a challenge, and between two only the database decides. */
const PROCESSES = 2;
/** Concurrent challenges, each of another machine, because a machine may have five open ones. */
const BATCH = 8;
/** Number of batches between two challenges that stay open. */
const OPEN_EVERY = 200;
/** One race in so many has only different documents. */
const DIFFERENT_EVERY = 16;
/** Maximum number of requests to a busy service. */
const MAX_ATTEMPTS = 100;

export async function raceChallenges(options: RaceOptions): Promise<RaceResult> {
  const {
    devnet,
    databaseUrl,
    logFile,
    random,
    challenges,
    submissions,
    batchesPerKill,
    isOver = () => false,
  } = options;
  const sign = createProvider(devnet);
  const [reserved, ...machines] = devnet.fixtures.machines.filter(
    ({ name, home }) => name.startsWith('fleet') && home === 'main',
  );
  const store = await createStore(parseDatabaseUrl(databaseUrl)!);
  const answers = new Map<string, number>();
  const openNonces: string[] = [];
  let [kills, sent, done, expired] = [0, 0, 0, 0];
  const service = await startChipReplicas(devnet, { databaseUrl, connections: submissions, logFile }, PROCESSES);
  try {
    for (let batch = 0; done < challenges && !isOver(done); batch++) {
      if (batch % OPEN_EVERY === 0) openNonces.push(...(await leaveOpen(service, sign, reserved!)));
      const count = Math.min(BATCH, challenges - done);
      const chosen = Array.from({ length: count }, (_, n) => machines[(done + n) % machines.length]!);
      const races = await openRaces(service, chosen, sign, submissions, random);
      const entered = shuffle(random, listSubmissions(races, submissions));
      let strike = random.chance(1 / batchesPerKill) ? chooseKill(random, entered.length) : undefined;
      for (let round = 0, left = entered; left.length > 0; round++) {
        expect(round, 'rounds without an answer').toBeLessThan(MAX_ATTEMPTS);
        sent += left.length;
        await submit(service, left, strike);
        await service.restart();
        kills += strike?.victims.length ?? 0;
        strike = undefined;
        left = left.filter(({ answer }) => answer === undefined);
      }
      for (const { answer } of entered) answers.set(answer!, (answers.get(answer!) ?? 0) + 1);
      for (const race of races) if ((await expectOne(store, race, entered)) === 'expired') expired += 1;
      done += count;
    }
    expect(await store.listEvidenceRecords(undefined, done + 1)).toHaveLength(done - expired);
  } finally {
    await service.close();
    await store.close();
  }
  return { challenges: done, expired, kills, sent, answers, openNonces };
}

type Sign = ReturnType<typeof createProvider>;

function openRaces(
  service: ChipReplicas,
  machines: readonly MachineFixture[],
  sign: Sign,
  submissions: number,
  random: Random,
): Promise<Race[]> {
  return Promise.all(
    machines.map(async (machine, n) => {
      const response = await post(service, 'challenge', JSON.stringify({ machineId: machine.id }), n);
      expect(response).toMatchObject({ status: 201 });
      const nine = JSON.parse(response.text) as Record<string, string>;
      const count = random.integer(1, DIFFERENT_EVERY) === 1 ? submissions : random.integer(1, 2);
      const documents = Array.from({ length: count }, () => sign(nine, machine));
      expect(new Set(documents.map(({ evidenceHash }) => evidenceHash)).size).toBe(count);
      return { nonceHash: nonceHashOf(nine['nonce']!), documents };
    }),
  );
}

function listSubmissions(races: readonly Race[], submissions: number): Submission[] {
  return races.flatMap((race) =>
    Array.from({ length: submissions }, (_, connection) => ({
      race,
      document: race.documents[connection % race.documents.length]!,
      connection,
      answer: undefined,
    })),
  );
}

/** Chooses one of the services or all of them. */
function chooseKill(random: Random, answers: number): Kill {
  const all = Array.from({ length: PROCESSES }, (_, n) => n);
  return { after: random.integer(0, answers - 1), victims: random.chance(0.5) ? all : [random.pick(all)] };
}

/** Sends all submissions concurrently. A 503 of a busy service does not count as a response. */
async function submit(service: ChipReplicas, entered: readonly Submission[], strike?: Kill): Promise<void> {
  let answered = 0;
  if (strike?.after === 0) service.kill(strike.victims);
  await Promise.all(
    entered.map(async (submission) => {
      const response = await service.post('evidence', submission.document.body, submission.connection);
      if (strike !== undefined && ++answered === strike.after) service.kill(strike.victims);
      if (response === undefined || response.status === 503) return;
      submission.answer = response.status === 202 ? '202' : codeOf(response.text);
    }),
  );
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { detail: { code: string } }).detail.code;
}

/**
 * Asserts that one document consumed the challenge, one evidence record is stored, and every caller got a matching response; the 202 itself may
 * have been lost. Or that the challenge expired on a busy service, without a record.
 */
async function expectOne(store: Store, race: Race, entered: readonly Submission[]): Promise<'accepted' | 'expired'> {
  const records = await Promise.all(race.documents.map(({ receiptId }) => store.readEvidenceRecord(receiptId)));
  const stored = records.filter((record) => record !== undefined);
  const own = entered.filter((submission) => submission.race === race);
  if (stored.length === 0) {
    expect(new Set(own.map(({ answer }) => answer))).toEqual(new Set(['CHALLENGE_EXPIRED']));
    return 'expired';
  }
  expect(stored).toHaveLength(1);
  const { evidenceHash, evidence } = stored[0]!;
  const winner = race.documents.find((document) => document.evidenceHash === evidenceHash)!;
  expect(Buffer.compare(evidence!, winner.body)).toBe(0);
  const lookup = await store.findChallenge(race.nonceHash, evidenceHash);
  expect(lookup).toMatchObject({ state: 'stored', challenge: { consumedBy: evidenceHash } });
  const accepted = own.filter(({ answer }) => answer === '202');
  expect(accepted.length).toBeLessThanOrEqual(1);
  for (const { document, answer } of own) {
    const refusal = document === winner ? 'EVIDENCE_ALREADY_ACCEPTED' : 'CHALLENGE_CONSUMED';
    expect(answer).toBe(accepted[0]?.document === document && answer === '202' ? '202' : refusal);
  }
  return 'accepted';
}

/** Repeats a request until the response is not 503. */
async function post(
  service: ChipReplicas,
  path: 'challenge' | 'evidence',
  body: string,
  connection = 0,
): Promise<PostResponse> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const response = await service.post(path, body, connection);
    if (response !== undefined && response.status !== 503) return response;
  }
  return expect.fail('the service stays busy');
}

/** Opens a challenge and sends documents that are refused at different steps. Returns its nonce, or nothing when the machine has too many open ones. */
async function leaveOpen(service: ChipReplicas, sign: Sign, machine: MachineFixture): Promise<string[]> {
  const response = await post(service, 'challenge', JSON.stringify({ machineId: machine.id }));
  if (response.status === 429) return [];
  expect(response).toMatchObject({ status: 201 });
  const nine = JSON.parse(response.text) as Record<string, string>;
  const body = Buffer.from(sign(nine, machine).body).toString();
  const other = Buffer.from(sign(nine, machine).body).toString();
  const proofOf = (text: string) => /"chipSignature":"0x[0-9a-f]+"/.exec(text)![0];
  const refused = {
    [`${body} `]: 'EVIDENCE_NOT_CANONICAL',
    [body.replace('not_evaluated', 'not_evaluatee')]: 'EVIDENCE_UNSUPPORTED',
    [body.replace(/"chipRef":"0x[0-9a-f]{64}"/, `"chipRef":"0x${'00'.repeat(32)}"`)]: 'EVIDENCE_MISMATCH',
    [body.replace(proofOf(body), proofOf(other))]: 'CONTROLLER_PROOF_INVALID',
  };
  for (const [text, code] of Object.entries(refused)) {
    expect(codeOf((await post(service, 'evidence', text)).text)).toBe(code);
  }
  return [nine['nonce']!.slice(2)];
}

function shuffle<T>(random: Random, items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.integer(0, at);
    [items[at], items[other]] = [items[other]!, items[at]!];
  }
  return items;
}
