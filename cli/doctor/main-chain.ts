/**
 * Checks of the main chain: chain id, contract code and peer addresses as at the start of the service, then the clock, the
 * distance to finality and a rehearsal of the first start.
 */
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import type { Config } from '../../src/config.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { explainCause, type PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { MAX_LAG_BLOCKS } from '../../src/domain/index-rules/index-freshness.ts';
import type { IndexProof } from '../../src/domain/index-rules/index-proof.ts';
import type { DeploymentProblem } from '../../src/adapters/rpc/deployment-problem.ts';
import { findCauseOfUnreadable } from '../../src/indexing/main/cause-of-failure.ts';
import type { Header } from '../../src/ports/main-chain.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import { ok, warn, type Finding } from './check-result.ts';
import { examineClock } from './clock.ts';
import { SILENT_LOG } from '../../src/ports/runtime.ts';
import { checkDeployment, failedEndpoints, toDeploymentFindings } from './deployment.ts';
import { findMalformedNodes } from './malformed-nodes.ts';
import { readPatiently } from './patient-read.ts';
import { toCauseFinding } from './rehearsal/cause-finding.ts';
import type { RawCall } from './rehearsal/raw-node.ts';
import { readRefusalText, type RefusalOptions } from './rehearsal/refusal-text.ts';
import { rehearseFirstStart } from './rehearsal/rehearse.ts';

/** The counter responds for every id. */
const ANY_MACHINE = 1n as MachineId;

/** Returns one finding per check. `keepProfiles` receives what was learned about the nodes. */
export async function examineMainChain(
  settings: Config['mainChain'],
  nowMilliseconds: () => number,
  proof: IndexProof = 'background',
  keepProfiles: (profiles: NodeProfiles) => void = () => undefined,
): Promise<Finding[]> {
  if (settings === undefined) {
    const remedy = 'set the six contract addresses, MAIN_RPC_URLS and MAIN_CHAIN_ID';
    return [warn('main chain', 'not configured; requests that need it return 503', remedy)];
  }
  const adapter = createMainChain(settings, { clock: { nowMilliseconds }, log: SILENT_LOG });
  try {
    const problems = await checkDeployment(adapter);
    const findings = [
      ...(await toDeploymentFindings(
        {
          subject: 'main chain',
          checked: 'chain id, code and peers',
          variable: 'MAIN_RPC_URLS',
          rpcUrls: settings.rpcUrls,
          callsPerSecond: settings.callsPerSecond,
          calls: [readBlock('latest'), { method: 'eth_getCode', params: [settings.addresses.infoDesk, 'latest'] }],
          findCause: (cause) => findCauseOfUnreadable(cause, 'state'),
        },
        problems,
      )),
      ...examineHosts(settings, problems),
      ...(await examineChipCounter(adapter, settings)),
      ...examineOptionalContracts(settings),
    ];
    const nodeUrl = settings.rpcUrls.find((_, i) => !failedEndpoints(problems).has(i + 1));
    const refusing = { nodeUrl: nodeUrl ?? settings.rpcUrls[0]!, callsPerSecond: settings.callsPerSecond };
    const latest = await readHeader(adapter, 'latest');
    if ('cause' in latest) return [...findings, ...(await explainUnread(latest, findings, refusing))];
    const finalized = await readHeader(adapter, 'finalized');
    if ('cause' in finalized) return [...findings, ...(await explainUnread(finalized, findings, refusing))];
    findings.push(examineClock(nowMilliseconds(), latest.header.timestamp));
    findings.push(examineFinality(latest.header.number - finalized.header.number));
    const malformed = await findMalformedNodes(
      settings,
      finalized.header.number,
      nowMilliseconds,
      failedEndpoints(problems),
    );
    if (malformed.length > 0)
      findings.push(toCauseFinding(explainCause({ kind: 'node-answers-malformed', nodes: malformed })));
    if (nodeUrl === undefined || problems.some(({ kind }) => kind !== 'unreachable' && kind !== 'outvoted'))
      return findings;
    const rehearsal = { settings, adapter, proof, finalized: finalized.header, nodeUrl };
    return [...findings, ...(await rehearseFirstStart(rehearsal))];
  } finally {
    keepProfiles(adapter.listProfiles());
    await adapter.close();
  }
}

