/** Sample machines, wallets and fleet of the shared service, and the addresses of their pages. */
import { inject } from 'vitest';
import type { Fixtures } from '../../../devnet/fixtures.ts';
import { findMachine } from '../fetch-checked.ts';

export const baseUrl = inject('baseUrl');

const { machines, operators, wallets } = inject('fixtures');

export const fleet = operators.find(({ name }) => name === 'fleet')!;

export function machineOf(name: string): Fixtures['machines'][number] {
  return findMachine(machines, name);
}

export function machinePath(name: string): string {
  return `/explorer/machine/${machineOf(name).id}`;
}

export function walletOf(name: string): string {
  return wallets.find((wallet) => wallet.name === name)!.address;
}
