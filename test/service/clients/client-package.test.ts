/**
 * Published client package: packed by `npm pack`, installed offline into an empty folder and used there without this repository. Runs every
 * example of its README in Node, and the unbundled files in Chromium.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findOldNode } from '../../../testing/harness/run-svc.ts';
import manifest from '../../../client/package.json' with { type: 'json' };
import {
  attempts,
  pki,
  requestCases,
  vectorNamespace,
  type VectorAttempt,
} from '../../../testing/fixtures/evidence-vectors.ts';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { launchBrowser, openVisit } from '../pages/browser.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const README = readFileSync(join(ROOT, 'client/README.md'), 'utf8');
const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');

let scratch: string;
/** Folder of a program that uses the package. */
let folder: string;
/** Folder of the installed package. */
let installed: string;
let packed: readonly string[];

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'client-package-'));
  folder = join(scratch, 'program');
  installed = join(folder, 'node_modules', manifest.name);
  // A copy: packing writes into the folder that it packs.
  const copy = join(scratch, 'repository');
  const needed = ['client', 'src/domain', 'src/http/wire/response-types.ts', 'tsconfig.json', 'package.json'];
  for (const each of needed) {
    cpSync(join(ROOT, each), join(copy, each), { recursive: true, filter: (path) => !path.endsWith('/dist') });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const [{ filename, files }] = JSON.parse(
    runNpm(join(copy, 'client'), 'pack', '--json', '--pack-destination', scratch),
  );
  packed = (files as { readonly path: string }[]).map(({ path }) => path);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  runNpm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(scratch, filename));
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true }));

function runNpm(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]}: ${stderr}${stdout}`);
  // What prepack prints comes before the document.
  return stdout.slice(Math.max(0, stdout.indexOf('[\n')));
}

async function run(node: string, program: string) {
  writeFileSync(join(folder, 'program.js'), program.replaceAll('http://127.0.0.1:8000', baseUrl));
  const child = spawn(node, ['program.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: (await stdout!).join(''), stderr: (await stderr!).join('') };
}

it('contains the entries, their types and a README only', () => {
  const others = packed.filter((path) => !path.startsWith('dist/types/'));
  const entries = Object.values(manifest.exports).map((entry) => entry.default.slice(2));
  expect(others.toSorted()).toEqual(['README.md', 'package.json', ...entries].toSorted());
  for (const { types } of Object.values(manifest.exports)) expect(packed).toContain(types.slice(2));
});

const programs = [...README.matchAll(/```js\n([^]+?)```\n\n```text\n([^]+?)```/g)].map(
  ([, program, printed], at) => [at, program!, printed!] as const,
);

it('has no example in its README that is not run here', () => {
  expect(README.match(/```js$/gm)).toHaveLength(programs.length);
});

describe.each(programs)('example %d of its README', (_, program, printed) => {
  it('prints the output below it', async () => {
    expect(await run(process.execPath, program)).toEqual({ code: 0, stdout: printed, stderr: '' });
  });
});

const oldNode = findOldNode();
it.runIf(oldNode !== undefined)('runs on the oldest supported Node', async () => {
  const [[, program, printed]] = programs as [(typeof programs)[number]];
  expect(await run(oldNode!, program)).toEqual({ code: 0, stdout: printed, stderr: '' });
});

it('has the compressed sizes of its README', async () => {
  const stated = [...README.matchAll(/^\| `@svcos\/client(\S*)`.+\| +([\d.]+) kB \|$/gm)].map(([, entry, size]) => [
    `.${entry}`,
    Number(size),
  ]);
  const { rolldown } = await import('rolldown');
  const sizes: [string, number][] = [];
  for (const [name, { default: file }] of Object.entries(manifest.exports)) {
    const build = await rolldown({ input: join(installed, file), platform: 'browser' });
    const { output } = await build.generate({ format: 'esm', minify: true });
    await build.close();
    sizes.push([name, gzipSync(output[0].code, { level: 9 }).length / 1000]);
  }
  expect(stated.map(([name]) => name)).toEqual(sizes.map(([name]) => name));
  const off = sizes.filter(([, size], at) => Math.abs(size - (stated[at]![1] as number)) > 0.1 * size);
  expect(off).toEqual([]);
});

