/**
 * `npm run dev`: local chains, seeded once, with the service and its pages in front of them. A change of the service's sources
 * restarts the service; a change of the pages' sources reloads open pages. `PORT` moves it from port 8000.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, watch } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { requireFreeFolder } from '../cli/free-folder.ts';
import { runUntilStopped } from '../cli/until-stopped.ts';
import { startDevnet } from '../devnet/start-devnet.ts';
import { createPageProxy } from './page-proxy.ts';

const ROOT = join(import.meta.dirname, '..');
/** Sources of the page bundle. */
const PAGE_FOLDERS = ['explorer', 'client', 'src/domain'];
/** An editor writes several files at once. */
const SETTLING_MILLISECONDS = 100;

const dir = join(ROOT, '.devnet');
const port = Number(process.env['PORT'] ?? 8000);

await requireFreeFolder(dir);
await runUntilStopped(async (onShutdown) => {
  const servicePort = await findFreePort();
  const proxy = createPageProxy(join(ROOT, 'explorer'), servicePort);
  await once(proxy.server.listen(port, '127.0.0.1'), 'listening');
  console.error('starting two local chains and seeding them with sample machines; this takes about 20 seconds');
  const devnet = await startDevnet({ dir });
  onShutdown(() => devnet.stop());

  const database = join(dir, 'dev.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...devnet.env,
    PORT: String(servicePort),
    PUBLIC_URL: url,
    DATABASE_URL: `sqlite:${database}`,
    POLL_INTERVAL_SECONDS: '2',
    LOG_FORMAT: 'pretty',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    ADMIN_PORT: process.env['ADMIN_PORT'] ?? '0',
    MAIN_EXPLORER_URL: process.env['MAIN_EXPLORER_URL'],
    ALT_EXPLORER_URL: process.env['ALT_EXPLORER_URL'],
  };
  const flags = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT', ...process.argv.slice(2)];
  const service = spawn(process.execPath, [...flags, join(ROOT, 'cli', 'svc.ts'), 'serve'], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(service, 'exit');
  onShutdown(async () => {
    service.kill('SIGTERM');
    await exited;
  });
  let isReady = false;
  createInterface({ input: service.stdout }).on('line', (line) => {
    // Hides the address behind the proxy.
    if (!line.startsWith('listening on')) return console.log(line);
    console.log(`service started; open ${url}`);
    if (!isReady) console.log(`ready; sample machines: ${join(dir, 'fixtures.json')}; Ctrl-C stops everything`);
    isReady = true;
    proxy.reload();
  });

  let settling: NodeJS.Timeout | undefined;
  for (const folder of PAGE_FOLDERS) {
    watch(join(ROOT, folder), { recursive: true }, () => {
      clearTimeout(settling);
      settling = setTimeout(proxy.reload, SETTLING_MILLISECONDS);
    });
  }
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}
