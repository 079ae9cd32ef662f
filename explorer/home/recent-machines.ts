/** Recently viewed machines, stored in this browser only. Empty when the browser blocks storage. */
import type { Letter } from '../parts/wire.ts';

export interface RecentMachine {
  readonly id: string;
  readonly letter: Letter;
  readonly score: number;
}

const KEY = 'recent-machines';
const MOST = 6;

export function listRecentMachines(): readonly RecentMachine[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? (value as readonly RecentMachine[]).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function rememberMachine(machine: RecentMachine): void {
  const others = listRecentMachines().filter(({ id }) => id !== machine.id);
  try {
    localStorage.setItem(KEY, JSON.stringify([machine, ...others].slice(0, MOST)));
  } catch {
    // The browser blocks storage.
  }
}
