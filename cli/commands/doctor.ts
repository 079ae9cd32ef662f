/** `svc doctor`: checks everything that the service needs, one line per check with its remedy. */
import { loadConfig, type Config } from '../../src/config.ts';
import { defineCommand, ENV_FILE_OPTION, JSON_OPTION } from '../command.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import { formatFinding, ok, toFinding, type Finding } from '../doctor/check-result.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { formatJson, formatLines } from '../output.ts';

export const doctor = defineCommand({
  name: 'doctor',
  about:
    'Checks configuration, chains, finality, clock, database, trust files, rates, payment sources, Redis and proxies; prints a remedy for each problem.',
  operands: [],
  options: { 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: 'svc doctor --env-file .devnet/env',
  async run({ 'env-file': envFile, json = false }) {
    const { config, problems, warnings } = loadConfig({ envFile });
    const findings: Finding[] = [];
    const report = (more: readonly Finding[]) => {
      findings.push(...more);
      if (!json) process.stdout.write(formatLines(more.map(formatFinding)));
    };
    report(toFindings(problems, warnings));
    for await (const more of examine(config)) report(more);
    if (json) process.stdout.write(formatJson(findings));
    return exitCodeOf(findings);
  },
});

function toFindings(problems: readonly string[], warnings: readonly string[]): Finding[] {
  const findings = [
    ...problems.map((problem) => toFinding('fail', problem, 'correct the value')),
    ...warnings.map((warning) => toFinding('warn', warning, 'correct or remove the value')),
  ];
  return findings.length > 0 ? findings : [ok('configuration', 'valid')];
}

/** Runs the checks one after another, so that results appear while the next check runs. */
async function* examine(config: Config): AsyncGenerator<readonly Finding[]> {
  const [
    { examineMainChain },
    { examineAltChain },
    { holdsBlocks, keepStart },
    { examineDatabase },
    { examineRates, examineReceivers, examineStatementKeys, examineTrust },
    { examinePaymentSources },
    { examineDistributedRateLimits },
    { examineTrustedProxies },
    { storeNodeProfiles },
  ] = await Promise.all([
    import('../doctor/main-chain.ts'),
    import('../doctor/alt-chain.ts'),
    import('../doctor/fixed-start.ts'),
    import('../doctor/database.ts'),
    import('../doctor/files-and-feeds.ts'),
    import('../doctor/payment-sources.ts'),
    import('../doctor/distributed-rate-limits.ts'),
    import('../doctor/trusted-proxies.ts'),
    import('../doctor/node-profiles.ts'),
  ]);
  const profiles = new Map<string, string>();
  const keepProfiles = (found: NodeProfiles) => {
    for (const [hash, text] of found) profiles.set(hash, text);
  };
  const ofMainChain = await examineMainChain(config.mainChain, Date.now, config.indexProof, keepProfiles);
  yield (await holdsBlocks(config)) ? ofMainChain.map(keepStart) : ofMainChain;
  yield await examineAltChain(config.altChain, Date.now, keepProfiles);
  yield await examineDatabase(config);
  yield await storeNodeProfiles(config, profiles, Math.floor(Date.now() / 1000));
  yield await examineTrust(config);
  yield await examineStatementKeys(config);
  yield await examineReceivers(config);
  yield await examineRates(config, Date.now());
  yield await examinePaymentSources(config, Date.now);
  yield await examineDistributedRateLimits(config);
  yield await examineTrustedProxies(config);
}

function exitCodeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ state }) => state === 'fail')) return EXIT_CODES.refused;
  return findings.some(({ state }) => state === 'unreachable') ? EXIT_CODES.unreachable : EXIT_CODES.ok;
}
