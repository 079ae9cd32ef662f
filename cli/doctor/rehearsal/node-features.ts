/**
 * What the service uses where a node has it: times in logs, receipts and blooms that prove, batches, pinning by hash.
 * Without them the service works, but needs more calls or proves less.
 */
import { MULTICALL3_ADDRESS } from '../../../src/adapters/main-chain/reads/multicall.ts';
import { explainCause } from '../../../src/domain/index-rules/index-cause.ts';
import { checkLogsInBloom, watchContracts } from '../../../src/domain/index-rules/block-checks.ts';
import { ZERO_BLOOM } from '../../../src/domain/index-rules/bloom.ts';
import type { ChainLog, Header, MainChainLog } from '../../../src/ports/main-chain.ts';
import { ok, warn, type Finding } from '../check-result.ts';
import { toCauseFinding } from './cause-finding.ts';
import type { RawNode } from './raw-node.ts';

/** Sizes of batches to try; some nodes accept fewer than ten calls. */
const BATCH_SIZES = [10, 2];
const SUBJECT = 'node';

export interface FeatureOptions {
  readonly chain: MainChainLog;
  readonly node: RawNode;
  readonly finalized: Header;
  /** A log of the contracts; undefined where none was found. */
  readonly sample: ChainLog | undefined;
  readonly multicall3: string | undefined;
  /** Whether only receipts that match their headers are accepted (`INDEX_PROOF=before`). */
  readonly requiresReceipts: boolean;
}

const UNEXAMINED = warn(
  SUBJECT,
  'no log of the contracts was found in the ranges read, so times, blooms and receipts were not examined',
  'run svc doctor again once the newest blocks hold logs of the contracts',
);

/** Returns a finding for each thing that the node lacks, or one that it lacks nothing. */
export async function examineFeatures(options: FeatureOptions): Promise<Finding[]> {
  const { chain, node, finalized, sample, multicall3 = MULTICALL3_ADDRESS } = options;
  const findings = sample === undefined ? [UNEXAMINED] : await examineSample(options, sample);
  if (!(await answersBatch(node))) {
    findings.push(toCauseFinding(explainCause({ kind: 'batches-missing' })));
  }
  const at = `0x${finalized.number.toString(16)}`;
  const code = await node.call('eth_getCode', multicall3, at);
  if (!code.ok || code.result === '0x') {
    findings.push(toCauseFinding(explainCause({ kind: 'multicall-missing' })));
  }
  const pinned = await node.call('eth_getCode', chain.addresses[0], { blockHash: finalized.hash });
  if (!pinned.ok) {
    const remedy =
      'nothing to do; reads are pinned by number, and proven by number, time and parent hash in the same call, ' +
      'or without Multicall3 by the hash before and after';
    findings.push(warn(SUBJECT, 'serves no calls at a block hash (EIP-1898)', remedy));
  }
  return findings.length > 0 ? findings : [ok(SUBJECT, 'serves everything that saves calls and proves logs')];
}

async function examineSample(options: FeatureOptions, sample: ChainLog): Promise<Finding[]> {
  const { chain, requiresReceipts } = options;
  const findings: Finding[] = [];
  if (sample.blockTimestamp === undefined) findings.push(toCauseFinding(explainCause({ kind: 'log-times-missing' })));
  const header = await chain.readHeader(sample.blockNumber);
  if (header.logsBloom === ZERO_BLOOM || !isInBloom(chain, header, sample)) {
    const remedy = 'nothing to do; blooms are not used for this node, so the proof takes more calls';
    findings.push(warn(SUBJECT, 'the bloom of a block does not contain its logs', remedy));
  }
  const isProven = await chain.readProvenLogs([header], () => undefined).catch(() => false);
  if (isProven) return findings;
  if (requiresReceipts && chain.servesReceipts)
    return [...findings, toCauseFinding(explainCause({ kind: 'receipts-unproven' }))];
  const text = chain.servesReceipts ? 'receipts do not match the receipts root' : 'serves no receipts by block';
  const remedy = 'logs are compared by hash and with other nodes instead; add a second node, or one with receipts';
  return [...findings, warn(SUBJECT, text, remedy)];
}

function isInBloom(chain: MainChainLog, header: Header, log: ChainLog): boolean {
  try {
    checkLogsInBloom(watchContracts(chain.addresses), header, [log]);
    return true;
  } catch {
    return false;
  }
}

async function answersBatch(node: RawNode): Promise<boolean> {
  for (const length of BATCH_SIZES) {
    if (await node.answersBatch(Array.from({ length }, () => ({ method: 'eth_chainId', params: [] })))) return true;
  }
  return false;
}
