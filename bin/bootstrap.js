/**
 * Bootstrap of every command of this repository: installs the locked dependencies when `node_modules` differs from
 * `package-lock.json`, and runs TypeScript with a Node that can. Plain JavaScript for Node 20, with Node's own modules only.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_CHECK_MILLISECONDS = 250;

/**
 * Runs `npm ci` when it is needed, in one process at a time. Returns whether it did. `tools` also requires the development
 * dependencies; without it an installation that omits all of them is complete.
 */
export async function installDependencies(name, { tools = false } = {}) {
  if (isInstalled(tools)) return false;
  const release = await acquireInstallLock(name);
  try {
    // Another process may have installed them in the meantime.
    if (isInstalled(tools)) return true;
    console.error(`${name}: installing dependencies (npm ci); this takes a minute or two`);
    const args = ['ci', '--loglevel=error', ...(tools ? ['--include=dev'] : [])];
    const status = await run('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
    if (status !== 0) {
      fail(name, 'npm ci failed, so the dependencies are incomplete; see the error above, then run the command again');
    }
    return true;
  } finally {
    release();
  }
}

/** Returns a Node that runs TypeScript: this one, or the one that the dependencies bring. */
export function findNode(name) {
  if (process.features.typescript) return process.execPath;
  const node = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(node)) return node;
  return fail(
    name,
    `Node ${process.versions.node} is too old, and ${process.platform} on ${process.arch} has no other here; use Node 24`,
  );
}

/** Runs a program and resolves with its exit code. Forwards signals; dies of the signal that the program dies of. */
export async function run(program, args, options) {
  const child = spawn(program, args, options);
  const forward = (signal) => child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    const [code, signal] = await once(child, 'exit');
    for (const each of FORWARDED_SIGNALS) process.removeListener(each, forward);
    if (signal !== null) process.kill(process.pid, signal);
    return code;
  } catch (error) {
    console.error(`${program} does not start: ${error.message}`);
    return 1;
  }
}

/**
 * In an npm script, ends this process when its parent has died: npm does not forward SIGHUP. A script that starts a service uses `exec`, so that
 * the parent is npm; a shell between them would outlive npm.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MILLISECONDS).unref();
}

export function fail(name, message) {
  console.error(`${name}: ${message}`);
  process.exit(1);
}

/**
 * Compares the lock file with the one that npm writes last into `node_modules`: every installed package must be locked with
 * the same version and hash, and every locked package that this platform needs must be installed.
 */
function isInstalled(tools) {
  const installed = readPackages('node_modules', '.package-lock.json');
  if (installed === undefined) return false;
  const locked = readPackages('package-lock.json');
  if (locked === undefined) return true;
  // Folders of this repository and links to them are there without an installation.
  const paths = Object.keys(locked).filter((path) => path.includes('node_modules') && !locked[path].link);
  const isProduction = !tools && !paths.some((path) => locked[path].dev && installed[path]);
  const direct = isProduction ? {} : listOptional(locked);
  return (
    Object.keys(installed).every((path) => isSamePackage(installed[path], locked[path])) &&
    paths.every((path) => installed[path] || isDispensable(path, locked[path], { direct, isProduction }))
  );
}

/** Returns the optional packages that the manifests of this repository name. */
function listOptional(locked) {
  const manifests = Object.keys(locked).filter((path) => !path.includes('node_modules'));
  return Object.assign({}, ...manifests.map((path) => locked[path].optionalDependencies));
}

/** Returns undefined when the file is missing or cut short. */
function readPackages(...path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, ...path), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isSamePackage(installed, locked) {
  return installed.version === locked?.version && installed.integrity === locked?.integrity;
}

/** npm leaves out optional packages of other platforms; one that a manifest of this repository names and that fits this platform is needed. */
function isDispensable(path, { dev, optional, devOptional, ...limits }, { direct = {}, isProduction }) {
  if (isProduction && dev) return true;
  if (!optional && !devOptional) return false;
  return !(path.replace('node_modules/', '') in direct && fitsPlatform(limits));
}

function fitsPlatform({ os = [process.platform], cpu = [process.arch], libc = [findLibc()] }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes(findLibc());
}

function findLibc() {
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * Waits until no other process installs into this folder. The lock is an abstract socket, which the kernel frees when its
 * owner dies; other systems than Linux have none and install without a lock.
 */
async function acquireInstallLock(name) {
  if (process.platform !== 'linux') return () => undefined;
  const address = `\0npm-ci-${createHash('sha256').update(ROOT).digest('hex')}`;
  for (let isFirst = true; ; isFirst = false) {
    const server = createServer((socket) => socket.on('error', () => undefined)).unref();
    try {
      await once(server.listen(address), 'listening');
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      if (isFirst) console.error(`${name}: waiting for another process that installs the dependencies`);
      await awaitEnd(connect(address));
      continue;
    }
    const sockets = new Set();
    server.on('connection', (socket) => sockets.add(socket));
    return () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
  }
}

/** Resolves when the owner of the lock releases it or dies. */
function awaitEnd(socket) {
  return new Promise((resolve) =>
    socket
      .on('error', () => undefined)
      .on('close', resolve)
      .resume(),
  );
}
