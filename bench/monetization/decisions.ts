/**
 * Cost of a signed decision: signer recovery, alternating with viem's; rejection of a malformed body before any curve operation;
 * and complete PUTs to a service on SQLite and on PostgreSQL, each with its own chain read and disk write.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { recoverMessageAddress } from 'viem';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { parseDecisionRequest } from '../../src/domain/monetization/decision-request.ts';
import { prepareDecision } from '../../src/domain/monetization/prepared-decision.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createMainChainKey, NATIVE_CHECKS } from '../../testing/fixtures/signing-keys.ts';
import { parseStrictJson } from '../../src/domain/json/strict-json.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';
import { printFigures } from '../figures.ts';
import { median, waitUntilIdle } from '../measuring.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 64;
const MACHINES = 45;
const DECISIONS_PER_MACHINE = 200;

const WALLET = createMainChainKey(new Uint8Array(32).fill(1));
const MESSAGE = new TextEncoder().encode('a message of the usual length: '.repeat(7));
const SIGNATURE = WALLET.sign(MESSAGE);

async function measureRecovery(): Promise<void> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await perSecond(5_000, () => NATIVE_CHECKS.recoverSigner(MESSAGE, SIGNATURE)));
    const options = { message: { raw: MESSAGE }, signature: SIGNATURE };
    theirs.push(await perSecond(300, () => recoverMessageAddress(options)));
  }
  const [own, peer] = [median(ours), median(theirs)];
  console.log(`recovery: ${Math.round(own)}/s, viem ${Math.round(peer)}/s, ratio ${(own / peer).toFixed(1)}`);
  printFigures({ 'decisions/recovery': { ours: own, peer } });
}

async function perSecond(times: number, run: () => unknown): Promise<number> {
  const start = performance.now();
  for (let k = 0; k < times; k++) await run();
  return (times * 1000) / (performance.now() - start);
}

/** Measures rejections from the bytes to the refusal, in CPU time of this process. */
function measureRefusals(): void {
  let highest = 0;
  const bodies = {
    'no JSON': '{"opted_in":tru',
    'a repeated member': '{"opted_in":true,"opted_in":true}',
    'a wrong type': `{"opted_in":"true","timestamp":1788000000,"signature":"${SIGNATURE}"}`,
    'a short signature': `{"opted_in":true,"timestamp":1788000000,"signature":"${SIGNATURE.slice(2)}"}`,
    'the longest body': JSON.stringify({ opted_in: true, timestamp: 1, signature: 'x'.repeat(4_000) }),
  };
  for (const [name, text] of Object.entries(bodies)) {
    const bytes = Buffer.from(text);
    const refuse = () => {
      const { value, problem } = parseStrictJson(bytes);
      if (problem === undefined && parseDecisionRequest(value).refusal === undefined) throw new Error('not refused');
    };
    for (let k = 0; k < 20_000; k++) refuse();
    const rounds = Array.from({ length: ROUNDS }, () => {
      const start = process.cpuUsage();
      for (let k = 0; k < 20_000; k++) refuse();
      return process.cpuUsage(start).user / 20_000;
    });
    const microseconds = median(rounds);
    highest = Math.max(highest, microseconds);
    console.log(`rejected, ${name}: ${microseconds.toFixed(2)} µs of CPU`);
  }
  printFigures({ 'decisions/refusal': { ours: highest } });
}

async function measurePuts(devnet: Devnet, databaseUrl: string): Promise<void> {
  const built = join(import.meta.dirname, '../../dist/svc.js');
  const entry = existsSync(built) ? built : join(import.meta.dirname, '../../cli/svc.ts');
  const settings = { DATABASE_URL: databaseUrl, PORT: '0', ADMIN_PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
  const env = { ...process.env, ...devnet.env, ...settings };
  const child = spawn(process.execPath, [entry, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let url = '';
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('listening on ')) url = line.slice('listening on '.length);
      if (url !== '') break;
    }
    await waitUntilIdle(child.pid!);
    const decisions = signDecisions(devnet);
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const start = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let next = decisions.pop(); next !== undefined; next = decisions.pop()) {
          const status = await put(`${url}/machine/${next.id}/monetization`, agent, next.body);
          if (status !== 200 && status !== 409) throw new Error(`status ${status}`);
        }
      }),
    );
    const count = MACHINES * DECISIONS_PER_MACHINE;
    const seconds = (performance.now() - start) / 1000;
    const database = databaseUrl.split(':')[0]!;
    console.log(`PUT: ${Math.round(count / seconds)}/s on ${database}, ${CONNECTIONS} connections`);
    printFigures({ [`decisions/${database}`]: { ours: count / seconds } });
    agent.destroy();
  } finally {
    child.kill();
  }
}

/** Signs decisions newest first, for one machine after the other; callers pop the oldest from the end. */
function signDecisions(devnet: Devnet): { readonly id: string; readonly body: string }[] {
  const fleet = devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet')).slice(0, MACHINES);
  const { chainId, addresses } = devnet.fixtures.mainChain;
  const deployment = { chainId: String(chainId), registry: addresses.machineRegistry.toLowerCase() as Address };
  const newest = Math.floor(Date.now() / 1000);
  return Array.from({ length: DECISIONS_PER_MACHINE }, (_, age) => newest - age).flatMap((timestamp) =>
    fleet.map(({ id, ownerKey }) => {
      const decision = { machineId: BigInt(id) as MachineId, optedIn: timestamp % 2 === 0, timestamp };
      const { message } = prepareDecision(decision, { chain: 'main' }, deployment, DEFAULT_NAMESPACE);
      const signature = createMainChainKey(Buffer.from(ownerKey.slice(2), 'hex')).sign(message);
      return { id, body: JSON.stringify({ opted_in: decision.optedIn, timestamp, signature }) };
    }),
  );
}

function put(target: string, agent: Agent, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(target, { method: 'PUT', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', reject);
    call.end(body);
  });
}

await measureRecovery();
measureRefusals();
const folder = mkdtempSync(join(tmpdir(), 'bench-decisions-'));
const [devnet, postgres] = await Promise.all([startDevnet({ quiet: true }), startEmbeddedPostgres()]);
try {
  await measurePuts(devnet, `sqlite:${join(folder, 'svc.db')}`);
  await measurePuts(devnet, (await postgres.createDatabase()).url);
} finally {
  await Promise.all([devnet.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true });
}
