/**
 * Tools of other languages and of protocols at exact versions, installed once into cache folders: generators of clients with their libraries,
 * what builds and checks the Python package, the parser of AsyncAPI and the inspector of the Model Context Protocol. Go and Python themselves
 * must be on the machine.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const NPM_PACKAGES = ['@redocly/cli@2.77.0', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'];
const PYTHON_PACKAGES = [
  ...['openapi-python-client==0.29.1', 'attrs==26.1.0', 'python-dateutil==2.9.0.post0', 'ruff==0.17.6'],
  ...['httpx==0.28.1', 'eth-account==0.13.7', 'rfc8785==0.1.4', 'mypy==2.4.1', 'build==1.6.1', 'setuptools==84.2.1'],
];
const GO_PROGRAMS = ['github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'];

const PROTOCOL_PACKAGES = ['@asyncapi/parser@3.6.3', '@modelcontextprotocol/inspector@2.12.0'];

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');

/** Folder of the tools of exactly these versions. */
export const TOOLS = findFolder('language-tools', [NPM_PACKAGES, PYTHON_PACKAGES, GO_PROGRAMS]);
/** The same for the tools of protocols. */
export const PROTOCOL_TOOLS = findFolder('protocol-tools', PROTOCOL_PACKAGES);
export const TOOL_MODULES = join(TOOLS, 'node_modules');

const ENVIRONMENT = {
  ...process.env,
  PATH: [
    ...[join(TOOLS, 'bin'), join(TOOLS, 'python', 'bin'), join(TOOL_MODULES, '.bin')],
    ...[join(PROTOCOL_TOOLS, 'node_modules', '.bin'), process.env['PATH']],
  ].join(delimiter),
  GOBIN: join(TOOLS, 'bin'),
  GOFLAGS: '-mod=mod',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

/** Installs the tools unless they are installed. Runs before the tests of this folder. */
export default function installTools(): void {
  installInto(TOOLS, NPM_PACKAGES, () => {
    runTool(TOOLS, 'python3', ['-m', 'venv', 'python']);
    runTool(TOOLS, 'pip', ['install', '--quiet', '--disable-pip-version-check', ...PYTHON_PACKAGES]);
    for (const program of GO_PROGRAMS) runTool(TOOLS, 'go', ['install', program]);
  });
  installInto(PROTOCOL_TOOLS, PROTOCOL_PACKAGES);
}

function findFolder(name: string, packages: readonly unknown[]): string {
  const versions = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  return join(CACHE, name, versions);
}

function installInto(folder: string, packages: readonly string[], installOthers?: () => void): void {
  const installed = join(folder, 'installed');
  if (existsSync(installed)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  runTool(folder, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  installOthers?.();
  writeFileSync(installed, '');
}

/** Runs a program to its end and returns what it printed. Throws an error with that text unless it exits with 0. */
export function runTool(
  cwd: string,
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): { readonly stdout: string; readonly stderr: string } {
  const env = { ...ENVIRONMENT, ...variables };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
  return { stdout, stderr };
}
