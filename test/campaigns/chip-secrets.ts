/**
 * Search of a service for unused nonces and the token: challenges are issued, documents for some are refused, then database, log and a heap
 * snapshot are searched.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Devnet } from '../../devnet/start-devnet.ts';
import { createProvider, startChipService } from './chip-process.ts';
import { findSecrets, takeHeapSnapshot } from './secret-search.ts';

const UNCONSUMED = 20;

export interface SecretSearch {
  readonly searched: readonly string[];
  /** Number of searched nonces. */
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
      const response = await service.post('challenge', JSON.stringify({ machineId }));
      expect(response).toMatchObject({ status: 201 });
      return JSON.parse(response!.text) as Record<string, string>;
    };
    const machines = devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet')).slice(0, UNCONSUMED);
    const nonces: string[] = [];
    for (const { id } of machines) nonces.push((await issue(id))['nonce']!.slice(2));
    // Refused documents with the nonce must not leave it behind.
    const nine = await issue(machines[0]!.id);
    nonces.push(nine['nonce']!.slice(2));
    const { body } = createProvider(devnet)(nine, machines[0]!);
    const spoilt = Buffer.from(body).toString().replace('not_evaluated', 'not_evaluatee');
    expect(await service.post('evidence', spoilt)).toMatchObject({ status: 422 });
    expect(await service.post('evidence', `${spoilt} `)).toMatchObject({ status: 400 });
    // Further requests overwrite the buffers of earlier ones.
    for (const { id } of machines) await service.post('evidence', JSON.stringify({ machineId: id }));
    service.disconnect();
    // The response proves that the closed connections were noticed.
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
