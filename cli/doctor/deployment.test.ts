/** Deployment checks of `svc doctor` at nodes that refuse calls, for a moment or longer, or serve another chain. */
import { expect, it, onTestFinished } from 'vitest';
import type { DeploymentProblem } from '../../src/adapters/rpc/deployment-problem.ts';
import type { UnreadableCause } from '../../src/domain/faults.ts';
import { explainCause, type PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { findCauseOfUnreadable } from '../../src/indexing/main/cause-of-failure.ts';
import { startCannedNode } from '../../testing/fakes/canned-alt-node.ts';
import { programOf } from '../../testing/fixtures/alt-chain-vectors.ts';
import { MAIN, read } from '../../testing/fixtures/sample-environment.ts';
import { PROXY_KEY, startRpcProxy } from '../../testing/harness/rpc-proxy.ts';
import { examineAltChain } from './alt-chain.ts';
import { formatFinding, type Finding } from './check-result.ts';
import { checkDeployment, toDeploymentFindings } from './deployment.ts';
import { examineMainChain } from './main-chain.ts';

const UNREACHABLE: DeploymentProblem = { kind: 'unreachable', variable: 'ALT_RPC_URLS', endpoint: 1 };
const WRONG: DeploymentProblem = { kind: 'missing-code', variable: 'INFO_DESK_ADDRESS' };

function answering(...results: readonly (readonly DeploymentProblem[])[]) {
  let checks = 0;
  return {
    checkDeployment: async () => results[Math.min(checks++, results.length - 1)]!,
    checks: () => checks,
  };
}

it.each([
  ['passes when the node responds the second time', [[UNREACHABLE], []], [], 2],
  ['reports a node that does not respond after four attempts', [[UNREACHABLE]], [UNREACHABLE], 4],
  ['reports a contradiction at once', [[WRONG]], [WRONG], 1],
])('%s', async (_, results, problems, checks) => {
  const adapter = answering(...results);
  expect([await checkDeployment(adapter), adapter.checks()]).toEqual([problems, checks]);
});

/** Names the findings of the main chain in front of these nodes. */
function describeMain(rpcUrls: readonly string[], ...problems: readonly DeploymentProblem[]): Promise<Finding[]> {
  const checked = {
    subject: 'main chain',
    checked: 'code',
    variable: 'MAIN_RPC_URLS',
    rpcUrls,
    callsPerSecond: undefined,
    calls: [{ method: 'eth_getCode', params: [] }],
    findCause: (cause: UnreadableCause) => findCauseOfUnreadable(cause, 'state'),
  };
  return toDeploymentFindings(checked, problems);
}

function toFailure(kind: PlainIndexCause): Finding {
  const { subject, text, remedy } = explainCause({ kind });
  return { state: 'fail', subject, text, remedy };
}

const WRONG_CHAIN = { kind: 'wrong-chain', variable: 'MAIN_CHAIN_ID', endpoint: 2, serves: 'chain 5' } as const;
const URLS = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
const LIMITED = { kind: 'unreachable', variable: 'MAIN_RPC_URLS', endpoint: 1 } as const;

it.each(['rate-limited', 'calls-used-up'] as const)('names the limit of a node once: %s', async (cause) => {
  const unreadable = { kind: 'unreadable', variable: 'MAIN_RPC_URLS', cause } as const;
  const one = await describeMain(URLS.slice(1), { ...LIMITED, cause }, unreadable);
  expect(one).toEqual([toFailure(cause)]);
  const first = await describeMain(URLS, { ...LIMITED, cause });
  expect(first).toEqual([{ ...toFailure(cause), text: `${toFailure(cause).text} (endpoint 1)` }]);
});

it('names the URL of a node that serves another chain while another one serves the configured chain', async () => {
  expect(await describeMain(URLS, WRONG_CHAIN)).toEqual([
    {
      state: 'fail',
      subject: 'MAIN_RPC_URLS',
      text: 'endpoint 2 serves chain 5; endpoint 1 serves the configured chain',
      remedy: 'correct or remove the URL of endpoint 2',
    },
  ]);
});

it('names the chain id where no node is known to serve the configured chain', async () => {
  const limited = { ...LIMITED, cause: 'rate-limited' } as const;
  const findings = await describeMain(URLS, limited, WRONG_CHAIN);
  const { text } = toFailure('wrong-chain');
  expect(findings[1]).toEqual({ ...toFailure('wrong-chain'), text: `${text} (endpoint 2 serves chain 5)` });
});

it('has the sentence of the cause where no node responds, beside a line per node', async () => {
  const findings = await describeMain(URLS, ...URLS.map((_, i) => ({ ...LIMITED, endpoint: i + 1 })), {
    kind: 'unreadable',
    variable: 'MAIN_RPC_URLS',
    cause: 'transport',
  });
  const lines = findings.map(({ state, subject, text }) => ({ state, subject, text }));
  const { subject, text } = explainCause({ kind: 'node-unreachable' });
  expect(lines).toEqual([
    ...[1, 2].map((i) => ({ state: 'unreachable', subject, text: `endpoint ${i} does not respond` })),
    { state: 'unreachable', subject, text },
  ]);
});

it('names the URL of a node of another cluster', async () => {
  const [other, sound] = await Promise.all([startCannedNode(), startCannedNode()]);
  onTestFinished(() => Promise.all([other.close(), sound.close()]).then(() => undefined));
  other.responses.set('getGenesisHash', () => ({ result: '1'.repeat(32) }));
  const { config } = read({
    ALT_RPC_URLS: `${other.proxy.url},${sound.proxy.url}`,
    ALT_GENESIS_HASH: sound.genesisHash,
    ALT_BINDING_PROGRAM: programOf('address_binding'),
  });
  expect(await examineAltChain(config.altChain, Date.now)).toEqual([
    {
      state: 'fail',
      subject: 'ALT_RPC_URLS',
      text: 'endpoint 1 serves another cluster; endpoint 2 serves the configured chain',
      remedy: 'correct or remove the URL of endpoint 1',
    },
  ]);
});

it('fails for a node of the alt chain whose newest block is old', async () => {
  const node = await startCannedNode();
  onTestFinished(() => node.close());
  node.responses.set('getBlockTime', () => ({ result: Math.floor(Date.now() / 1000) - 3_600 }));
  const { config } = read({
    ALT_RPC_URLS: node.proxy.url,
    ALT_GENESIS_HASH: node.genesisHash,
    ALT_BINDING_PROGRAM: programOf('address_binding'),
  });
  const { text, remedy } = explainCause({ kind: 'alt-node-behind' });
  expect(await examineAltChain(config.altChain, Date.now)).toMatchObject([{ state: 'fail', text, remedy }]);
});

it('prints the text with which a node refuses calls', async () => {
  const node = await startRpcProxy(({ method }) =>
    method === 'eth_chainId'
      ? { result: '0x7a69' }
      : { error: { code: -32_601, message: `no method at /${PROXY_KEY}` } },
  );
  onTestFinished(() => node.close());
  const { config } = read({ ...MAIN, MAIN_RPC_URLS: node.url });
  const texts = (await examineMainChain(config.mainChain, Date.now)).map(formatFinding);
  expect(texts).toEqual([
    expect.stringMatching(/cannot read the contracts at the finalized block \(the node: no method at \/…\)/),
    expect.stringMatching(
      /^warn {2}ADMIN_FLAGS_ADDRESS: not set: a flagged machine is rated as if it were not; fixed once blocks are indexed; set it /,
    ),
    expect.stringMatching(
      /^warn {2}ATTESTATION_REGISTRY_ADDRESS: not set: no machine is verified; fixed once blocks are indexed; set it /,
    ),
    expect.stringMatching(/refuses calls that the index needs \(the node: no method at \/…\); name another node/),
  ]);
});
