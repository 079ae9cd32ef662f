/** Commands in front of an alt-chain node that has not reached the minimum context slot yet (-32016). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCannedNode, type CannedNode } from '../../testing/fakes/canned-alt-node.ts';
import { programOf, vectorPrograms } from '../../testing/fixtures/alt-chain-vectors.ts';
import { MAIN } from '../../testing/fixtures/sample-environment.ts';
import { runSvc, startSvc, stopSvc, waitForLine } from '../../testing/harness/run-svc.ts';
import { startRpcProxy, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';

let node: CannedNode;
let main: RpcProxy;
beforeEach(async () => {
  node = await startCannedNode();
  main = await startRpcProxy(() => ({ error: { code: -32601, message: 'method not found' } }));
  let refusals = 2;
  node.responses.set('getMultipleAccounts', ([keys]) => {
    if (refusals-- > 0) return { error: { code: -32016, message: 'Minimum context slot has not been reached' } };
    return { result: { context: { slot: node.slot }, value: (keys as readonly string[]).map(() => null) } };
  });
});
afterEach(async () => {
  await node.close();
  await main.close();
});

const env = () => ({
  DATABASE_URL: 'sqlite::memory:',
  ALT_RPC_URLS: node.proxy.url,
  ALT_GENESIS_HASH: node.genesisHash,
  ALT_MACHINE_REGISTRY_PROGRAM: vectorPrograms.machineRegistry,
  ALT_STATE_AND_SYNC_PROGRAM: vectorPrograms.stateAndSync,
  ALT_SUBSCRIPTION_PROGRAM: vectorPrograms.subscriptionTerminal,
  ALT_EVENT_REGISTRY_PROGRAM: vectorPrograms.eventRegistry,
  ALT_BINDING_PROGRAM: programOf('address_binding'),
});

it('svc doctor waits for the node and reports what it finds', async () => {
  const { code, stdout, stderr } = await runSvc(['doctor'], { env: env() });
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^FAIL +ALT_MACHINE_REGISTRY_PROGRAM/m);
  expect(node.proxy.calls.filter(({ method }) => method === 'getMultipleAccounts').length).toBeGreaterThan(2);
});

it('svc serve waits for the node and listens', async () => {
  const svc = startSvc(['serve', '--lenient'], {
    env: { ...env(), ...MAIN, MAIN_RPC_URLS: main.url, PORT: '0', ADMIN_PORT: '0' },
  });
  await waitForLine(svc, /^listening on/);
  expect(await stopSvc(svc, 'SIGINT')).toBe(0);
});
