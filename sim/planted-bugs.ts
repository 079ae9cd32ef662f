/**
 * Planted bugs that the simulation must detect, each a plausible mistake in one line of `src/`. A test fails when a line
 * is missing from its file, so that the list follows the code. Checks that back each other up are not listed: without one
 * of them every response is still true, and only that check's own tests detect its absence.
 */
import type { IndexProof } from '../src/domain/index-rules/index-proof.ts';

export interface PlantedBug {
  readonly name: string;
  /** Path relative to `src/`. */
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
  /** Mode of the proof in which the bug shows; `background` where it is not given. */
  readonly indexProof?: IndexProof;
  /** Matches the failure that the simulation must report; any other failure does not count. */
  readonly symptom: RegExp;
  /** A seed that detects the bug. When it stops doing so, `node sim/planted.ts` prints another. */
  readonly seed: number;
  /** One of the seeds from 1 to this number detects the bug. */
  readonly within: number;
}

const FALSE_RESPONSE = /: not what block \d+ says$/;
const FALSE_ALT_RESPONSE = /: not what block \d+ and the slots [\d, ]* say$/;
const FALSE_LISTING = /\/machines: not what was held at block \d+$/;
const OUTDATED_RESPONSE = /: true at block \d+, but every block received since says otherwise$/;

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'accepts receipts that do not hash to the root in the header',
    file: 'adapters/main-chain/receipts/block-receipts.ts',
    line: 'if (receipts.root !== header.receiptsRoot) return undefined;',
    replacement: '',
    indexProof: 'before',
    // Counters keep what a forged log hides out of every response, so that it shows as a machine that stays unavailable.
    symptom: /^15 minutes after all faults: mcr .*Chain unavailable/,
    seed: 19,
    within: 100,
  },
  {
    name: 'accepts new blocks without proof that their logs are complete',
    file: 'indexing/main/block-reader.ts',
    line: 'return !isProvenEmpty(header, blockLogs);',
    replacement: 'return false;',
    symptom: OUTDATED_RESPONSE,
    seed: 24,
    within: 100,
  },
  {
    name: 'accepts a fleet snapshot with missing rows',
    file: 'domain/alt-chain/alt-fleet.ts',
    line: "return countBefore === BigInt(rowCount) ? 'whole' : 'incomplete';",
    replacement: "return 'whole';",
    symptom: FALSE_LISTING,
    seed: 6,
    within: 100,
  },
  {
    name: 'accepts logs once every contract in the bloom has one',
    file: 'indexing/main/block-reader.ts',
    line: 'return logs.length === 0 && findContractsMissingLogs(contracts, header, logs).length === 0;',
    replacement: 'return findContractsMissingLogs(contracts, header, logs).length === 0;',
    symptom: /^15 minutes after all faults: .*Event index is syncing/,
    seed: 353,
    within: 1200,
  },
  {
    name: 'stores a checkpoint and its logs in separate transactions',
    file: 'adapters/sql/main-chain/main-chain-index.ts',
    line: 'ownership, unproven, touched) =>\n      database.exclusive(',
    replacement: 'ownership, unproven, touched) =>\n      database.run(',
    indexProof: 'before',
    symptom: FALSE_LISTING,
    seed: 140,
    within: 150,
  },
  {
    name: 'accepts the next block as a child of the head without checking its parent',
    file: 'indexing/head/head-follower.ts',
    line: 'if (headers[0]!.parentHash !== base.blockHash) return undefined;',
    replacement: '',
    symptom: FALSE_RESPONSE,
    seed: 8,
    within: 100,
  },
  {
    name: 'serves cached snapshots that a log has invalidated',
    file: 'adapters/main-chain/cache/machine-snapshots.ts',
    line: 'for (const id of touched.machines) {',
    replacement: 'for (const id of [...touched.machines].slice(1)) {',
    symptom: OUTDATED_RESPONSE,
    seed: 2,
    within: 100,
  },
  {
    name: 'serves cached snapshots after the head jumps',
    file: 'adapters/main-chain/cache/head-tracker.ts',
    line: 'if (!isSameBlock && !isNextStep) onJump();',
    replacement: '',
    // A snapshot of an abandoned fork is false at the block that it names.
    symptom: FALSE_RESPONSE,
    seed: 2,
    within: 150,
  },
  {
    name: 'indexes up to the newest block instead of the finalized one',
    file: 'indexing/main/main-chain-index.ts',
    line: "source.chain.readHeader('finalized'),",
    replacement: "source.chain.readHeader('latest'),",
    symptom: /^15 minutes after all faults: the listing returns 200/,
    seed: 67,
    within: 300,
  },
  {
    name: 'stores a window that does not follow the checkpoint',
    file: 'indexing/main/main-chain-index.ts',
    line: 'window.parentHash !== checkpoint.blockHash',
    replacement: 'window.parentHash === undefined',
    symptom: /^15 minutes after all faults: .*Chain unavailable/,
    seed: 92,
    within: 100,
  },
  {
    name: 'accepts an aggregate of another block',
    file: 'adapters/main-chain/reads/multicall.ts',
    line: "if (valueOf(timestamp, getCurrentBlockTimestamp) !== BigInt(block.timestamp)) return 'other-block';",
    replacement: 'if (own.length > 0) return own;',
    symptom: FALSE_RESPONSE,
    seed: 1,
    within: 100,
  },
  {
    name: 'takes what it learned about a node as data: calls by hash of a node that may ignore hashes',
    file: 'adapters/main-chain/reads/multicall.ts',
    line: 'if (isExact) return own;',
    replacement: 'if (results !== undefined) return own;',
    symptom: FALSE_RESPONSE,
    seed: 293,
    within: 300,
  },
  {
    name: 'lets the index ignore its share of the call budget',
    file: 'adapters/rpc/call-queues.ts',
    line: 'if (this.#index.length > 0) return takeFrom(this.#index, freeOfHead, limitOfHead);',
    replacement: 'if (this.#index.length > 0) return takeFrom(this.#index, limit, limit);',
    symptom: /^\d+ calls in one second instead of \d+ at most$/,
    seed: 4,
    within: 100,
  },
  {
    name: 'sends a request again without a turn after its connection was lost',
    file: 'adapters/rpc/node-pool.ts',
    line: 'const turn = isRepeated ? budget.admit(methods.length, deadline) : undefined;',
    replacement: 'const turn = isRepeated ? undefined : undefined;',
    symptom: /^\d+ calls were sent, and only \d+ had a turn$/,
    seed: 8,
    within: 20,
  },
  {
    name: 'forgets dormancy',
    file: 'domain/rating/rating.ts',
    line: 'const awakeHundredths = sumHundredths - dormancy.lostHundredths;',
    replacement: 'const awakeHundredths = sumHundredths;',
    symptom: FALSE_RESPONSE,
    seed: 1,
    within: 100,
  },
  {
    name: 'takes every operator for verified',
    file: 'actions/machine-rating.ts',
    line: "return provenance.isAccepted && judgeVerifyStatus(records?.kyb, now) === 'verified';",
    replacement: 'return provenance.isAccepted || records !== undefined || now > 0;',
    symptom: FALSE_RESPONSE,
    seed: 1,
    within: 100,
  },
  {
    name: 'counts declared activity as attested',
    file: 'domain/rating/rating-state.ts',
    line: "const evidence: EvidenceClass = attested ? 'attested' : 'declared';",
    replacement: "const evidence: EvidenceClass = attested ? 'declared' : 'attested';",
    symptom: FALSE_RESPONSE,
    seed: 1,
    within: 100,
  },
  {
    name: 'misses a change of hands',
    file: 'domain/machine/provenance.ts',
    line: 'if (owner === undefined || owner === before.owner) return before;',
    replacement:
      'if (owner === undefined || owner === before.owner || before.owner !== undefined) return { ...before, owner };',
    symptom: FALSE_RESPONSE,
    seed: 1,
    within: 100,
  },
  {
    name: 'keeps a revoked chip on record',
    file: 'domain/machine/provenance.ts',
    line: 'return { ...before, chipExpiresAt: undefined };',
    replacement: 'return before;',
    symptom: FALSE_RESPONSE,
    seed: 20,
    within: 100,
  },
  {
    name: 'counts an event as attested after its chip record expired',
    file: 'domain/machine/provenance.ts',
    line: 'chipExpiresAt !== undefined && (chipExpiresAt === 0n || chipExpiresAt > blockTimestamp);',
    replacement: 'chipExpiresAt !== undefined && (chipExpiresAt >= 0n || blockTimestamp > 0);',
    symptom: FALSE_RESPONSE,
    seed: 20,
    within: 120,
  },
  {
    name: 'takes a controller of the transfer itself as the acceptance of the new owner',
    file: 'domain/machine/provenance.ts',
    line: 'return before.isAccepted || log.transactionHash === before.changeOfHands?.transactionHash',
    replacement: 'return before.isAccepted',
    symptom: FALSE_RESPONSE,
    seed: 184,
    within: 200,
  },
  {
    name: 'anchors a machine whose new owner has not accepted the operator',
    file: 'actions/machine-rating.ts',
    line: "return provenance.isAccepted && judgeVerifyStatus(records?.kyb, now) === 'verified';",
    replacement: "return judgeVerifyStatus(records?.kyb, now) === 'verified' && provenance !== undefined;",
    symptom: FALSE_RESPONSE,
    seed: 28,
    within: 100,
  },
  {
    name: 'serves cached ratings after the identity of their operator was revoked',
    file: 'adapters/main-chain/cache/machine-snapshots.ts',
    line: 'if (touched.kybOperators.size === 0) return;',
    replacement: 'if (touched.kybOperators.size >= 0) return;',
    symptom: OUTDATED_RESPONSE,
    seed: 52,
    within: 120,
  },
  {
    name: 'serves a cached snapshot past a boundary of its subscription',
    file: 'adapters/main-chain/cache/machine-snapshots.ts',
    line: 'if (isExpired || isPastBoundary) {',
    replacement: 'if (isExpired) {',
    symptom: OUTDATED_RESPONSE,
    seed: 273,
    within: 500,
  },
  {
    name: 'rates an alt-chain machine from indexed events without comparing the count of its log account',
    file: 'indexing/alt/event-history.ts',
    line: 'const isComplete = isConsistent && matchesSlot(stored.events, count, snapshot.slot);',
    replacement:
      'const isComplete = true; if (isComplete) return { isComplete, state, tail: known.map(toRatingEvent) };',
    symptom: FALSE_ALT_RESPONSE,
    seed: 3,
    within: 100,
  },
  {
    name: 'treats an unreadable alt-chain account as absent',
    file: 'domain/read-result.ts',
    line: "if (result.state === 'unreadable') throw chainUnreadable(chain, result.cause);",
    replacement: "if (result.state === 'unreadable' && chain === 'main') throw chainUnreadable(chain, result.cause);",
    symptom: /: a 404 although no two received states lack the machine$/,
    seed: 45,
    within: 200,
  },
  {
    name: 'lists the tokens of an address without comparing their number with its balance',
    file: 'indexing/main/index-counters.ts',
    line: 'if (await isEqualAtCheckpoint(owner, tokens)) return;',
    replacement: 'return;',
    indexProof: 'off',
    symptom: FALSE_LISTING,
    seed: 23,
    within: 100,
  },
  {
    name: 'serves a listing once its repair has started, without comparing again',
    file: 'indexing/main/index-counters.ts',
    line: "throw new Fault('OwnershipIndexRepairing', {});",
    replacement: '',
    indexProof: 'off',
    symptom: FALSE_LISTING,
    seed: 23,
    within: 100,
  },
  {
    name: 'accepts an alt-chain response of an older slot than it has seen',
    file: 'adapters/alt-chain/rpc/alt-nodes.ts',
    line: "if (slot < seen) throw new RpcFailure('block-mismatch', 'behind');",
    replacement: '',
    symptom: FALSE_ALT_RESPONSE,
    seed: 54,
    within: 180,
  },
  {
    name: 'judges a payment by the clock, before its source has finalized the window',
    file: 'indexing/payments/payment-worker.ts',
    line: 'const head = targets.get(source.name) ?? (await source.readFinalizedHead());',
    replacement: 'const head = { ...(await source.readFinalizedHead()), time: nowSeconds(clock) };',
    symptom: /^verdict \w+ on event .*: the source is not final past its window$/,
    seed: 47,
    within: 100,
  },
  {
    name: 'reads an omitted receipt as absent while another node of the source does not answer',
    file: 'adapters/payment-sources/source-urls.ts',
    line: 'if (failure !== undefined) throw failure;',
    replacement: '',
    symptom: /^verdict not_found on event .* instead of /,
    seed: 334,
    within: 700,
  },
  {
    name: 'reads an omitted receipt as absent without asking the other nodes of the source',
    file: 'adapters/payment-sources/source-urls.ts',
    line: 'witnesses.push(answer.isWitness);',
    replacement: "if (await answer.isWitness()) return 'absent'; else witnesses.push(answer.isWitness);",
    symptom: /^verdict not_found on event .* instead of /,
    seed: 33,
    within: 100,
  },
  {
    name: 'counts the payments to one account for two machines',
    file: 'domain/rating/paid/account-assignment.ts',
    line: 'if (other.home === home) return other.isNewer;',
    replacement: 'if (other.home === home) return false;',
    symptom: /^verdict \w+ on event .* instead of .*"code":"wrong_payee"/,
    seed: 54,
    within: 100,
  },
];
