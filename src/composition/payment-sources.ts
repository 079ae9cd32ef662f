/** Opens the payment sources (configuration 1: `SOURCES_FILE`, `SOURCE_CALLS_PER_SECOND`). Sends no request. */
import { readTokensFile } from '../adapters/fx/tokens-file.ts';
import {
  createPaymentSources,
  type PaymentSourcesAdapter,
} from '../adapters/payment-sources/create-payment-sources.ts';
import { NO_SOURCES, readSourcesFile, type SourcesReading } from '../adapters/payment-sources/sources-file.ts';
import type { Config } from '../config.ts';
import type { NodeProfiles } from '../ports/node-profiles.ts';
import type { Log } from '../ports/runtime.ts';
import { CLOCK } from './process-time.ts';
import type { Shutdown } from './shutdown.ts';
import { StartRefused } from './start-refused.ts';

/** Reads the configured sources; those of a tokens file with problems have no known symbol. */
export async function readSources({ sourcesFile, tokensFile, fxSource }: Config): Promise<SourcesReading> {
  if (sourcesFile === undefined) return { configured: NO_SOURCES };
  const { tokens = [] } = tokensFile === undefined ? {} : await readTokensFile(tokensFile, fxSource !== undefined);
  return readSourcesFile(
    sourcesFile,
    tokens.map(({ symbol }) => symbol),
  );
}

/** Throws `StartRefused` for an invalid sources file. */
export async function openPaymentSources(
  config: Config,
  log: Log,
  shutdown: Pick<Shutdown, 'add'>,
  profiles: NodeProfiles,
): Promise<PaymentSourcesAdapter> {
  const { configured, problems } = await readSources(config);
  if (problems !== undefined) throw new StartRefused(problems);
  const adapter = createPaymentSources(configured, {
    clock: CLOCK,
    log,
    callsPerSecond: config.sourceCallsPerSecond,
    profiles,
  });
  shutdown.add(() => adapter.close());
  return adapter;
}
