/**
 * Campaign: a release is built, verified and installed by following its own notes in an empty folder, without the repository, its
 * modules and a package server. `npm run campaigns -- release`. A second build must be the same. The service of the archive then
 * follows both local chains. Where the kernel allows mounts, the steps of docs/deployment.md are followed on a host whose folders
 * are overlaid, with its update and the way back, and the image's command runs as an unprivileged user on a read-only root.
 */
import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..', '..');
const TITLE = `${manifest.name}-${manifest.version}`;
const POLL_MILLISECONDS = 250;
/** A release and the local chains take half a minute on an idle machine, a start some seconds. */
const LIMIT_MILLISECONDS = 600_000;
/** Bound of what the image adds to its base. */
const MAX_IMAGE_BYTES = 120_000_000;
const PUBLISHED = { repository: 'https://source.example/machine-rating', homepage: 'https://ratings.example' };

let folder: string;
let release: string;
/** Folder in which the notes are followed. */
let clean: string;
let installed: string;
let devnet: Devnet;
let env: Readonly<Record<string, string>>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-test-'));
  release = join(folder, 'release');
  clean = join(folder, 'clean');
  installed = join(clean, TITLE);
  await buildRelease(release);
  mkdirSync(clean);
  for (const file of readdirSync(release)) copyFileSync(join(release, file), join(clean, file));
  // Only Node and the host's own programs, and nothing of this process.
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  cpSync(process.execPath, join(programs, 'node'));
  env = { PATH: `${programs}:/usr/bin:/bin`, HOME: clean };
  devnet = await startDevnet({ dir: join(folder, 'devnet'), quiet: true });
}, LIMIT_MILLISECONDS);
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
afterAll(async () => {
  await devnet.stop();
  rmSync(folder, { recursive: true });
});

/** Meanwhile this process serves one of the local chains. */
async function buildRelease(to: string): Promise<void> {
  const addresses = Object.entries(PUBLISHED).flatMap(([name, url]) => [`--${name}`, url]);
  await promisify(execFile)(process.execPath, ['deploy/release/run.ts', ...addresses, '--to', to], { cwd: ROOT });
}

/** Commands of the notes, by the number of their step. */
function commandsOf(step: number): string {
  const [text] = readFileSync(join(release, 'INSTALL.md'), 'utf8')
    .split(/^## /m)
    .filter((section) => section.startsWith(`${step}. `));
  return /```sh\n([^]*?)```/.exec(text!)![1]!;
}

/** Runs the commands of a step and returns their output; one of the local chains runs in this process. */
async function follow(step: number, cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-e', '-c', commandsOf(step)], { cwd, env });
  return stdout;
}

function lines(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function settings(databaseUrl: string): Promise<Record<string, string>> {
  const [port, adminPort] = [await findFreePort(), await findFreePort()];
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  return { ...devnet.env, ...ports, DATABASE_URL: databaseUrl, RATE_LIMITS: 'off' };
}

/** Requests a path until it returns 200, and returns the body. Fails when the service ends before, or the state does not come. */
async function untilServed(child: ChildProcess, url: string): Promise<string> {
  const limit = AbortSignal.timeout(LIMIT_MILLISECONDS);
  for (;;) {
    expect(child.exitCode).toBeNull();
    const { status, text } = await fetch(url).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => ({ status: 0, text: 'no connection' }),
    );
    if (status === 200) return text;
    expect([0, 503]).toContain(status);
    if (limit.aborted) throw new Error(`${url} is not served: ${text}`);
    await delay(POLL_MILLISECONDS);
  }
}

/** Waits until the service is ready and has indexed. */
async function expectRating(child: ChildProcess, url: string): Promise<void> {
  await untilServed(child, `${url}/ready`);
  expect(JSON.parse(await untilServed(child, `${url}/mcr/${findSample().did}`))).toMatchObject({ mcr: 'AAA' });
}

function findSample() {
  return devnet.fixtures.machines.find(({ name }) => name === 'rated-aaa')!;
}

it('has the checksum of every file', () => {
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
  const named = [...sums.matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)].map(([, file]) => file!);
  expect([...named, 'SHA256SUMS'].toSorted()).toEqual(readdirSync(release).toSorted());
});

