/** Seeded alt chain, compared with its personas through the adapter of the service: accounts, complete transaction history, bindings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAltChain } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import type { AltChainAdapter } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import type { EventChange } from '../../src/domain/alt-chain/event-operation.ts';
import { NO_PAUSE_FLAGS } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { toMachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { AltHistory } from '../../src/ports/alt-chain.ts';
import { BINDING_DISCRIMINATOR } from './accounts.ts';
import { startAltChain } from './alt-chain.ts';
import type { AltChain } from './alt-chain.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import { BINDING_SEED } from './placements.ts';
import { DEVNET_WALLETS } from '../personas/wallets.ts';
import { ALT_ORDINAL } from '../main-chain/deploy.ts';
import { BOUND_LEGACY_MACHINE, BOUND_LEGACY_OPERATOR } from '../personas/legacy-machines.ts';
import { listSampleAltMachines } from '../personas/alt-personas.ts';
import { blockTimestamp, eventTimestamp } from '../personas/planned-event.ts';
import type { PlannedEvent } from '../personas/planned-event.ts';
import { ABSENT, present } from '../../src/domain/read-result.ts';

const now = Math.floor(Date.now() / 1000);
const samples = listSampleAltMachines();
const SILENT = { info() {}, warn() {}, error() {} };

let altChain: AltChain;
let adapter: AltChainAdapter;

beforeAll(async () => {
  altChain = await startAltChain(samples, { now });
  const { rpcUrl, genesisHash, programs } = altChain;
  adapter = createAltChain(
    {
      rpcUrls: [rpcUrl],
      genesisHash: genesisHash as AltKey,
      ordinal: ALT_ORDINAL,
      programs,
      binding: { program: programs.binding, seed: BINDING_SEED, discriminator: BINDING_DISCRIMINATOR },
    },
    { clock: { nowMilliseconds: () => Date.now() }, log: SILENT },
  );
});
afterAll(async () => {
  await adapter.close();
  await altChain.stop();
});

function sample(name: string): SampleAltMachine & { readonly id: MachineId } {
  const found = samples.find(({ persona }) => persona.name === name)!;
  return { ...found, id: toMachineId(found.machine.id)! };
}

function readSnapshot(name: string) {
  return adapter.machines!.chain.readMachineUncached(sample(name).id).then(({ snapshot }) => snapshot);
}

it('passes the deployment check of the service', async () => {
  expect(await adapter.checkDeployment()).toEqual([]);
});

describe('machines', () => {
  it.each(samples)('include $persona.name with its account, bond and event log', async (sample) => {
    const { persona, machine } = sample;
    const { origin, events } = persona;
    const snapshot = await readSnapshot(persona.name);
    expect(snapshot.machine).toEqual({
      state: 'present',
      value: {
        owner: machine.owner.key,
        controller: machine.controller?.key,
        manufacturer: undefined,
        relocating: persona.relocatingDaysAgo !== undefined,
        onboardedAt: BigInt(blockTimestamp(now, persona.createdDaysAgo)),
        operator: machine.operator?.address.toLowerCase(),
        machineType: 'DevnetMachine',
        credentialSubject: `0x${Buffer.from(persona.name).toString('hex')}`,
        verificationMethods: [],
        authentication: [],
        serviceEndpoints: persona.serviceEndpoints ?? [],
      },
    });
    const isLinked = origin.kind !== 'unlinked';
    expect(snapshot.pauseFlags).toEqual(isLinked ? present(NO_PAUSE_FLAGS) : ABSENT);
    expect(snapshot.subscription).toMatchObject(
      isLinked ? { state: 'present', value: { status: 'Active', tier: 0 } } : ABSENT,
    );
    const anchors = origin.kind === 'arrived' ? 1 : 0;
    expect(snapshot.eventLog).toMatchObject(
      events.length === 0
        ? ABSENT
        : {
            state: 'present',
            value: {
              count: BigInt(events.length + anchors),
              priorEventCount: anchors === 0 ? 0n : 3n,
              lastEvent: toContent(events.at(-1)!),
            },
          },
    );
  });

  it('include alt-arrived with stale bytes after its event log', async () => {
    const { eventRegistry } = altChain.programs;
    const filter = { memcmp: { offset: 8, bytes: wordOf('alt-arrived'), encoding: 'base64' } };
    const [log] = await post<{ account: { data: [string, string] } }[]>('getProgramAccounts', [
      eventRegistry,
      { encoding: 'base64', commitment: 'finalized', filters: [{ dataSize: 452 }, filter] },
    ]);
    const bytes = Buffer.from(log!.account.data[0], 'base64');
    const endOfShortRecord = 57 + 122 + 'USD'.length + 1;
    expect(bytes.subarray(endOfShortRecord).toString('latin1')).toMatch(/xxxxxxxx"}/);
  });

  it('match the count of their registry and are grouped by operator', async () => {
    const { fleet, before, after } = await adapter.machines!.history.readFleet();
    expect([fleet.addresses.size, before.machineCount, after.machineCount]).toEqual([samples.length, 20n, 20n]);
    const withOperator = samples.filter(({ machine }) => machine.operator !== undefined);
    const expected = Map.groupBy(withOperator, ({ machine }) => machine.operator!.address.toLowerCase());
    const idsOf = (members: readonly SampleAltMachine[]) =>
      members.map(({ machine }) => machine.id).sort((a, b) => (a < b ? -1 : 1));
    expect(Object.fromEntries(fleet.machinesByOperator)).toEqual(
      Object.fromEntries([...expected].map(([operator, members]) => [operator, idsOf(members)])),
    );
    expect([fleet.unreadableByOperator.size, fleet.unattributed]).toEqual([0, 0]);
  });
});

describe('history', () => {
  /** Reads every change of a log from its transactions, oldest first. */
  async function readChanges(history: AltHistory, id: MachineId) {
    const rows = (await history.listSignatures(id, undefined)).toReversed();
    const changes: (EventChange & { readonly blockTime: number; readonly slot: number })[] = [];
    for (const row of rows) {
      const reading = await history.readTransaction(row);
      if (reading.state !== 'read') throw new Error(`the transaction is ${reading.state}`);
      for (const operation of reading.operations) {
        changes.push({ ...operation, blockTime: row.blockTime!, slot: row.slot });
      }
    }
    return changes;
  }

  it.each(samples)(
    'contains each event of $persona.name as a transaction in a block of its day',
    async ({ persona }) => {
      const { origin, events, submission } = persona;
      const changes = await readChanges(adapter.machines!.history, sample(persona.name).id);
      const submitted = (event: PlannedEvent, index: number) => ({
        kind: 'submitted',
        eventIndex: submission?.noisyLogs ? undefined : BigInt(index),
        record: toContent(event),
        blockTime: blockTimestamp(now, event.daysAgo),
      });
      const before =
        origin.kind === 'arrived'
          ? [{ kind: 'imported', priorEventCount: 3n, record: toContent(origin.eventsThere.at(-1)!) }]
          : origin.kind === 'recreated'
            ? [...origin.firstEvents.map(submitted), { kind: 'closed', count: BigInt(origin.firstEvents.length) }]
            : [];
      const anchors = origin.kind === 'arrived' ? 1 : 0;
      const expected = [...before, ...events.map((event, index) => submitted(event, index + anchors))];
      expect(changes).toMatchObject(expected);
      expect(changes).toHaveLength(expected.length);
      expect(Math.min(...changes.map(({ slot }) => slot), Infinity)).toBeGreaterThanOrEqual(altChain.firstSlot);
    },
  );

  it('contains no other transactions', async () => {
    const rows = await adapter.machines!.history.listSignatures('event-registry', undefined);
    expect(rows).toHaveLength(altChain.transactions);
    expect(rows.filter(({ hasFailed }) => hasFailed)).toEqual([]);
  });

  it('has the transaction forms that its personas are named after', async () => {
    const forms = new Map<string, object>();
    for (const name of ['alt-rated', 'alt-cpi', 'alt-v0']) {
      const [row] = await adapter.machines!.history.listSignatures(sample(name).id, undefined);
      const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
      const { version, meta } = await post<{ version: unknown; meta: { innerInstructions: unknown[] } }>(
        'getTransaction',
        [...[row!.signature, options]],
      );
      forms.set(name, { version, inner: meta.innerInstructions.length });
    }
    expect(Object.fromEntries(forms)).toEqual({
      'alt-rated': { version: 'legacy', inner: 0 },
      'alt-cpi': { version: 'legacy', inner: 1 },
      'alt-v0': { version: 0, inner: 0 },
    });
  });

  it('puts two events of alt-truncated-logs into one slot', async () => {
    const { history } = adapter.machines!;
    const [newest, before] = await history.listSignatures(sample('alt-truncated-logs').id, undefined);
    expect(newest!.slot).toBe(before!.slot);
  });
});

describe('wallets', () => {
  it('are bound, revoked and unbound as declared', async () => {
    const bindings = await Promise.all(DEVNET_WALLETS.map(({ wallet }) => adapter.bindings!.readBinding(wallet.key)));
    const since = expect.any(Number) as number;
    expect(Object.fromEntries(DEVNET_WALLETS.map(({ name }, index) => [name, bindings[index]]))).toEqual({
      bound: { kind: 'bound', operator: BOUND_LEGACY_MACHINE.machine.address.toLowerCase(), since },
      'bound-operator': { kind: 'bound', operator: BOUND_LEGACY_OPERATOR.address.toLowerCase(), since },
      revoked: { kind: 'revoked' },
      unbound: { kind: 'not-bound' },
    });
  });
});

/** Returns the content of a planned event that is the same in every place that stores it. */
function toContent(event: PlannedEvent): object {
  const { eventType, value, trustLevel, currency = '' } = event;
  return { eventType, value, trustLevel, currency, timestamp: BigInt(eventTimestamp(now, event)) };
}

function wordOf(name: string): string {
  return Buffer.from(sample(name).id.toString(16).padStart(64, '0'), 'hex').toString('base64');
}

async function post<T>(method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(altChain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: T }).result;
}
