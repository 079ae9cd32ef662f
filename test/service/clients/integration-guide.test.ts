/** Runs every example of docs/integration-guide.md unchanged and compares its output with the page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runSvc, SVC } from '../../../testing/harness/run-svc.ts';
import manifest from '../../../client/package.json' with { type: 'json' };
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/integration-guide.md'), 'utf8');
const BASE_URL = 'http://127.0.0.1:8000';

const { machines, chip, onboardingToken, mainChain } = inject('fixtures');
const { id, owner, ownerKey } = findMachine(machines, 'multi-currency');

let folder: string;
let proxied: ProxiedService;

/** Writes the files that the reader provides. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'integration-guide-'));
  proxied = await startIndexedService();
  const keys = pathToFileURL(join(ROOT, 'testing/fixtures/signing-keys.ts')).href;
  const wallet = [
    `import { createMainChainKey } from '${keys}';`,
    `const key = createMainChainKey(Buffer.from('${ownerKey.slice(2)}', 'hex'));`,
    `export const machine = '${id}';`,
    `export const wallet = { address: '${owner}', personalSign: async (message) => key.sign(Buffer.from(message)) };`,
    '',
  ].join('\n');
  const registry = mainChain.addresses.machineRegistry;
  const deployment = `export const deployment = { chainId: '${mainChain.chainId}', registry: '${registry}' };\n`;
  writeFileSync(join(folder, 'wallet.ts'), wallet + deployment);
  writeFileSync(join(folder, 'onboarding.ts'), wallet + toChip());
});
afterAll(async () => {
  await proxied.close();
  rmSync(folder, { recursive: true });
});

/** Returns the source of a software chip of the test PKI; `p256` signs the prehash directly. */
function toChip(): string {
  const curves = pathToFileURL(join(ROOT, 'node_modules/@noble/curves/nist.js')).href;
  return [
    `import { createPrivateKey, X509Certificate } from 'node:crypto';`,
    `import { readFileSync } from 'node:fs';`,
    `import { p256 } from '${curves}';`,
    `const certificate = new X509Certificate(readFileSync(${JSON.stringify(chip.certificate)}));`,
    `const { x, y } = certificate.publicKey.export({ format: 'jwk' });`,
    `const { d } = createPrivateKey(readFileSync(${JSON.stringify(chip.key)})).export({ format: 'jwk' });`,
    `const bytes = (text) => Buffer.from(text, 'base64url');`,
    `const integer = (half) => {`,
    `  const digits = [...half].slice([...half].findIndex((octet) => octet !== 0));`,
    `  const value = digits[0] >= 128 ? [0, ...digits] : digits;`,
    `  return [2, value.length, ...value];`,
    `};`,
    `export const token = ${JSON.stringify(onboardingToken)};`,
    `export const chip = {`,
    `  certificate: certificate.raw,`,
    `  publicKey: Uint8Array.from([4, ...bytes(x), ...bytes(y)]),`,
    `  sign: async (prehash) => {`,
    `    const rs = p256.sign(prehash, bytes(d), { prehash: false });`,
    `    return Uint8Array.from([...integer(rs.slice(0, 32)), ...integer(rs.slice(32))]);`,
    `  },`,
    `};`,
    '',
  ].join('\n');
}

/** Programs of the page, each with its output. */
const programs = [...PAGE.matchAll(/```ts\n([^]+?)```\n\n```text\n([^]+?)```/g)].map(([, program, printed]) => ({
  program: program!,
  printed: printed!,
}));
/** The page without its programs. */
const TEXT = PAGE.replaceAll(/```[^]+?```/g, '');
const commands = [...TEXT.matchAll(/^ {4}(curl|svc) (.+)$/gm)].map(([, tool, rest]) => [tool!, rest!] as const);

it('contains no example that this suite does not run', () => {
  rule('documents.integration-guide');
  expect(PAGE.match(/```ts$/gm)?.length).toBe(programs.length);
  expect(TEXT.match(/^ {4}\S/gm)?.length).toBe(commands.length);
  expect([...PAGE.matchAll(/```(\w+)$/gm)].map(([, word]) => word).filter((word) => word !== 'ts')).toEqual([
    ...programs.map(() => 'text'),
    'json',
  ]);
});

/** Returns the program for the service of this suite, with the package of the repository. */
function toRunnable(program: string): string {
  const entries = Object.entries(manifest.exports).map(([name, { source }]) => {
    const url = pathToFileURL(join(ROOT, 'client', source)).href;
    return [`'${join('@svcos/client', name)}'`, `'${url}'`] as const;
  });
  return entries.reduce((text, [name, url]) => text.replaceAll(name, url), toOurs(program));
}

function toOurs(text: string): string {
  return text.replaceAll(BASE_URL, proxied.service.url);
}

async function run(file: string) {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: (await stdout!).join(''), stderr: (await stderr!).join('') };
}

describe.each(programs.map(({ program, printed }, at) => [at, program, printed] as const))(
  'program %d',
  (at, program, printed) => {
    it('prints the output below it', async () => {
      rule('documents.integration-guide');
      const file = join(folder, `program-${at}.ts`);
      writeFileSync(file, toRunnable(program));
      expect(await run(file)).toEqual({ code: 0, stdout: printed, stderr: '' });
    });
  },
);

describe.each(commands)('the command %s %s', (tool, rest) => {
  it('succeeds', async () => {
    if (tool === 'curl') {
      const url = /^-s '?(http[^'\s]+)'?$/.exec(rest)?.[1] ?? 'not a plain curl';
      const response = await fetch(toOurs(url));
      const list = expect.any(Array) as unknown[];
      const expected = /\/directory/.test(url)
        ? { machines: list }
        : /\/changes/.test(url)
          ? { changes: list }
          : { mcr: 'B' };
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(expected)]);
    } else {
      const args = [...rest.split(' '), '--base-url', proxied.service.url];
      expect(await runSvc(args)).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

it('starts and reaches the documented servers for language models, which respond', async () => {
  const settings = /```json\n([^]+?)```/.exec(PAGE)![1]!;
  const { mcpServers } = JSON.parse(toOurs(settings)) as {
    mcpServers: { 'machine-ratings': { command: string; args: string[] }; 'machine-ratings-http': { url: string } };
  };
  const { command, args } = mcpServers['machine-ratings'];
  expect(command).toBe('svc');
  const machine = findMachine(machines, 'rated-b').id;
  for (const transport of [
    new StdioClientTransport({ command: process.execPath, args: [SVC, ...args] }),
    new StreamableHTTPClientTransport(new URL(mcpServers['machine-ratings-http'].url)),
  ]) {
    const client = new Client({ name: 'a program', version: '1' });
    await client.connect(transport);
    const called = await client.callTool({ name: 'get_rating', arguments: { machine } });
    expect(called).toMatchObject({ isError: false, structuredContent: { answer: { machine_id: machine, mcr: 'B' } } });
    await client.close();
  }
});
