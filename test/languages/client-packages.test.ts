/**
 * The Python package and the Go module: the shared vectors, strict type checks, the wheel in an environment of its own, every program of their
 * READMEs, and a statement of the running service with ten changed ones.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { listChanges } from '../../client/changes.ts';
import { connect } from '../../client/client.ts';
import { getMonetization } from '../../client/monetization-state.ts';
import { prepareDecision, sendDecision } from '../../client/monetization.ts';
import { getRatingStatement } from '../../client/statements.ts';
import { createMainChainKey } from '../../testing/fixtures/signing-keys.ts';
import { rule } from '../conformance/rule.ts';
import { TAMPERINGS } from '../service/ratings/tampered-statements.ts';
import { runTool, TOOLS } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const baseUrl = inject('baseUrl');
const GO = join(ROOT, 'clients/go');

/** Prints the first problem of each statement, whose files are the arguments after the trusted deployment and key. */
const VERIFY_IN_PYTHON = `
import sys, time
from svcos_client.statements import StatementKey, StatementRejected, StatementTrust, verify_statement
chain_id, registry, address, *files = sys.argv[1:]
trust = StatementTrust(int(chain_id), registry, [StatementKey(address)])
for file in files:
    try:
        verify_statement(open(file).read(), trust, int(time.time()))
        print("accepted")
    except StatementRejected as rejected:
        print(rejected.problem)
`;

/** Prints the first change of an opt-in after the cursor in the argument, read as a page, from a stream, and from an asynchronous stream. */
const FOLLOW_IN_PYTHON = `
import asyncio, sys
from svcos_client import AsyncClient, ChangeQuery, Client, ServiceError
base_url, cursor = sys.argv[1:]
query = ChangeQuery(int(cursor), ("opt-in",))

def show(change):
    print(change["did"], change["from"], change["to"], flush=True)

async def follow():
    async with AsyncClient(base_url) as service:
        async for change in service.stream_changes(query):
            show((await service.list_changes(query)).value["changes"][0])
            return show(change)

with Client(base_url) as service:
    change = next(service.stream_changes(query))
    show(change)
    show(service.list_changes(query).value["changes"][0])
    try:
        next(service.stream_changes(ChangeQuery(kinds=("weather",))))
    except ServiceError as error:
        print(error.kind, error.status)
asyncio.run(follow())
`;

/** Does the same in Go. */
const FOLLOW_IN_GO = `package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	svcos "svcos.example/client"
)

func main() {
	ctx := context.Background()
	service, _ := svcos.New(os.Args[1])
	cursor, _ := strconv.ParseInt(os.Args[2], 10, 64)
	query := svcos.ChangeQuery{After: &cursor, Kinds: []string{"opt-in"}}
	for change, err := range service.StreamChanges(ctx, query) {
		fmt.Println(change.Did, *change.From, *change.To, err)
		break
	}
	page, err := service.Changes(ctx, query)
	fmt.Println(page.Value.Changes[0].Did, *page.Value.Changes[0].From, *page.Value.Changes[0].To, err)
	for change, err := range service.StreamChanges(ctx, svcos.ChangeQuery{Kinds: []string{"weather"}}) {
		fmt.Println(change, err)
	}
}
`;

/** Returns the programs of a README, each with the output below it. */
function listPrograms(readme: string, language: string) {
  const text = readFileSync(join(ROOT, readme), 'utf8');
  const form = new RegExp(`\`\`\`${language}\\n([^]+?)\`\`\`\\n\\n\`\`\`text\\n([^]+?)\`\`\``, 'g');
  const programs = [...text.matchAll(form)].map(
    ([, program, printed], at) => [at, program!.replaceAll('http://127.0.0.1:8000', baseUrl), printed!] as const,
  );
  expect(text.split(`\`\`\`${language}\n`)).toHaveLength(programs.length + 1);
  return programs;
}

/** The last block of a README: the command that runs its tests. */
function findTestCommand(readme: string): string[] {
  return /```sh\n(.+)\n```\n$/.exec(readFileSync(join(ROOT, readme), 'utf8'))![1]!.split(' ');
}

