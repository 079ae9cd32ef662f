/** Search for secrets in files of any size, in every encoding, and in a heap snapshot of a process. */
import type { ChildProcess } from 'node:child_process';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const CHUNK_BYTES = 1 << 24;
const SNAPSHOT_PAUSE_MILLISECONDS = 500;

/** Returns file and number of each secret found. Nonces of 64 hex digits are searched as hex in any case, as bytes and as base64(url). */
export async function findSecrets(paths: readonly string[], secrets: readonly string[]): Promise<string[]> {
  const needles = secrets.flatMap((secret, n) => spell(secret).map((bytes) => ({ n, bytes })));
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const found = new Set<string>();
  for (const path of paths) {
    let tail = Buffer.alloc(0);
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([tail, chunk]);
      for (const needle of needles) {
        if (bytes.includes(needle.bytes)) found.add(`${path.split('/').at(-1)}: secret ${needle.n}`);
      }
      tail = bytes.subarray(Math.max(0, bytes.length - overlap));
    }
  }
  return [...found];
}

function spell(secret: string): Buffer[] {
  const texts = [Buffer.from(secret)];
  if (!/^[0-9a-f]{64}$/.test(secret)) return texts;
  const bytes = Buffer.from(secret, 'hex');
  return [
    ...texts,
    Buffer.from(secret.toUpperCase()),
    bytes,
    Buffer.from(bytes.toString('base64').slice(0, 42)),
    Buffer.from(bytes.toString('base64url').slice(0, 42)),
  ];
}

/** Returns the path of the complete snapshot. The process must run in the folder, with `--heapsnapshot-signal=SIGUSR2`. */
export async function takeHeapSnapshot(child: ChildProcess, folder: string): Promise<string> {
  child.kill('SIGUSR2');
  for (let size = -1; ;) {
    await delay(SNAPSHOT_PAUSE_MILLISECONDS);
    const [name] = readdirSync(folder).filter((each) => each.endsWith('.heapsnapshot'));
    if (name === undefined) continue;
    const now = statSync(join(folder, name)).size;
    if (now === size && now > 0) return join(folder, name);
    size = now;
  }
}
