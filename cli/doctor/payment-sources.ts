/** Checks of the payment sources: the file, and per URL the identity of the chain, the finalized head and the depth of history. */
import { createPaymentSources, type OpenedSource } from '../../src/adapters/payment-sources/create-payment-sources.ts';
import { neededSeconds, type SourceFinding } from '../../src/adapters/payment-sources/source-checks.ts';
import { readSources } from '../../src/composition/payment-sources.ts';
import type { Config } from '../../src/config.ts';
import { SILENT_LOG } from '../../src/ports/runtime.ts';
import { fail, ok, toFinding, unreachable, warn, type Finding } from './check-result.ts';

/** A finalized block is at most this old on a chain that works; some rollups finalize within hours. */
const MAX_HEAD_SECONDS = 6 * 3_600;

/** Returns one finding per source file problem, or one per URL. */
export async function examinePaymentSources(config: Config, nowMilliseconds: () => number): Promise<Finding[]> {
  if (config.sourcesFile === undefined) return [ok('SOURCES_FILE', 'not set; no payments are followed')];
  const { configured, problems } = await readSources(config);
  if (problems !== undefined) return problems.map((problem) => toFinding('fail', problem, 'correct the file'));
  const adapter = createPaymentSources(configured, {
    clock: { nowMilliseconds },
    log: SILENT_LOG,
    callsPerSecond: config.sourceCallsPerSecond,
  });
  try {
    const checked = await Promise.all(adapter.opened.map((opened) => examineSource(opened, nowMilliseconds() / 1000)));
    const hash = ok('SOURCES_FILE', configured.hash === undefined ? 'no sources' : `sources hash ${configured.hash}`);
    return [hash, ...checked.flat()];
  } finally {
    await adapter.close();
  }
}

async function examineSource({ source, check }: OpenedSource, nowSeconds: number): Promise<Finding[]> {
  const findings = await check();
  return findings.map((finding) =>
    toUrlFinding(`${source.name} rpc[${finding.position}]`, finding, nowSeconds, neededSeconds(source.kind) / 86_400),
  );
}

function toUrlFinding(
  subject: string,
  { identity, finalized, isDeep, provesAbsence }: SourceFinding,
  nowSeconds: number,
  days: number,
): Finding {
  if (identity === 'other') return fail(subject, 'serves another chain', 'name a node of this chain');
  if (identity === 'unknown') {
    return unreachable(subject, 'gives no usable response', 'check the URL, its key, its rate limit and the network');
  }
  if (finalized === undefined) {
    return fail(subject, 'does not report a finalized block', 'verdicts stay pending; name a node with finality');
  }
  const age = Math.max(0, Math.round(nowSeconds - finalized.time));
  const text = `finalized block ${finalized.block}, ${age} s old`;
  if (age > MAX_HEAD_SECONDS) return warn(subject, text, 'verdicts stay pending while the chain is not finalized');
  if (isDeep === true) return toDeepFinding(subject, `${text}; history of ${days} days`, provesAbsence);
  if (isDeep === false) {
    const shallow = `${text}; its history is shorter than ${days} days`;
    return warn(
      subject,
      shallow,
      'verdicts that need older receipts or logs stay pending; add a node with more history',
    );
  }
  return warn(subject, `${text}; the depth of its history is not known`, 'check whether the node serves old receipts');
}

function toDeepFinding(subject: string, text: string, provesAbsence: boolean | undefined): Finding {
  if (provesAbsence === true) return ok(subject, text);
  if (provesAbsence === undefined) {
    const unknown = `${text}; whether it can prove that a transaction does not exist is not known`;
    return warn(subject, unknown, 'check that the node serves getBlock and getSignatureStatuses');
  }
  const refused = `${text}; it cannot prove that a transaction does not exist: it refuses getBlock or getSignatureStatuses`;
  const remedy = 'citations of such transactions stay pending; enable both methods, or add a node that serves them';
  return warn(subject, refused, remedy);
}