/** Returns nothing without an AttestationRegistry, or when it cannot be read. */
export async function examineChipCounter(
  { chain }: MainChainAdapter,
  { addresses }: NonNullable<Config['mainChain']>,
): Promise<Finding[]> {
  if (addresses.attestationRegistry === undefined) return [];
  const variable = 'ATTESTATION_REGISTRY_ADDRESS';
  try {
    const { chipLogCount } = (await chain.readMachineUncached(ANY_MACHINE)).snapshot;
    if (chipLogCount.state === 'unreadable') return [];
    if (chipLogCount.state === 'present') return [ok(variable, 'counts the logs of chip records')];
    const text = 'does not respond to chipLogCount(uint256), so a withheld log of a chip record is not detected';
    return [warn(variable, text, 'deploy the current AttestationRegistry')];
  } catch {
    return [];
  }
}

const SET_NOW = 'set it before the first start if the deployment has this contract';

/** Warns of contracts that are not set: none of them can be added later without another index. */
function examineOptionalContracts({ addresses }: NonNullable<Config['mainChain']>): Finding[] {
  const { adminFlags, attestationRegistry } = addresses;
  const unset = (variable: string, effect: string) =>
    warn(variable, `not set: ${effect}; fixed once blocks are indexed`, SET_NOW);
  return [
    ...(adminFlags === undefined ? [unset('ADMIN_FLAGS_ADDRESS', 'a flagged machine is rated as if it were not')] : []),
    ...(attestationRegistry === undefined ? [unset('ATTESTATION_REGISTRY_ADDRESS', 'no machine is verified')] : []),
  ];
}

type HeaderTag = 'latest' | 'finalized';

interface UnreadHeader {
  readonly cause: PlainIndexCause;
  readonly tag: HeaderTag;
}

async function readHeader(
  adapter: MainChainAdapter,
  tag: HeaderTag,
): Promise<{ readonly header: Header } | UnreadHeader> {
  const outcome = await readPatiently(() => adapter.log.readHeader(tag), tag === 'finalized' ? tag : 'header');
  return 'value' in outcome ? { header: outcome.value } : { ...outcome, tag };
}

/** Returns nothing where the deployment checks failed for the same cause. */
async function explainUnread(
  { cause, tag }: UnreadHeader,
  earlier: readonly Finding[],
  node: Omit<RefusalOptions, 'calls'>,
): Promise<Finding[]> {
  const explained = explainCause({ kind: cause });
  if (earlier.some(({ text }) => text.startsWith(explained.text))) return [];
  return [toCauseFinding(explained, await readRefusalText(cause, { ...node, calls: [readBlock(tag)] }))];
}

const readBlock = (tag: HeaderTag): RawCall => ({ method: 'eth_getBlockByNumber', params: [tag, false] });

/** Counts the hosts whose nodes respond and serve the configured chain, where several must agree. */
function examineHosts(
  { quorum, rpcHosts }: NonNullable<Config['mainChain']>,
  problems: readonly DeploymentProblem[],
): Finding[] {
  const failed = failedEndpoints(problems);
  const hosts = new Set(rpcHosts.filter((_, i) => !failed.has(i + 1))).size;
  return quorum === 1 || hosts >= quorum
    ? []
    : [toCauseFinding(explainCause({ kind: 'hosts-missing', hosts, quorum }))];
}

function examineFinality(gapBlocks: number): Finding {
  return gapBlocks > MAX_LAG_BLOCKS
    ? toCauseFinding(explainCause({ kind: 'finality-distant', gapBlocks }))
    : ok('finality', `${gapBlocks} blocks behind the latest block`);
}
