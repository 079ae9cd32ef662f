/**
 * Campaign: tries the attacks that design/scoring.md lists, with real transactions on local chains, and stores the rating that each reaches
 * beside its cost and the rating that `mcr/1` gave. `node docs/render-scoring.ts` renders the table.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import { inChainOrder, eventTimestamp } from '../../devnet/personas/planned-event.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import type { Devnet } from '../../devnet/start-devnet.ts';
import { readConfig } from '../../src/config.ts';
import { startService, type Service } from '../../src/main.ts';
import { ATTACKS } from './attacks/attack-list.ts';
import { ALT_POOL_MINT, listAltActors } from './attacks/alt-attack-list.ts';
import { isOnMainChain, listActors, listSamples } from './attacks/attack.ts';
import type { Attack } from './attacks/attack.ts';
import { readAltTransactions, readTransactions, sumAltCosts, sumCosts } from './attacks/attack-costs.ts';
import type { AltRpc, AttackCost, SentTransaction } from './attacks/attack-costs.ts';
import { storeAttackResults } from './attacks/attack-results.ts';
import type { AttackResult } from './attacks/attack-results.ts';
import { listPoolToken, POOL_TOKEN } from './attacks/swap-pool.ts';
import { rateUnderMcr1 } from './attacks/mcr1.ts';

const SILENT = { info() {}, warn() {}, error() {} };
const SETTLED_WITHIN_MILLISECONDS = 600_000;
/** The best rating without a verified operator. */
const UNANCHORED = ['BB', 'B', 'NR', 'Provisioned'];

interface Explanation {
  readonly mcr: string;
  readonly mcr_score: number;
  readonly summary: string;
  readonly event_count: number;
  readonly evidence: { readonly verdicts: Readonly<Record<string, number>> };
}

let folder: string;
let devnet: Devnet;
let service: Service;
/** Tokens that the attacks pay with. */
let tokens: readonly Address[];
let mints: readonly string[];
let transactions: readonly SentTransaction[];
const results: AttackResult[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attacks-'));
  const { main: machines, alt: altMachines } = listSamples(ATTACKS);
  devnet = await startDevnet({ dir: folder, machines, altMachines, quiet: true });
  const { main, alt } = devnet.fixtures.sources;
  tokens = [main.token as Address, POOL_TOKEN];
  mints = [alt!.mint, ALT_POOL_MINT];
  listPoolToken(devnet.env['TOKENS_FILE']!, devnet.env['SOURCES_FILE']!, {
    [main.name]: POOL_TOKEN.toLowerCase(),
    [alt!.name]: ALT_POOL_MINT,
  });
  const variables = { ...devnet.env, DATABASE_URL: `sqlite:${join(folder, 'svc.db')}` };
  const { config, problems } = readConfig(
    { ...variables, PORT: '0', ADMIN_PORT: '0', RATE_LIMITS: 'off' },
    { readFile: () => '' },
  );
  expect(problems).toEqual([]);
  service = await startService(config, { log: SILENT });
  await service.indexed;
  transactions = await readTransactions(createRpc(devnet.rpcUrl));
}, 0);

afterAll(async () => {
  await service.close();
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
  if (results.length === ATTACKS.length) storeAttackResults(results);
});

/** Reads the explanation once every verdict is made. */
async function readSettled(attack: Attack): Promise<Explanation> {
  const { did } = devnet.fixtures.machines.find(({ name }) => name === attack.name)!;
  const read = async () => (await (await fetch(`${service.url}/mcr/${did}/explanation`)).json()) as Explanation;
  await expect
    .poll(async () => (await read()).evidence, { timeout: SETTLED_WITHIN_MILLISECONDS, interval: 1_000 })
    .toMatchObject({ verdicts: { pending: 0 } });
  return read();
}

const altRpc: AltRpc = async (method, params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(devnet.altChain!.rpcUrl, { method: 'POST', headers, body });
  return ((await response.json()) as { readonly result: unknown }).result;
};

async function readCost({ name, persona }: Attack): Promise<AttackCost> {
  if (isOnMainChain(persona)) {
    const addresses = listActors(name).map(({ address }) => address);
    return sumCosts(transactions, addresses, tokens);
  }
  const { wallets, accounts } = listAltActors(name);
  return sumAltCosts(await readAltTransactions(altRpc, [...wallets, ...accounts]), wallets, mints);
}

function rateHistorically({ persona }: Attack): AttackResult['underMcr1'] {
  const { seededAt } = devnet.fixtures;
  const claimed = inChainOrder(persona.events ?? []).map((event) => ({
    ...{ type: event.eventType, value: event.value, currency: event.currency ?? '', trust: event.trustLevel },
    timestamp: eventTimestamp(seededAt, event),
  }));
  return rateUnderMcr1(claimed, seededAt);
}

describe('an attacker', () => {
  it.each(ATTACKS)('$attempt', async (attack) => {
    const { mcr, mcr_score, summary, event_count, evidence } = await readSettled(attack);
    expect(event_count).toBe(attack.persona.events!.length);
    results.push({
      ...{ name: attack.name, attempt: attack.attempt, needs: attack.needs ?? null },
      ...{ underMcr1: rateHistorically(attack), mcr, score: mcr_score, summary },
      verdicts: Object.fromEntries(Object.entries(evidence.verdicts).filter(([, count]) => count > 0)),
      ...(await readCost(attack)),
    });
    if (attack.needs === undefined) expect(UNANCHORED).toContain(mcr);
  });
});