it('is the same when the commit is built again', { timeout: LIMIT_MILLISECONDS }, async () => {
  const again = join(folder, 'again');
  await buildRelease(again);
  expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(join(release, 'SHA256SUMS'), 'utf8'));
});

it('rejects a changed archive in the first step', () => {
  const changed = join(folder, 'changed');
  cpSync(release, changed, { recursive: true });
  writeFileSync(join(changed, 'NOTICE'), 'other');
  const { status, stdout } = spawnSync('/bin/sh', ['-e', '-c', commandsOf(1)], {
    cwd: changed,
    env,
    encoding: 'utf8',
  });
  expect([status, stdout.trim()]).toEqual([1, 'NOTICE: FAILED']);
});

describe('installed in an empty folder by its notes', () => {
  it('unpacks and shows its version', async () => {
    expect(await follow(1, clean)).toContain(`svc ${manifest.version}, Node v`);
  });

  it('contains no path of the machine that built it', () => {
    const files = globSync('**/*', { cwd: installed }).filter((file) => statSync(join(installed, file)).isFile());
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => readFileSync(join(installed, file)).includes(ROOT))).toEqual([]);
  });

  it('lists every installed package in the bill of materials and the notices', () => {
    const bill = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8')) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    const listed = bill.components.map(({ name, version }) => `${name} ${version}`);
    const packages = globSync('node_modules/{@*/*,[^@]*}/package.json', { cwd: installed }).map((path) => {
      const { name, version } = JSON.parse(readFileSync(join(installed, path), 'utf8')) as Record<string, string>;
      return `${name!} ${version!}`;
    });
    expect([bill.bomFormat, packages.length > 30]).toEqual(['CycloneDX', true]);
    // These are in the bundles only.
    const bundled = ['viem', 'fastify', 'preact', '@noble/curves'].filter((name) =>
      listed.every((each) => !each.startsWith(`${name} `)),
    );
    expect([packages.filter((each) => !listed.includes(each)), bundled]).toEqual([[], []]);
    const notice = readFileSync(join(installed, 'NOTICE'), 'utf8');
    expect(listed.filter((each) => !notice.includes(`\n${each} (`))).toEqual([]);
  });

  it('rehearses, starts and serves both chains', async () => {
    await follow(2, installed);
    expect(statSync(join(installed, 'service.env')).mode & 0o777).toBe(0o600);
    const variables = await settings(`sqlite:${join(clean, 'svc.db')}`);
    writeFileSync(join(installed, 'service.env'), lines(variables));
    expect(await follow(3, installed)).toContain('DATABASE_URL');
    const service = spawn('/bin/sh', ['-e', '-c', `exec ${commandsOf(4)}`], { cwd: installed, env, stdio: 'ignore' });
    running.push(service);
    const url = `http://127.0.0.1:${variables['PORT']!}`;
    await expectRating(service, url);
    const id = devnet.fixtures.machines[0]!.id;
    // A busy machine may take longer than a request for the first use of each.
    for (const path of ['/', '/docs', '/openapi.json', `/machines/${id}/card.svg`, `/machines/${id}/card.png`]) {
      expect(await untilServed(service, url + path)).not.toBe('');
    }
  });
});

it('contains a client with license, notices, source and pages', () => {
  const [file] = globSync('svcos-client-*.tgz', { cwd: release });
  const read = (name: string) =>
    execFileSync('tar', ['--extract', '--to-stdout', '--file', join(release, file!), `package/${name}`], {
      encoding: 'utf8',
    });
  expect(JSON.parse(read('package.json'))).toMatchObject({
    license: 'Apache-2.0',
    homepage: PUBLISHED.homepage,
    repository: { type: 'git', url: PUBLISHED.repository, directory: 'client' },
  });
  expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  const packages = [...read('NOTICE').matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm)].map(([, name]) => name);
  expect(packages).toEqual(['@noble/curves', '@noble/hashes']);
});

