/** `svc serve`: runs the service, configured by the environment (configuration.md 1); `--check` prints the configuration. */
import { describeConfig } from '../../src/config/describe-config.ts';
import { loadConfig, type Config, type ConfigReading } from '../../src/config.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import type { Service } from '../../src/main.ts';
import { alignColumns, defineCommand, ENV_FILE_OPTION } from '../command.ts';
import { CommandFailed, EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { formatJson } from '../output.ts';
import { logUnhandledRejections } from '../unhandled-rejections.ts';
import { runUntilStopped, type OnShutdown } from '../until-stopped.ts';

export const serve = defineCommand({
  name: 'serve',
  about: 'Runs the service until you stop it.',
  operands: [],
  options: {
    'env-file': ENV_FILE_OPTION,
    check: { type: 'boolean', about: 'print the configuration without secrets, and every problem, then exit' },
    lenient: {
      type: 'boolean',
      about: 'start, but not ready, when the configuration contradicts the chain or a trust file',
    },
    json: { type: 'boolean', about: 'with --check: print JSON' },
  },
  example: 'svc serve --env-file .devnet/env',
  async run({ 'env-file': envFile, check, lenient = false, json = false }) {
    const read = () => loadConfig({ envFile, lenient, isTerminal: process.stderr.isTTY });
    const reading = read();
    if (check === true) return showConfiguration(reading, json);
    for (const warning of reading.warnings) process.stderr.write(`warning: ${warning}\n`);
    if (reading.problems.length > 0) {
      const lines = reading.problems.map((problem) => `  ${problem}`);
      throw new CommandFailed('usage', ['the configuration has problems:', ...lines].join('\n'));
    }
    let service: Service | undefined;
    let isReloadDue = false;
    const reload = async () => {
      if (service === undefined) isReloadDue = true;
      else await service.reload(read());
    };
    const start = async (onShutdown: OnShutdown) => {
      const started = await startService(reading.config, lenient);
      // Only a supervisor waits for load balancers; Ctrl-C stops at once.
      onShutdown((signal) => (signal === 'SIGTERM' ? started.drain() : started.close()));
      service = started;
      // A reload that was requested during the start is due now.
      if (isReloadDue) await reload();
      process.stdout.write(`listening on ${started.url}\n`);
    };
    return runUntilStopped(start, { onHangup: reload });
  },
});

async function startService(config: Config, isLenient: boolean): Promise<Service> {
  const [main, { createServiceLog }, { toStartFailure }] = await Promise.all([
    import('../../src/main.ts'),
    import('../service-log.ts'),
    import('../start-failure.ts'),
  ]);
  const log = createServiceLog(config.log);
  logUnhandledRejections(log);
  return main.startService(config, { log, isLenient }).catch((error: unknown) => {
    throw toStartFailure(error);
  });
}

function showConfiguration({ config, problems, warnings }: ConfigReading, json: boolean): ExitCode {
  const configuration = describeConfig(config);
  if (json) {
    const { namespace } = config;
    process.stdout.write(formatJson({ configuration, namespace, problems, warnings }));
  } else {
    const names = Object.entries({ ...config.namespace }).filter(
      ([key, name]) => name !== DEFAULT_NAMESPACE[key as 'verifier'],
    );
    const rows = [...Object.entries(configuration), ...names].map(([name, value]): [string, string] => [
      name,
      value ?? '-',
    ]);
    process.stdout.write(`${alignColumns(rows).join('\n')}\n`);
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    for (const problem of problems) process.stderr.write(`problem: ${problem}\n`);
  }
  return problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
}
