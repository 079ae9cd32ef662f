/** Measurements of a service whose index holds a large fleet: start until the first page, resident memory, near and far pages. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import { median } from '../measuring.ts';

/** Operator of one machine in ten of every measured index. */
export const FLEET = `0x${'f1'.repeat(20)}` as Address;
export const PAGE = 20;

/** Node flags of the deployed service: most objects die young, and few threads allocate. */
const FLAGS = ['--max-semi-space-size=2'];
const ALLOCATOR = { MALLOC_ARENA_MAX: '1' };

const root = join(import.meta.dirname, '../..');

export interface FleetService {
  readonly child: ChildProcess;
  readonly url: string;
  /** Milliseconds from the start of the process to the first page. */
  readonly startMilliseconds: number;
}

export async function startFleetService(entry: string, variables: Record<string, string>): Promise<FleetService> {
  const began = performance.now();
  const child = spawn(process.execPath, [...FLAGS, join(root, entry), 'serve'], {
    env: {
      ...process.env,
      ...ALLOCATOR,
      ...variables,
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'silent',
      RATE_LIMITS: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error(`${entry} exited before it listened`);
  });
  gone.catch(() => undefined);
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), gone])) as [string];
  const url = line.replace('listening on ', '');
  for (;;) {
    const { status } = await fetch(pageUrl(url, 0));
    if (status === 200) return { child, url, startMilliseconds: performance.now() - began };
    if (status !== 503) throw new Error(`the listing returned ${status}`);
  }
}

export async function stopFleetService({ child }: FleetService): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

/** Returns milliseconds until a page is served, including requests that end with 503. Throws when it is not of this fleet. */
export async function timePage(url: string, offset: number, machines: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const response = await fetch(pageUrl(url, offset));
    const body = (await response.json()) as { pagination: { total: number } };
    if (response.status === 503) continue;
    if (response.status !== 200 || body.pagination.total !== machines) throw new Error('the page is not of this fleet');
    return performance.now() - began;
  }
}

/** Returns the median over `pages` pages. */
export async function timePages(url: string, offset: number, machines: number, pages: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < pages; i++) times.push(await timePage(url, offset, machines));
  return median(times);
}

/** Reads consecutive pages of the directory in the order of scores. */
export async function readDirectoryPages(url: string, pages: number): Promise<void> {
  let after = '';
  for (let i = 0; i < pages; i++) {
    const response = await fetch(`${url}/directory?sort=-score&limit=${PAGE}${after}`);
    const { next, machines } = (await response.json()) as { next: string | null; machines: readonly unknown[] };
    if (response.status !== 200 || machines.length !== PAGE) throw new Error('the page is not of this directory');
    after = next === null ? '' : `&after=${next}`;
  }
}

function pageUrl(url: string, offset: number): string {
  return `${url}/operator/${FLEET}/machines?offset=${offset}&limit=${PAGE}`;
}

export function readMegabytes({ child }: FleetService): number {
  const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)![1]) / 1024;
}