it('contains the clients for Python and Go with their licenses', () => {
  const [wheel] = globSync('svcos_client-*.whl', { cwd: release });
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel!, join(folder, 'wheel')], { cwd: release });
  const [metadata] = globSync('*.dist-info/METADATA', { cwd: join(folder, 'wheel') });
  const fields = readFileSync(join(folder, 'wheel', metadata!), 'utf8');
  expect(fields).toContain('\nLicense-Expression: Apache-2.0\n');
  expect(fields).toContain(`\nProject-URL: Homepage, ${PUBLISHED.homepage}\n`);
  expect(fields).toContain(`\nProject-URL: Repository, ${PUBLISHED.repository}\n`);
  const module = join(release, `svcos-client-go-${manifest.version}.tar.gz`);
  const listed = execFileSync('tar', ['--list', '--file', module], { encoding: 'utf8' });
  expect(listed.split('\n').filter((path) => /\/(?:LICENSE|go\.mod|client\.go)$/.test(path))).toHaveLength(3);
});

/** Containers often have no systemd, and the unit needs the host's Node. */
const isUnitCheckable =
  existsSync('/usr/bin/node') && spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;
/** Options of a host of its own: its folders are overlaid, and all of its processes end with the first one. */
const OWN_HOST = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private'];
const isMountAllowed = spawnSync('unshare', [...OWN_HOST, 'true']).status === 0;

/** Stand-in for systemd: starts the unit's command as its user with its variables, and stops it within the unit's time. */
const SYSTEMCTL = `#!/bin/sh -e
unit=/etc/systemd/system/machine-rating.service
state=$(dirname "$0")
setting() { sed --quiet "s/^$1=//p" $unit; }
case "$*" in
  daemon-reload) ;;
  'enable --now machine-rating' | 'start machine-rating')
    user=$(setting User)
    mkdir --parents /var/lib/machine-rating
    chown --recursive "$user:$user" /var/lib/machine-rating
    env $(setting Environment) $(grep --invert-match '^#' "$(setting EnvironmentFile)") \\
      setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs \\
      $(setting ExecStart | sed 's|/usr/bin/node|node|') > "$state/log" 2>&1 &
    echo $! > "$state/pid" ;;
  'stop machine-rating')
    pid=$(cat "$state/pid")
    kill -s "$(setting KillSignal | sed s/^SIG//)" "$pid"
    timeout "$(setting TimeoutStopSec)" tail --pid="$pid" --sleep-interval=0.1 --follow /dev/null || kill -s KILL "$pid" ;;
  'restart machine-rating')
    "$0" stop machine-rating
    "$0" start machine-rating ;;
  *) exit 64 ;;
esac
`;

