/**
 * Contract of the alt-chain adapter over the accounts of the vectors. Runs against every node whose accounts a test can set: the
 * canned node, Surfpool, and the local chain of the devnet.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatDeploymentProblem } from '../../src/adapters/rpc/deployment-problem.ts';
import { parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { parseAddress } from '../../src/domain/identifiers/identifiers.ts';
import type { AltChainAdapter } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import { MACHINE_ACCOUNTS } from '../fixtures/alt-account-parsers.ts';
import { createAltChainHarness, type AltChainHarness } from '../fixtures/alt-chain-harness.ts';
import { singletonAccount } from '../fakes/canned-alt-node.ts';
import {
  bindingsFile,
  bindingTimeOf,
  malformedCases,
  programOf,
  snapshotFile,
  toId,
  toReading,
  vectorMachines,
  vectorPrograms,
  type MachineAccountName,
  type VectorAccount,
} from '../fixtures/alt-chain-vectors.ts';
import { ABSENT } from '../../src/domain/read-result.ts';

/** Node with the accounts of the vectors. */
export interface AccountNode {
  readonly rpcUrl: string;
  readonly genesisHash: string;
  /** Reads the slots directly, without the adapter. */
  readSlots(): Promise<{ readonly first: number; readonly finalized: number }>;
  /** Sets an account; null removes it. */
  setAccount(address: string, account: VectorAccount | null): Promise<void>;
  close(): Promise<void>;
}

const SNAPSHOT_MEMBER = {
  machine: 'machine',
  machineState: 'pauseFlags',
  subscriptionTerminal: 'subscription',
  machineEventLog: 'eventLog',
} as const;
const MACHINE_COUNT = BigInt(vectorMachines.length);

export interface ContractOptions {
  /** Names of malformed accounts that the node rejects. */
  readonly except?: readonly string[];
  /** False if the node also rejects program accounts. */
  readonly checksProgramAccounts?: boolean;
}

