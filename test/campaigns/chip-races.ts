/**
 * Test support: does every challenge get exactly one document, whatever races for it and whenever the service dies? Challenges in batches; for each,
 * `submissions` of one, two or as many documents at once, to two services on one database. In some batches one or both are killed on the way, and whoever got
 * no answer asks again.
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
import { createProvider } from './chip-scene.ts';
import type { Answer } from './pipelined-posts.ts';

export interface RaceOptions {
  readonly devnet: Devnet;
  readonly databaseUrl: string;
  readonly logFile: string;
  readonly random: Random;
  readonly challenges: number;
  /** For each challenge, each over a connection of its own, half of them to another process. */
  readonly submissions: number;
  /** Mean of batches between two blows. */
  readonly batchesPerKill: number;
  /** Asked after every batch: whether to stop early. */
  readonly isOver?: (done: number) => boolean;
}

export interface RaceResult {
  readonly challenges: number;
  /** Of these; none where the service has time for its work. */
  readonly expired: number;
  readonly kills: number;
  /** Submissions that were sent, repeated ones included. */
  readonly sent: number;
  /** How often each answer was given. */
  readonly answers: ReadonlyMap<string, number>;
  /** Of challenges that were left open, some after refused documents: hex without `0x`. */
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
  /** `202`, or the code of the refusal; undefined as long as there was no answer. */
  answer: string | undefined;
}

/** When services are killed, and which. */
interface Blow {
  /** So many answers. */
  readonly after: number;
  readonly victims: readonly number[];
}

/** Inside one process documents for a challenge take turns; between two only the database decides. */
const PROCESSES = 2;
/** Challenges at once, each of another machine: a machine may have five open ones. */
const BATCH = 8;
/** Batches between two challenges that are left open. */
const OPEN_EVERY = 200;
/** Every so manieth race is one of all different documents. */
const DIFFERENT_EVERY = 16;
/** How often a busy service is asked again. */
const PATIENCE = 100;

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
      const entered = shuffle(random, enter(races, submissions));
      let blow = random.chance(1 / batchesPerKill) ? aimBlow(random, entered.length) : undefined;
      for (let round = 0, left = entered; left.length > 0; round++) {
        expect(round, 'rounds without an answer').toBeLessThan(PATIENCE);
        sent += left.length;
        await submit(service, left, blow);
        await service.revive();
        kills += blow?.victims.length ?? 0;
        blow = undefined;
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
      const answer = await ask(service, 'challenge', JSON.stringify({ machineId: machine.id }), n);
      expect(answer).toMatchObject({ status: 201 });
      const nine = JSON.parse(answer.text) as Record<string, string>;
      const count = random.integer(1, DIFFERENT_EVERY) === 1 ? submissions : random.integer(1, 2);
      const documents = Array.from({ length: count }, () => sign(nine, machine));
      expect(new Set(documents.map(({ evidenceHash }) => evidenceHash)).size).toBe(count);
      return { nonceHash: nonceHashOf(nine['nonce']!), documents };
    }),
  );
}

function enter(races: readonly Race[], submissions: number): Submission[] {
  return races.flatMap((race) =>
    Array.from({ length: submissions }, (_, connection) => ({
      race,
      document: race.documents[connection % race.documents.length]!,
      connection,
      answer: undefined,
    })),
  );
}

/** One of the services, or all of them. */
function aimBlow(random: Random, answers: number): Blow {
  const all = Array.from({ length: PROCESSES }, (_, n) => n);
  return { after: random.integer(0, answers - 1), victims: random.chance(0.5) ? all : [random.pick(all)] };
}

/** All at once. A service that is too busy says so: that is no answer. */
async function submit(service: ChipReplicas, entered: readonly Submission[], blow?: Blow): Promise<void> {
  let answered = 0;
  if (blow?.after === 0) service.strike(blow.victims);
  await Promise.all(
    entered.map(async (submission) => {
      const answer = await service.post('evidence', submission.document.body, submission.connection);
      if (blow !== undefined && ++answered === blow.after) service.strike(blow.victims);
      if (answer === undefined || answer.status === 503) return;
      submission.answer = answer.status === 202 ? '202' : codeOf(answer.text);
    }),
  );
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { detail: { code: string } }).detail.code;
}

/**
 * One document has the challenge, one intake is kept, and everybody was told so; the acceptance itself may have died unheard. Or the service was too busy to take any
 * in time, and has none.
 */
async function expectOne(store: Store, race: Race, entered: readonly Submission[]): Promise<'accepted' | 'expired'> {
  const intakes = await Promise.all(race.documents.map(({ receiptId }) => store.readEvidenceRecord(receiptId)));
  const kept = intakes.filter((intake) => intake !== undefined);
  const own = entered.filter((submission) => submission.race === race);
  if (kept.length === 0) {
    expect(new Set(own.map(({ answer }) => answer))).toEqual(new Set(['CHALLENGE_EXPIRED']));
    return 'expired';
  }
  expect(kept).toHaveLength(1);
  const { evidenceHash, evidence } = kept[0]!;
  const winner = race.documents.find((document) => document.evidenceHash === evidenceHash)!;
  expect(Buffer.compare(evidence!, winner.body)).toBe(0);
  const lookup = await store.findChallenge(race.nonceHash, evidenceHash);
  expect(lookup).toMatchObject({ state: 'kept', challenge: { consumedBy: evidenceHash } });
  const accepted = own.filter(({ answer }) => answer === '202');
  expect(accepted.length).toBeLessThanOrEqual(1);
  for (const { document, answer } of own) {
    const refusal = document === winner ? 'EVIDENCE_ALREADY_ACCEPTED' : 'CHALLENGE_CONSUMED';
    expect(answer).toBe(accepted[0]?.document === document && answer === '202' ? '202' : refusal);
  }
  return 'accepted';
}

/** The first answer that says more than that the service is busy. */
async function ask(
  service: ChipReplicas,
  path: 'challenge' | 'evidence',
  body: string,
  connection = 0,
): Promise<Answer> {
  for (let tries = 0; tries < PATIENCE; tries++) {
    const answer = await service.post(path, body, connection);
    if (answer !== undefined && answer.status !== 503) return answer;
  }
  return expect.fail('the service is busy for ever');
}

/** A challenge whose documents are all refused, each at another step. None where the machine has too many open ones. */
async function leaveOpen(service: ChipReplicas, sign: Sign, machine: MachineFixture): Promise<string[]> {
  const answer = await ask(service, 'challenge', JSON.stringify({ machineId: machine.id }));
  if (answer.status === 429) return [];
  expect(answer).toMatchObject({ status: 201 });
  const nine = JSON.parse(answer.text) as Record<string, string>;
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
    expect(codeOf((await ask(service, 'evidence', text)).text)).toBe(code);
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
