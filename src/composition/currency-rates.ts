/** Opens the currency rates and the loop that refreshes them (configuration 1: `FX_SOURCE`, `TOKENS_FILE`). */
import { createFeedRates, createFixedRates } from '../adapters/fx/feed-rates.ts';
import { createFeedReader } from '../adapters/fx/feed-source.ts';
import { readTokensFile } from '../adapters/fx/tokens-file.ts';
import type { Config } from '../config.ts';
import { isUsable } from '../domain/clock/clock-judgement.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { FxRates } from '../ports/rates.ts';
import type { Log, TrustedClock } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import { CLOCK } from './process-time.ts';
import { waitBriefly } from './startup.ts';
import { StartRefused } from './start-refused.ts';
import { createIntervalLoop } from './interval-loop.ts';

const INTERVAL_MILLISECONDS = 60_000;

/** Throws `StartRefused` for an invalid tokens file. */
export async function createRates(
  { fxSource, tokensFile }: Config,
  store: Store,
  log: Log,
  trustedClock: TrustedClock,
): Promise<{ readonly fxRates: FxRates; readonly loop: PollLoop }> {
  const reading = tokensFile === undefined ? { tokens: [] } : await readTokensFile(tokensFile, fxSource !== undefined);
  if (reading.problems !== undefined) throw new StartRefused(reading.problems);
  const { tokens } = reading;
  const fxRates =
    fxSource === undefined
      ? createFixedRates(tokens)
      : await createFeedRates({ readFeed: createFeedReader(fxSource, fetch), tokens, store, clock: CLOCK });
  const refresh = () => refreshRates(fxRates, log, trustedClock);
  await waitBriefly(refresh());
  const loop = createIntervalLoop({
    name: 'fx-rates',
    intervalMilliseconds: INTERVAL_MILLISECONDS,
    log,
    work: refresh,
  });
  return { fxRates, loop };
}

/** Does nothing while the clock is not usable: days that are covered once are never corrected. */
async function refreshRates(fxRates: FxRates, log: Log, trustedClock: TrustedClock): Promise<void> {
  if (!isUsable(trustedClock.judge().state)) return;
  const { kind, ...facts } = await fxRates.refresh();
  if (kind === 'refreshed') log.info(facts, 'currency rates refreshed');
  if (kind === 'failed') log.warn(facts, 'currency rates not refreshed');
}
