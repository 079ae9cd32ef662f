/**
 * Test support: what does a service leave of nonces that nobody used, and of the token? It issues challenges, refuses documents for some, and then its
 * database, its log and a snapshot of its memory are searched.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Devnet } from '../../devnet/start-devnet.ts';
import { createProvider, startChipService } from './chip-scene.ts';
import { findSecrets, takeHeapSnapshot } from './secret-search.ts';

const UNCONSUMED = 20;

export interface SecretSearch {
  readonly searched: readonly string[];
  /** How many. */
  readonly nonces: number;
  readonly found: readonly string[];
}

export async function searchAfterRefusals(devnet: Devnet, folder: string): Promise<SecretSearch> {
  const memory = join(folder, 'memory');
  mkdirSync(memory);
  const service = await startChipService(devnet, {
    databaseUrl: `sqlite:${join(folder, 'svc.db')}`,
    connections: 1,
    logFile: join(folder, 'log'),
    flags: ['--heapsnapshot-signal=SIGUSR2'],
    cwd: memory,
  });
  try {
    const issue = async (machineId: string): Promise<Record<string, string>> => {
      const answer = await service.post('challenge', JSON.stringify({ machineId }));
      expect(answer).toMatchObject({ status: 201 });
      return JSON.parse(answer!.text) as Record<string, string>;
    };
    const machines = devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet')).slice(0, UNCONSUMED);
    const nonces: string[] = [];
    for (const { id } of machines) nonces.push((await issue(id))['nonce']!.slice(2));
    // Refusals that carry the nonce: none may leave it behind.
    const nine = await issue(machines[0]!.id);
    nonces.push(nine['nonce']!.slice(2));
    const { body } = createProvider(devnet)(nine, machines[0]!);
    const spoilt = Buffer.from(body).toString().replace('not_evaluated', 'not_evaluatee');
    expect(await service.post('evidence', spoilt)).toMatchObject({ status: 422 });
    expect(await service.post('evidence', `${spoilt} `)).toMatchObject({ status: 400 });
    // Requests of others push what was read and written before out of the buffers.
    for (const { id } of machines) await service.post('evidence', JSON.stringify({ machineId: id }));
    service.hangUp();
    // Answered after the ends of those connections were seen.
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    const snapshot = await takeHeapSnapshot(service.process, memory);
    const written = readdirSync(folder).filter((name) => name !== 'memory');
    expect(written).toEqual(expect.arrayContaining(['log', 'svc.db']));
    const searched = [...written.map((name) => join(folder, name)), snapshot];
    const found = await findSecrets(searched, [...nonces, devnet.env['ONBOARDING_TOKENS']!]);
    return { searched, nonces: nonces.length, found };
  } finally {
    await service.kill();
  }
}
