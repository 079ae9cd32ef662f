/**
 * A node that lies about owner, controller, flags and attestations, among several nodes of which two must agree
 * (`MAIN_RPC_QUORUM`, real-chains 5). The lies are consistent: every check of one node alone passes.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { toFunctionSelector, type Hex } from 'viem';
import { readConfig } from '../../../src/config.ts';
import { startService, type Service } from '../../../src/main.ts';
import type { Address, MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import { prepareDecision } from '../../../src/domain/monetization/prepared-decision.ts';
import { changeInner, startRpcProxy, type RpcFault, type RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const { machines, mainChain } = inject('fixtures');
const baseUrl = inject('baseUrl');

const STRANGER = createMainChainKey(Buffer.alloc(32, 7));
const CONCURRENT = 20;
/** The campaign of issue 16 sends 1,000. */
const DECISIONS = Number(process.env['QUORUM_DECISIONS'] ?? '100');

const word = (hex: string): string => hex.padStart(64, '0');
const STRANGER_WORD = word(STRANGER.address.slice(2).toLowerCase());

/** What the liar returns instead of the true results, by function. */
const LIES: Readonly<Record<Hex, (truth: Hex) => Hex>> = {
  [toFunctionSelector('ownerOf(uint256)')]: () => `0x${STRANGER_WORD}`,
  [toFunctionSelector('controllerOf(uint256)')]: () => `0x${STRANGER_WORD}`,
  [toFunctionSelector('flagsOf(uint256)')]: () => `0x${word('0').repeat(3)}`,
  // The operator stays; both attestations are of the same form as the truth, with all bits of their times set to zero.
  [toFunctionSelector('recordsOf(uint256)')]: (truth) => `${truth.slice(0, 66)}${'0'.repeat(truth.length - 66)}` as Hex,
};

function lie(): RpcFault {
  const inner = changeInner((result, { callData }) => {
    const lieOf = LIES[callData.slice(0, 10) as Hex];
    return lieOf === undefined || !result.success ? result : { success: true, returnData: lieOf(result.returnData) };
  });
  if (inner.kind !== 'answer') throw new TypeError('the fault changes responses');
  return {
    kind: 'answer',
    change(response, call) {
      const isAggregate = (call.params as [{ readonly data?: string }?])[0]?.data?.startsWith('0x82ad56cb') === true;
      return isAggregate ? inner.change(response, call) : response;
    },
  };
}

interface Deployment {
  readonly service: Service;
  readonly nodes: readonly RpcProxy[];
  readonly warnings: string[];
}

/** Starts a service whose node at position `liar` lies; two nodes must agree. */
async function startWithLiar(nodeCount: number, liar: number): Promise<Deployment> {
  const nodes = await Promise.all(Array.from({ length: nodeCount }, () => startRpcProxy(mainChain.rpcUrl)));
  nodes[liar]!.inject(lie());
  const variables = { ...inject('devnetEnv'), DATABASE_URL: 'sqlite::memory:', PORT: '0', ADMIN_PORT: '0' };
  const { config } = readConfig({ ...variables, RATE_LIMITS: 'off' }, { readFile: () => '' });
  const rpcUrls = nodes.map(({ url }) => url);
  const rpcHosts = nodes.map((_, i) => `host-${i}.example`);
  const warnings: string[] = [];
  const record = (fields: object, message: string) => void warnings.push(JSON.stringify({ ...fields, message }));
  const log = { info: () => undefined, warn: record, error: record };
  const quorum = { ...config, mainChain: { ...config.mainChain!, rpcUrls, rpcHosts, quorum: 2 } };
  const service = await startService(quorum, { log });
  return { service, nodes, warnings };
}

async function close({ service, nodes }: Deployment): Promise<void> {
  await service.close();
  await Promise.all(nodes.map((node) => node.close()));
}

const NAMES = ['rated-aaa', 'with-controller', 'flagged', 'verified', 'chip-revoked', 'trust-override'] as const;

/** Reads of a machine whose responses depend on what the liar lies about, with the members that no clock changes. */
async function readMachine(url: string, name: string): Promise<unknown> {
  const { id, did } = findMachine(machines, name);
  const [mcr, profile, record] = await Promise.all(
    [`/mcr/${did}`, `/machine/${did}`, `/v1/verify/machines/${id}`].map(async (path) => {
      const { status, text } = await fetchChecked(url + path);
      return { status, body: JSON.parse(text) as Record<string, unknown> };
    }),
  );
  const { owner, controller } = profile!.body;
  const { mcr: letter, negative_flag: flag } = mcr!.body;
  return { statuses: [mcr, profile, record].map((read) => read!.status), owner, controller, letter, flag, record };
}

function signAsStranger(id: string, timestamp: number): string {
  const decision = { machineId: BigInt(id) as MachineId, optedIn: true, timestamp };
  const registry = mainChain.addresses['machineRegistry'].toLowerCase() as Address;
  const deployment = { chainId: String(mainChain.chainId), registry };
  const { message } = prepareDecision(decision, { chain: 'main' }, deployment, DEFAULT_NAMESPACE);
  return JSON.stringify({ opted_in: true, timestamp, signature: STRANGER.sign(message) });
}

async function decideAsStranger(url: string, name: string): Promise<number> {
  const { id, did } = findMachine(machines, name);
  const body = signAsStranger(id, Math.floor(Date.now() / 1000));
  return (await fetchChecked(`${url}/machine/${did}/monetization`, { method: 'PUT', body })).status;
}

describe.each([0, 1, 2])('with three nodes of which number %i lies', (liar) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startWithLiar(3, liar);
    await deployment.service.indexed;
  });
  afterAll(() => close(deployment));

  it.each(NAMES)('reads of %s are those of an honest node', async (name) => {
    rule('security.quorum');
    expect(await readMachine(deployment.service.url, name)).toEqual(await readMachine(baseUrl, name));
  });

  it('decisions of a stranger are refused', async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < DECISIONS; sent += CONCURRENT) {
      const names = Array.from({ length: CONCURRENT }, (_, i) => NAMES[i % NAMES.length]!);
      statuses.push(...(await Promise.all(names.map((name) => decideAsStranger(deployment.service.url, name)))));
    }
    expect(statuses.filter((status) => status !== 403)).toEqual([]);
  });

  // Two agreeing nodes leave the last one unasked. An honest node is named too if a block is mined between two polls.
  if (liar < 2) {
    it('the liar is named in the log', () => {
      const named = deployment.warnings.filter((line) => line.includes('differs from that of the others'));
      expect(named).toContainEqual(expect.stringContaining(`"endpoint":${liar + 1}`));
    });
  }
});

describe('with two nodes of which one lies', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startWithLiar(2, 0);
  });
  afterAll(() => close(deployment));

  it('machines are unreadable instead of wrong', async () => {
    const { id, did } = findMachine(machines, 'with-controller');
    const paths = [`/mcr/${did}`, `/machine/${did}`, `/v1/verify/machines/${id}`];
    const statuses = await Promise.all(
      paths.map(async (path) => (await fetchChecked(deployment.service.url + path)).status),
    );
    expect(statuses).toEqual([503, 503, 503]);
    expect(await decideAsStranger(deployment.service.url, 'with-controller')).toBe(503);
  });
});