describe.runIf(isMountAllowed)('docs/deployment.md, followed on a host', () => {
  const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  /** Returns the fenced commands below a heading. */
  const commandsBelow = (heading: string): string => {
    const section = page.split(/^#{2,3} /m).find((each) => each.startsWith(heading))!;
    return [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, commands]) => commands!).join('');
  };

  it('serves a known machine, after an update and after the way back too', async () => {
    const [upper, tools, prepared, key] = ['upper', 'tools', 'prepared.env', 'owner.key'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    mkdirSync(upper);
    mkdirSync(tools);
    writeFileSync(join(tools, 'systemctl'), SYSTEMCTL, { mode: 0o755 });
    const { DATABASE_URL: _database, STATEMENT_KEY_FILE: _key, ...variables } = await settings('');
    writeFileSync(prepared, lines(variables));
    const { did, ownerKey } = findSample();
    writeFileSync(key, ownerKey, { mode: 0o600 });
    writeFileSync(join(clean, 'statement.key'), `0x${'7'.repeat(64)}\n`, { mode: 0o600 });
    // The service reads Node and the files of the local chains as another user.
    execFileSync('chmod', ['a+rx', folder]);
    execFileSync('chmod', ['--recursive', 'a+rX', join(folder, 'devnet')]);
    const url = `http://127.0.0.1:${variables['PORT']!}`;
    const checks = commandsBelow('5. ').replaceAll('http://127.0.0.1:8000', url);
    expect(checks.match(/^curl .* --retry \d+ .*$/gm)).toHaveLength(3);
    const written = commandsBelow('systemd');
    const start = isUnitCheckable
      ? written
      : written
          .replaceAll(/^systemd-analyze .*$/gm, '')
          .replaceAll(/^systemd-sysusers .*$/gm, 'useradd --system machine-rating');
    const decide = (option: string) =>
      `/opt/machine-rating/bin/svc monetize ${did} ${option} --key-file ${key} --base-url ${url}`;
    const expectDecision = (status: string) =>
      `curl --fail --silent --retry 300 --retry-delay 2 ${url}/machine/${did}/monetization | grep '"status":"${status}"'`;
    // Changes of these folders are visible below this script only.
    const script = `
      trap 'tail --lines=20 ${tools}/log >&2' EXIT
      mount -t tmpfs upper ${upper}
      for folder in etc opt var/lib; do
        mkdir -p ${upper}/$folder/upper ${upper}/$folder/work
        mount -t overlay -o lowerdir=/$folder,upperdir=${upper}/$folder/upper,workdir=${upper}/$folder/work overlay /$folder
      done
      # That of a hardened host; the service is another user.
      umask 077
      mkdir /var/lib/machine-rating
      cd ${clean}
      ${commandsBelow('1. ')}
      cp ${prepared} /etc/machine-rating/service.env
      ${commandsBelow('2. ')}
      ${commandsBelow('3. ')}
      ${start}
      ${checks}
      cd ${clean}
      ${commandsBelow('Private files')}
      ${checks}
      curl --fail --silent --retry 300 --retry-delay 2 ${url}/mcr/${did}/statement | grep '"signature":"0x'
      curl --fail --silent --retry 300 --retry-delay 2 ${url}/mcr/${did} | grep '"mcr":"AAA"'
      ${decide('--opt-in')}
      cd ${clean}
      ${commandsBelow('Update')}
      ${checks}
      ls /opt/machine-rating.old/dist/svc.js
      ${expectDecision('OPTED_IN')}
      ${decide('--opt-out')}
      ${expectDecision('OPTED_OUT')}
      ${commandsBelow('Go back')}
      ${checks}
      ${expectDecision('OPTED_IN')}
      ls /opt/machine-rating.failed/dist/svc.js /var/lib/machine-rating/svc.db
      systemctl stop machine-rating`;
    const args = [...OWN_HOST, '/bin/sh', '-e', '-c', script];
    const path = `${tools}:${env['PATH']!}:/usr/sbin:/sbin`;
    const { stdout } = await promisify(execFile)('unshare', args, { env: { ...env, PATH: path } });
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      '/opt/machine-rating.failed/dist/svc.js',
      '/var/lib/machine-rating/svc.db',
    ]);
  });

  it.runIf(spawnSync('helm', ['version']).status === 0)('renders the chart with the values of the page', () => {
    writeFileSync(join(clean, 'values.yaml'), /```yaml\n([^]*?)```/.exec(page)![1]!);
    const [command] = /^helm upgrade --install .*$/m.exec(commandsBelow('Kubernetes'))!;
    const rendered = command
      .replace('helm upgrade --install', 'helm template')
      .replace('/opt/machine-rating/deploy', join(installed, 'deploy'));
    const text = execFileSync('/bin/sh', ['-e', '-c', rendered], { cwd: clean, encoding: 'utf8', stdio: 'pipe' });
    expect(text).toContain('image: "registry.example/machine-rating-service:VERSION"');
    expect(text.match(/^kind: (?:Deployment|Ingress)$/gm)).toHaveLength(2);
  });
});

