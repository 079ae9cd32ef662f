/** Export of a decision log from the database of the service, as a bundle whose head the statement key signs (design/provable 2). */
import { readStatementKeys } from '../src/composition/statements.ts';
import { StartRefused } from '../src/composition/start-refused.ts';
import type { Config } from '../src/config.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { MainChainKey } from '../src/domain/signatures/account-keys.ts';
import { PUBLICATION_SECONDS, toDecisionRow } from '../src/domain/monetization/decision-log.ts';
import { signBundle, verifyBundle, type DecisionBundle } from '../src/domain/monetization/decision-bundle.ts';
import { statementDomain } from '../src/domain/statements/rating-statement.ts';
import { isKeyValidAt, type StatementKey } from '../src/domain/statements/statement-keys.ts';
import type { Store } from '../src/ports/store.ts';
import { CommandFailed } from './exit-codes.ts';
import { formatTime } from './output.ts';

export interface DecisionExport {
  readonly bundle: DecisionBundle;
  /** Number of rows that were left out, because nothing proves them. */
  readonly unverifiable: number;
}

/** Exports the whole log of a machine. A bundle that its own verifier would refuse is not made. Throws `CommandFailed`. */
export async function exportDecisions(
  config: Pick<Config, 'mainChain' | 'statements' | 'namespace'>,
  store: Pick<Store, 'listDecisions' | 'listStatementKeys'>,
  id: MachineId,
  nowSeconds = Math.floor(Date.now() / 1000),
): Promise<DecisionExport> {
  const { mainChain, namespace } = config;
  if (mainChain === undefined)
    throw new CommandFailed('usage', 'the main chain is not configured: pass --env-file PATH');
  const keys = await store.listStatementKeys();
  const key = await loadSigningKey(config, keys, nowSeconds);
  const { decisions, checkpoint } = await store.listDecisions(id, {
    through: Number.MAX_SAFE_INTEGER,
    limit: Number.MAX_SAFE_INTEGER,
  });
  const rows = decisions
    .flatMap(({ record, ...decision }) =>
      record === undefined
        ? []
        : [{ ...toDecisionRow({ ...decision, ...record }, record.previous), hash: record.hash }],
    )
    .reverse();
  const newest = rows.at(-1);
  if (newest === undefined) throw new CommandFailed('refused', 'the machine has no decision that can be proven');
  const publishedAt = newest.timestamp + PUBLICATION_SECONDS;
  if (publishedAt > nowSeconds) {
    const time = formatTime(publishedAt);
    throw new CommandFailed('refused', `the newest signature is not public before ${time}; export the log then`);
  }
  const domain = statementDomain(mainChain.chainId, mainChain.addresses.machineRegistry, namespace);
  const bundle = signBundle(rows, checkpoint, { domain, key, nowSeconds });
  const { problem } = verifyBundle(bundle, { domain, keys, nowSeconds });
  if (problem !== undefined) throw new CommandFailed('verificationFailed', `the stored log proves nothing: ${problem}`);
  return { bundle, unverifiable: decisions.length - rows.length };
}

async function loadSigningKey(
  { statements }: Pick<Config, 'statements'>,
  published: readonly StatementKey[],
  nowSeconds: number,
): Promise<MainChainKey> {
  if (statements === undefined) throw new CommandFailed('usage', 'STATEMENT_KEY_FILE is not configured');
  const [key] = await readStatementKeys(statements).catch((error: unknown) => {
    throw error instanceof StartRefused ? new CommandFailed('usage', error.message) : error;
  });
  if (!published.some((each) => each.address === key!.address && isKeyValidAt(each, nowSeconds))) {
    throw new CommandFailed('refused', 'the statement key is not in use; start the service with it first');
  }
  return key!;
}
