/** Checks of everything besides the chains: pinned certificates, tokens, statement keys, receivers of webhooks, currency rates. */
import { createFeedReader, FeedFailed } from '../../src/adapters/fx/feed-source.ts';
import { parseReferenceFile } from '../../src/adapters/fx/reference-file.ts';
import { readTokensFile } from '../../src/adapters/fx/tokens-file.ts';
import { readTrustFiles } from '../../src/adapters/trust/trust-files.ts';
import { readWatchFile } from '../../src/adapters/webhooks/watch-file.ts';
import { readStatementKeys } from '../../src/composition/statements.ts';
import { StartRefused } from '../../src/composition/start-refused.ts';
import type { Config } from '../../src/config.ts';
import type { OnboardingToken } from '../../src/config/verify-settings.ts';
import { RATE_WINDOW_DAYS } from '../../src/domain/rating/constants.ts';
import { dayOf, formatDay } from '../../src/domain/rating/utc-day.ts';
import { fail, ok, toFinding, unreachable, warn, type Finding } from './check-result.ts';

/** Cannot be guessed in a lifetime, even with letters only. */
const MIN_TOKEN_CHARACTERS = 16;
/** During a rotation: the old token and the new one. */
const ROTATING_TOKENS = 2;

/** Validates the trust files as the service does at its start, and the tokens. */
export async function examineTrust({ verify }: Config): Promise<Finding[]> {
  if (verify === undefined) return [ok('onboarding', 'off; neither tokens nor trust files are set')];
  const { problems = [] } = await readTrustFiles(verify);
  return [
    ...problems.map((problem) => toFinding('fail', problem, 'correct the file or its SHA-256')),
    ...(problems.length === 0 ? [ok('trust files', 'valid, and as pinned')] : []),
    examineTokens(verify.onboardingTokens),
  ];
}

function examineTokens(tokens: readonly OnboardingToken[]): Finding {
  const subject = 'ONBOARDING_TOKENS';
  if (tokens.some(({ characters }) => characters < MIN_TOKEN_CHARACTERS)) {
    const text = `a token of fewer than ${MIN_TOKEN_CHARACTERS} characters`;
    return warn(subject, text, 'use a random one: anyone who guesses it can use up the challenges of others');
  }
  if (tokens.length <= ROTATING_TOKENS)
    return ok(subject, tokens.length === 1 ? '1 token' : `${tokens.length} tokens, as during a rotation`);
  return warn(subject, `${tokens.length} tokens at once`, 'remove those that are no longer in use');
}

/** Reads the statement keys as the service does at its start. */
export async function examineStatementKeys({ statements }: Config): Promise<Finding[]> {
  const subject = 'STATEMENT_KEY_FILE';
  if (statements === undefined)
    return [ok(subject, 'not set; no statements are signed, and the log of decisions is never pruned')];
  try {
    const keys = await readStatementKeys(statements);
    return [ok(subject, keys.length === 1 ? '1 key' : `${keys.length} keys, as during a rotation`)];
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return error.problems.map((problem) => toFinding('fail', problem, 'correct the file'));
  }
}

/** Reads the receivers of webhooks and their secrets. */
export async function examineReceivers({ watchFile, namespace }: Config): Promise<Finding[]> {
  if (watchFile === undefined) return [ok('WATCH_FILE', 'not set; no webhooks are sent')];
  const { problems = [] } = await readWatchFile(watchFile, namespace);
  if (problems.length === 0) return [ok('WATCH_FILE', 'valid')];
  return problems.map((problem) => toFinding('fail', problem, 'correct the file'));
}

/** Validates the rate feed and the tokens file. */
export async function examineRates({ fxSource, tokensFile }: Config, nowMilliseconds: number): Promise<Finding[]> {
  const findings = [await examineFeed(fxSource, dayOf(nowMilliseconds / 1000))];
  if (tokensFile === undefined) return findings;
  const { problems = [] } = await readTokensFile(tokensFile, fxSource !== undefined);
  if (problems.length === 0) return [...findings, ok('TOKENS_FILE', 'valid')];
  return [...findings, ...problems.map((problem) => toFinding('fail', problem, 'correct the file'))];
}

async function examineFeed(source: string | undefined, today: number): Promise<Finding> {
  if (source === undefined)
    return ok('FX_SOURCE', 'not set; only amounts in USD and in tokens with a fixed rate count');
  try {
    const rows = parseReferenceFile(await createFeedReader(source, fetch)());
    const newest = rows.reduce((day, row) => Math.max(day, row.day), 0);
    const text = `the newest rates are of ${formatDay(newest)}`;
    if (today - newest <= RATE_WINDOW_DAYS) return ok('FX_SOURCE', text);
    return warn('FX_SOURCE', text, 'later amounts are not converted; use a feed that is still updated');
  } catch (error) {
    if (!(error instanceof FeedFailed))
      return fail('FX_SOURCE', 'not a file of reference rates in CSV or XML', 'name another source');
    return unreachable('FX_SOURCE', `cannot be read (${error.problem})`, 'check the file or the address');
  }
}