export function describeAltChain(
  name: string,
  { except = [], checksProgramAccounts = true }: ContractOptions,
  start: () => Promise<AccountNode>,
): void {
  const acceptedCases = malformedCases.filter((each) => !except.includes(each.name));

  describe(`the alt-chain adapter on ${name}`, () => {
    let node: AccountNode;
    let harness: AltChainHarness;
    let adapter: AltChainAdapter;
    const changed = new Map<string, VectorAccount | null>();

    /** Sets an account until the end of the test. */
    async function change(address: string, account: VectorAccount | null, usual: VectorAccount | null): Promise<void> {
      changed.set(address, usual);
      await node.setAccount(address, account);
    }

    beforeAll(async () => {
      node = await start();
      harness = createAltChainHarness([node.rpcUrl], node.genesisHash);
      adapter = harness.open();
    });
    afterEach(async () => {
      for (const [address, usual] of changed) await node.setAccount(address, usual);
      changed.clear();
    });
    afterAll(async () => {
      await harness.close();
      await node.close();
    });

    it('reads all machines with one call', async () => {
      const before = adapter.counters.httpRequests;
      const reads = await Promise.all(
        vectorMachines.map(({ machineId }) => adapter.machines!.chain.readMachine(toId(machineId))),
      );
      expect(adapter.counters.httpRequests - before).toBe(2); // the genesis hash, once
      const { slot } = reads[0]!.snapshot;
      expect(slot).toBeGreaterThan(0);
      expect(reads).toStrictEqual(
        vectorMachines.map(({ machineId, accounts }) => ({
          snapshot: { id: BigInt(machineId), slot, ...decodeAll(machineId, accounts) },
          deployment: { machineCount: MACHINE_COUNT, generalPausedGlobal: false, technicalPausedGlobal: false },
        })),
      );
    });

    it('reports a machine without accounts as absent', async () => {
      const { snapshot } = await adapter.machines!.chain.readMachine(toId('99'));
      expect(snapshot).toStrictEqual({
        ...{ id: 99n, slot: snapshot.slot },
        ...{ machine: ABSENT, pauseFlags: ABSENT, subscription: ABSENT, eventLog: ABSENT },
      });
    });

    it('reports chain-wide pause flags', async () => {
      const paused = singletonAccount('config, chain-wide pause');
      await change(paused.address, paused, singletonAccount('config'));
      const { deployment } = await adapter.machines!.chain.readMachineUncached(toId('1'));
      expect(deployment).toStrictEqual({
        machineCount: MACHINE_COUNT,
        generalPausedGlobal: true,
        technicalPausedGlobal: false,
      });
    });

    it.each(acceptedCases)(
      'decodes a malformed account: $accountType, $name',
      async ({ accountType, readFor, account }) => {
        const { accounts, pdas } = vectorMachines.find(({ machineId }) => machineId === readFor)!;
        await change(pdas[accountType].address, account, accounts[accountType]);
        const { snapshot } = await adapter.machines!.chain.readMachineUncached(toId(readFor));
        expect(snapshot).toStrictEqual({
          ...{ id: BigInt(readFor), slot: snapshot.slot },
          ...decodeAll(readFor, { ...accounts, [accountType]: account }),
        });
      },
    );

    it.each(bindingsFile.cases)('reads a binding: $name', async ({ solanaAddr, pda, account, outcome, evmAddress }) => {
      await change(pda, account, null);
      const reading = harness.open().bindings!.readBinding(parseAltKey(solanaAddr)!);
      if (outcome === 'unreadable') {
        await expect(reading).rejects.toMatchObject({ kind: 'ChainUnreadable', context: { chain: 'alt' } });
      } else {
        const kind = outcome === 'binding_revoked' ? 'revoked' : outcome === 'not_bound' ? 'not-bound' : outcome;
        const bound = evmAddress !== null && { operator: parseAddress(evmAddress), since: bindingTimeOf(account!) };
        expect(await reading).toStrictEqual({ kind, ...bound });
      }
    });

    it('reads the whole fleet', async () => {
      const { fleet, before, after, slot } = await adapter.machines!.history.readFleet();
      expect(slot).toBeGreaterThan(0);
      expect([before.machineCount, after.machineCount]).toStrictEqual([MACHINE_COUNT, MACHINE_COUNT]);
      expect([fleet.addresses.size, fleet.unattributed, fleet.unreadableByOperator.size]).toStrictEqual([7, 0, 0]);
      const listed = [...fleet.machinesByOperator].map(([operator, machines]) => [operator, machines.map(String)]);
      const expected = Object.entries(snapshotFile.expect.byOperator).map(([operator, ids]) => [
        parseAddress(operator),
        ids,
      ]);
      expect(Object.fromEntries(listed)).toStrictEqual(Object.fromEntries(expected));
    });

    it('counts a fleet row at a wrong address as unreadable', async () => {
      const stray = vectorMachines[0]!.accounts.machine!;
      const address = programOf('router');
      await change(address, { ...stray, address }, null);
      const { fleet } = await adapter.machines!.history.readFleet();
      expect([fleet.addresses.size, fleet.unattributed, [...fleet.unreadableByOperator.values()]]).toStrictEqual([
        8,
        0,
        [1],
      ]);
    });

    it('reads the counts of every event log', async () => {
      const { counts, slot } = await adapter.machines!.history.readEventLogCounts();
      expect(slot).toBeGreaterThan(0);
      const expected = vectorMachines.flatMap(({ machineId, decoded: { machineEventLog: log } }) =>
        log === null
          ? []
          : [[machineId, { count: BigInt(log.count), priorEventCount: BigInt(log.priorEventCount) }] as const],
      );
      expect(Object.fromEntries(counts)).toStrictEqual(Object.fromEntries(expected));
    });

    it('throws ChainUnreadable for counts with an event log at a wrong address', async () => {
      const stray = vectorMachines[0]!.accounts.machineEventLog!;
      const address = programOf('router');
      await change(address, { ...stray, address }, null);
      await expect(adapter.machines!.history.readEventLogCounts()).rejects.toMatchObject({
        context: { chain: 'alt', cause: 'malformed' },
      });
    });

    it('reads an empty history of the programs', async () => {
      const { history } = harness.open().machines!;
      expect(await history.listSignatures('event-registry', undefined)).toStrictEqual([]);
      expect(await history.listSignatures(toId('1'), undefined)).toStrictEqual([]);
      await expect(history.checkGenesis()).resolves.toBeUndefined();
      // A real node advances between the requests.
      const before = await node.readSlots();
      const first = await history.readFirstAvailableSlot();
      const finalized = await history.readSlot();
      const after = await node.readSlots();
      expect(first).toSatisfy((slot: number) => before.first <= slot && slot <= after.first);
      expect(finalized).toSatisfy((slot: number) => before.finalized <= slot && slot <= after.finalized);
    });

    it('finds no problem in the configured deployment', async () => {
      const sound = harness.open({ checksProgramAccounts });
      expect(await sound.checkDeployment()).toStrictEqual([]);
      await expect(sound.machines!.chain.readMachine(toId('1'))).resolves.toMatchObject({ snapshot: { id: 1n } });
    });

    it('names the variables of another deployment and reads nothing of it', async () => {
      const { subscriptionTerminal: subscription, ...programs } = vectorPrograms;
      const other = harness.open({
        ordinal: 6,
        programs: { ...programs, subscription, eventRegistry: parseAltKey('1'.repeat(32))!, infoDesk: undefined },
      });
      await expect(other.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject({
        context: { chain: 'alt', cause: 'wrong-deployment' },
      });
      const singletons = [singletonAccount('registry of another chain'), singletonAccount('config')];
      await change(singletons[0]!.address, singletons[0]!, singletonAccount('registry'));
      await change(singletons[1]!.address, null, singletons[1]!);
      const problems = await harness.open({ checksProgramAccounts }).checkDeployment();
      expect(problems.map(formatDeploymentProblem)).toStrictEqual([
        'ALT_ORDINAL: the machine registry is that of chain 6',
        'ALT_STATE_AND_SYNC_PROGRAM: its singleton is not there',
      ]);
    });

    it('names the variable of another cluster and reads nothing of it', async () => {
      const other = harness.open({ genesisHash: programOf('router') });
      expect((await other.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
        'ALT_GENESIS_HASH: the node serves another chain than the configured one (endpoint 1 serves another cluster)',
        'ALT_RPC_URLS: the chain cannot be read (wrong-chain)',
      ]);
      const wrongChain = { context: { chain: 'alt', cause: 'wrong-chain' } };
      await expect(other.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject(wrongChain);
      await expect(other.machines!.history.checkGenesis()).rejects.toMatchObject(wrongChain);
      await expect(other.bindings!.readBinding(programOf('router'))).rejects.toMatchObject(wrongChain);
    });
  });
}

function decodeAll(machineId: string, accounts: Record<MachineAccountName, VectorAccount | null>): object {
  const types = Object.keys(MACHINE_ACCOUNTS) as MachineAccountName[];
  return Object.fromEntries(
    types.map((type) => [SNAPSHOT_MEMBER[type], MACHINE_ACCOUNTS[type](toReading(accounts[type]), toId(machineId))]),
  );
}