/** Opts a machine out or in and returns the cursor before that change, and the line that shows it. */
async function changeOptIn(name: string): Promise<{ readonly cursor: string; readonly line: string }> {
  const connection = connect({ baseUrl });
  const { did, ownerKey } = inject('fixtures').machines.find((machine) => machine.name === name)!;
  const [newest, state] = await Promise.all([listChanges(connection), getMonetization(connection, did)]);
  if (!newest.ok || !state.ok) throw new Error('the service does not respond');
  const optedIn = state.value.status !== 'OPTED_IN';
  const prepared = await prepareDecision(connection, { machine: did, optedIn });
  if (!prepared.ok) throw new Error(prepared.error.text);
  const key = createMainChainKey(Buffer.from(ownerKey.slice(2), 'hex'));
  const sent = await sendDecision(connection, prepared.value, { signature: key.sign(prepared.value.message) });
  if (!sent.ok) throw new Error(sent.error.text);
  return { cursor: String(newest.value.newest), line: `${did} ${state.value.status} ${sent.value.status}` };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-packages-'));
  // Building writes into the folder, so a copy is built.
  cpSync(join(ROOT, 'clients/python'), join(folder, 'repository/clients/python'), { recursive: true });
  cpSync(join(ROOT, 'test/vectors/clients'), join(folder, 'repository/test/vectors/clients'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the shared vectors', () => {
  it('equal the output of their program', () => {
    runTool(join(ROOT, 'test/vectors/clients'), 'python', ['make.py', '--check']);
  });
});

describe('the Python package', () => {
  const source = () => join(folder, 'repository/clients/python');
  let python: string;

  beforeAll(() => {
    runTool(source(), 'python', ['-m', 'build', '--wheel', '--no-isolation']);
    const [wheel] = readdirSync(join(source(), 'dist')).filter((name) => name.endsWith('.whl'));
    // The environment has the dependencies of the tools, and of the package nothing but the wheel.
    runTool(folder, 'python', ['-m', 'venv', '--system-site-packages', 'environment']);
    python = join(folder, 'environment/bin/python');
    const packages = readdirSync(join(TOOLS, 'python/lib')).map((name) =>
      join(TOOLS, 'python/lib', name, 'site-packages'),
    );
    const [place] = readdirSync(join(folder, 'environment/lib'));
    writeFileSync(join(folder, 'environment/lib', place!, 'site-packages/tools.pth'), `${packages.join('\n')}\n`);
    runTool(folder, python, ['-m', 'pip', 'install', '--quiet', '--no-deps', join(source(), 'dist', wheel!)]);
  });

  it('passes mypy in strict mode', () => {
    rule('client.vectors');
    expect(runTool(source(), 'mypy', ['svcos_client']).stdout).toContain('no issues found');
  });

  it('passes the shared vectors', () => {
    rule('client.vectors');
    const [program, ...args] = findTestCommand('clients/python/README.md');
    expect(program).toBe('python');
    expect(runTool(source(), python, args).stderr).toMatch(/^Ran [1-9]\d* tests[^]+OK\n$/m);
  });

  it.each(listPrograms('clients/python/README.md', 'python'))(
    'runs program %d of its README',
    (at, program, printed) => {
      rule('client.quick-starts');
      writeFileSync(join(folder, `program-${at}.py`), program);
      expect(runTool(folder, python, [`program-${at}.py`]).stdout).toBe(printed);
    },
  );

  it('follows changes as pages and as streams, with and without await', async () => {
    rule('client.changes');
    const { cursor, line } = await changeOptIn('rated-b');
    writeFileSync(join(folder, 'follow-changes.py'), FOLLOW_IN_PYTHON);
    const { stdout } = runTool(folder, python, ['follow-changes.py', baseUrl, cursor]);
    expect(stdout.trimEnd().split('\n')).toEqual([line, line, 'invalid-parameters 422', line, line]);
  });

  it('accepts a statement of the running service with eth-account, and none of ten changed ones', async () => {
    rule('statement.eip712');
    const { did } = inject('fixtures').machines.find(({ name }) => name === 'rated-aaa')!;
    const document = await vi.waitFor(
      async () => {
        const result = await getRatingStatement(connect({ baseUrl }), did);
        if (!result.ok) throw new Error(result.error.text);
        return result.value;
      },
      { timeout: 60_000, interval: 500 },
    );
    const changed = TAMPERINGS.map(([, tamper]) => tamper(document));
    const files = [document, ...changed].map((each, at) => {
      const file = join(folder, `statement-${at}.json`);
      writeFileSync(file, JSON.stringify(each));
      return file;
    });
    writeFileSync(join(folder, 'verify-statements.py'), VERIFY_IN_PYTHON);
    const { chainId, verifyingContract } = document.domain;
    const trust = [String(chainId), verifyingContract, document.signer];
    const { stdout } = runTool(folder, python, ['verify-statements.py', ...trust, ...files]);
    const [own, ...others] = stdout.trimEnd().split('\n');
    expect(own).toBe('accepted');
    expect(others).toHaveLength(TAMPERINGS.length);
    expect(others).not.toContain('accepted');
  });
});

describe('the Go module', () => {
  it('is formatted, passes go vet and the shared vectors', () => {
    rule('client.vectors');
    expect(runTool(GO, 'gofmt', ['-l', '.']).stdout).toBe('');
    runTool(GO, 'go', ['vet', './...']);
    const [program, ...args] = findTestCommand('clients/go/README.md');
    expect(runTool(GO, program!, [...args, '-count=1']).stdout).toMatch(/^ok\s/m);
  });

  /** Runs a program that imports the module. */
  function runProgram(name: string, program: string, args: readonly string[] = []): string {
    const target = join(folder, name);
    mkdirSync(target);
    writeFileSync(join(target, 'main.go'), program);
    const version = /^go .+$/m.exec(readFileSync(join(GO, 'go.mod'), 'utf8'))![0];
    const requirement = 'require svcos.example/client v0.0.0\nreplace svcos.example/client => ';
    writeFileSync(join(target, 'go.mod'), `module program\n${version}\n${requirement}${GO}\n`);
    cpSync(join(GO, 'go.sum'), join(target, 'go.sum'));
    return runTool(target, 'go', ['run', '.', ...args]).stdout;
  }

  it.each(listPrograms('clients/go/README.md', 'go'))('runs program %d of its README', (at, program, printed) => {
    rule('client.quick-starts');
    expect(runProgram(`go-${at}`, program)).toBe(printed);
  });

  it('follows changes as pages and as a stream', async () => {
    rule('client.changes');
    const { cursor, line } = await changeOptIn('verified');
    expect(runProgram('follow-changes', FOLLOW_IN_GO, [baseUrl, cursor]).trimEnd().split('\n')).toEqual([
      `${line} <nil>`,
      `${line} <nil>`,
      '<nil> svcos: invalid-parameters: Invalid parameters',
    ]);
  });
});
