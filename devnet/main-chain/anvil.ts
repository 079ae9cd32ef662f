/**
 * Local EVM node (anvil) as a child process that never outlives this one: `stop` ends it, and a guard process kills it when this process
 * dies unexpectedly.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { requireLocalChainPlatform } from '../alt-node/native-platform.ts';
import { createRpc } from './rpc.ts';

export const DEVNET_CHAIN_ID = 31337;

export interface AnvilOptions {
  /** 0 or absent = any free port. */
  readonly port?: number | undefined;
  /** Unix seconds of block 0; absent = now. */
  readonly genesisTimestamp?: number | undefined;
}

export interface Anvil {
  readonly rpcUrl: string;
  readonly pid: number;
  readonly chainId: number;
  /** Kills the process and resolves when it has exited. Idempotent. */
  stop(): Promise<void>;
}

/** Enough for a day of seeding in one block. */
const BLOCK_GAS_LIMIT = '1000000000';

/**
 * Number of past states that can be read, as many as a full node keeps; each is 2 MB once the devnet is seeded. Blocks, receipts and logs are
 * never removed, because an index is filled from them. Readers pin a recent block, and statements the newest proven one.
 */
export const RETAINED_STATES = 128;

/** Waits for end of file on standard input, which means that this process has ended, then kills the node. */
const GUARD_SCRIPT = 'read -r _; kill -9 "$1" 2>/dev/null';

/**
 * Starts anvil with mining on demand and finality two blocks behind the head. It signs for any sender, so no keys are needed.
 * Throws when it exits before it listens, for example when the port is in use.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const genesis = options.genesisTimestamp;
  const child = spawn(
    findBinary(),
    [
      ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--chain-id', String(DEVNET_CHAIN_ID)],
      ...['--hardfork', 'prague', '--gas-limit', BLOCK_GAS_LIMIT, '--accounts', '1', '--auto-impersonate'],
      ...['--no-mining', '--slots-in-an-epoch', '1', '--order', 'fifo'],
      ...['--prune-history', String(RETAINED_STATES)],
      ...(genesis === undefined ? [] : ['--timestamp', String(genesis)]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'anvil-guard', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const stop = createStop(child, guard);
  try {
    const rpcUrl = `http://${await readListeningAddress(child)}`;
    await createRpc(rpcUrl).request('anvil_setLoggingEnabled', [false]);
    return { rpcUrl, pid: child.pid!, chainId: DEVNET_CHAIN_ID, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function findBinary(): string {
  requireLocalChainPlatform();
  const packageFile = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json');
  return join(dirname(packageFile), 'bin', 'anvil');
}

/** Reads the output of anvil up to its listening address and discards the rest. */
async function readListeningAddress(child: ChildProcess): Promise<string> {
  const errors: string[] = [];
  const collectError = (chunk: Buffer) => void errors.push(chunk.toString());
  child.stderr!.on('data', collectError);
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    child.stdout!.resume();
    child.stderr!.off('data', collectError).resume();
    return address;
  }
  await closed;
  throw new Error(`anvil did not start: ${errors.join('').trim()}`);
}

function createStop(child: ChildProcess, guard: ChildProcess): () => Promise<void> {
  const gone = once(child, 'exit');
  gone.catch(() => undefined);
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    guard.kill('SIGKILL');
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await gone;
  }
  return () => (stopped ??= stop());
}