describe('in Chromium, on a page of another origin, without a bundler', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const name = /^\/(\w+\.js)$/.exec(request.url ?? '')?.[1];
      response.setHeader('content-type', name === undefined ? 'text/html' : 'text/javascript');
      response.end(
        name === undefined ? '<!doctype html><title>page</title>' : readFileSync(join(installed, 'dist', name)),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  async function evaluate<T>(program: string): Promise<T> {
    const { page, close } = await openVisit(browser);
    try {
      await page.goto(origin);
      return await page.evaluate<T>(`(async () => { ${program} })()`);
    } finally {
      await close();
    }
  }
  const CLIENT = `const { createClient, isRetryable } = await import('/client.js');
    const service = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });`;

  it('reads ratings with unrounded ids and the block of the response', async () => {
    rule('client.package');
    const { id } = findMachine(machines, 'rated-aaa');
    const { value, block } = await evaluate<{ value: unknown; block: string }>(
      `${CLIENT}
      const { value, block } = await service.getRating(${id}n);
      return { value, block: typeof block.number };`,
    );
    expect(value).toEqual(await (await fetch(`${baseUrl}/mcr/did:svc:${id}`)).json());
    expect(block).toBe('bigint');
  });

  it('distinguishes errors by kind', async () => {
    const elsewhere = findMachine(machines, 'homed-elsewhere').id;
    const kinds = await evaluate(
      `${CLIENT}
      const answers = await Promise.all([service.getCard(12345n), service.getRating('${elsewhere}'), service.getVerification(12345n)]);
      return answers.map(({ error }) => error.kind + ' ' + isRetryable(error));`,
    );
    // Verify allows no other origin.
    expect(kinds).toEqual(['machine-not-found false', 'machine-homed-elsewhere false', 'unreachable true']);
  });

  it('prepares the text that an owner signs', async () => {
    const { id } = findMachine(machines, 'multi-currency');
    const lines = await evaluate(
      `${CLIENT}
      const { prepareDecision } = await import('/monetization.js');
      const { value } = await prepareDecision(service.connection, { machine: '${id}', optedIn: true, nowSeconds: 1800000000 });
      return [value.scheme, ...value.text.split('\\n').slice(3)];`,
    );
    expect(lines).toEqual(['eip191', `machine_id: ${id}`, 'opted_in: true', 'timestamp: 1800000000']);
  });

  it('builds the published document of evidence, byte for byte', async () => {
    const first = attempts.first as VectorAttempt & { readonly nativeSignatureHex: string };
    const given = { first, der: pki.leaf.derBase64, namespace: vectorNamespace, now: requestCases.world.now };
    const hash = await evaluate(
      `const evidence = await import('/evidence.js');
      const { first, der, namespace, now } = ${JSON.stringify(given)};
      const bytes = (hex) => Uint8Array.from(hex.match(/../g), (octet) => parseInt(octet, 16));
      const leaf = { der: Uint8Array.from(atob(der), (letter) => letter.charCodeAt(0)), publicKey: bytes(first.publicKeyHex) };
      const chip = evidence.prepareChipProof(first.challenge, leaf, namespace, now);
      const rs = evidence.parseChipSignature(bytes(first.nativeSignatureHex));
      const controller = evidence.prepareControllerProof(chip, rs, namespace, now);
      const signature = evidence.parseRecoverableSignature('0x' + first.controllerSignatureHex);
      return evidence.buildEvidence(controller, signature, namespace, now).evidenceHash;`,
    );
    expect(hash).toBe(`0x${first.evidenceHashHex}`);
  });
});