describe.runIf(isMountAllowed)('as the image runs it', () => {
  /** Unprivileged user of the base image. */
  const USER = '1000:1000';

  /** Fills the root of a container: Node with its libraries, and what the Dockerfile of the archive copies. */
  function createRoot(): string {
    const root = join(folder, 'root');
    const dockerfile = readFileSync(join(installed, 'Dockerfile'), 'utf8');
    for (const [, from] of dockerfile.matchAll(/^COPY (.+) \S+$/gm)) {
      for (const each of from!.split(' ')) {
        cpSync(join(installed, each), join(root, 'service', each), { recursive: true });
      }
    }
    const native = globSync('node_modules/**/*linux-x64*/**/*.node', { cwd: installed });
    const loaded = [process.execPath, ...native.map((file) => join(installed, file))];
    const libraries = execFileSync('ldd', loaded, { encoding: 'utf8' }).match(/\/\S+(?= \()/g)!;
    for (const file of [...libraries, '/bin/sh']) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      copyFileSync(file, join(root, file));
    }
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
    for (const name of ['dev', 'proc', 'data', 'tmp', 'etc']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
    // Exchange rates and certificates, which a deployment mounts.
    const files = join(root, folder, 'devnet');
    cpSync(join(folder, 'devnet'), files, { recursive: true });
    execFileSync('chown', ['--recursive', USER, files]);
    return root;
  }

  it('serves as an unprivileged user on a read-only root, and adds at most 120 MB to the base image', async () => {
    const root = createRoot();
    const added = execFileSync('du', ['--summarize', '--bytes', join(root, 'service')], { encoding: 'utf8' });
    expect(Number.parseInt(added, 10)).toBeLessThan(MAX_IMAGE_BYTES);
    const dockerfile = readFileSync(join(installed, 'Dockerfile'), 'utf8');
    const [, entry] = /^ENTRYPOINT (.+)$/m.exec(dockerfile)!;
    const [, fixed] = /^ENV (.+)$/m.exec(dockerfile)!;
    const entrypoint = [...(JSON.parse(entry!) as string[]), 'serve'];
    const image = Object.fromEntries(fixed!.split(' ').map((pair) => pair.split('=', 2) as [string, string]));
    const variables = await settings(image['DATABASE_URL']!);
    const all = { ...variables, ...image };
    const script = `
      mount --bind "$1" "$1"
      mount --rbind /dev "$1/dev"
      mount -t proc proc "$1/proc"
      mount -t tmpfs -o size=64m,mode=0755,uid=1000,gid=1000 data "$1/data"
      mount -o remount,bind,ro "$1"
      root=$1
      shift
      exec chroot --userspec=${USER} "$root" /bin/sh -c 'cd /service && exec "$@"' sh "$@"`;
    const args = ['--mount', '--propagation', 'private', '/bin/sh', '-e', '-c', script, 'sh', root];
    const service = spawn('unshare', [...args, ...entrypoint], {
      env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...all },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.push(service);
    const url = `http://127.0.0.1:${variables['PORT']!}`;
    await expectRating(service, url);
    const { machines } = devnet.fixtures;
    expect((await fetch(`${url}/machines/${machines[0]!.id}/card.png`)).status).toBe(200);
    const seen = `/proc/${service.pid!}`;
    expect(/^Uid:\t(\d+)/m.exec(readFileSync(`${seen}/status`, 'utf8'))![1]).toBe('1000');
    expect(readFileSync(`${seen}/mountinfo`, 'utf8')).toMatch(/ \/ ro[ ,]/);
    expect(readdirSync(join(seen, 'root', 'data'))).toContain('svc.db');
  });
});
