/** Can everything beside the chains be read: the pinned certificates, the tokens, the feed of currency rates? */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createFeedReader, FeedFailed } from '../../src/adapters/fx/feed-source.ts';
import { parseReferenceFile } from '../../src/adapters/fx/reference-file.ts';
import { readTokensFile } from '../../src/adapters/fx/tokens-file.ts';
import type { Config } from '../../src/config.ts';
import type { PinnedCertificate } from '../../src/config/verify-settings.ts';
import { RATE_WINDOW_DAYS } from '../../src/domain/rating/constants.ts';
import { dayOf, formatDay } from '../../src/domain/utc-day.ts';
import { fail, ok, toFinding, unreachable, warn, type Finding } from './finding.ts';

export async function examineTrust({ verify }: Config): Promise<Finding[]> {
  if (verify === undefined) return [ok('onboarding', 'off: neither tokens nor trust files are set')];
  return [
    await examineCertificate('TRUST_ROOT_FILE', verify.root),
    await examineCertificate('TRUST_INTERMEDIATE_FILE', verify.intermediate),
  ];
}

async function examineCertificate(variable: string, { file, sha256 }: PinnedCertificate): Promise<Finding> {
  let der: Buffer;
  try {
    der = new X509Certificate(await readFile(file)).raw;
  } catch {
    return fail(variable, 'no certificate can be read from it', 'name a readable DER or PEM file');
  }
  if (createHash('sha256').update(der).digest('hex') === sha256) return ok(variable, 'the pinned certificate');
  return fail(
    variable,
    'another certificate than the pinned one',
    `correct the file or ${variable.replace(/FILE$/, 'SHA256')}`,
  );
}

export async function examineRates({ fxSource, tokensFile }: Config, nowMilliseconds: number): Promise<Finding[]> {
  const findings = [await examineFeed(fxSource, dayOf(nowMilliseconds / 1000))];
  if (tokensFile === undefined) return findings;
  const { problems = [] } = await readTokensFile(tokensFile, fxSource !== undefined);
  if (problems.length === 0) return [...findings, ok('TOKENS_FILE', 'read')];
  return [...findings, ...problems.map((problem) => toFinding('fail', problem, 'correct the file'))];
}

async function examineFeed(source: string | undefined, today: number): Promise<Finding> {
  if (source === undefined) return ok('FX_SOURCE', 'not set: amounts in USD and in tokens with a fixed rate only');
  try {
    const rows = parseReferenceFile(await createFeedReader(source, fetch)());
    const newest = rows.reduce((day, row) => Math.max(day, row.day), 0);
    const text = `its newest rates are of ${formatDay(newest)}`;
    if (today - newest <= RATE_WINDOW_DAYS) return ok('FX_SOURCE', text);
    return warn('FX_SOURCE', text, 'amounts of later days are not converted: find a feed that goes on');
  } catch (error) {
    if (!(error instanceof FeedFailed))
      return fail('FX_SOURCE', 'no reference file in CSV or XML', 'name another source');
    return unreachable('FX_SOURCE', `cannot be read (${error.problem})`, 'check the file or the address');
  }
}
