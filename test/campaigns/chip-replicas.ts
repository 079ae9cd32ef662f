/** Test support: services on one database, each with its share of the callers. Some may be killed, and come back. */
import type { Devnet } from '../../devnet/start-devnet.ts';
import { startChipService, type ChipService, type ChipServiceOptions } from './chip-scene.ts';

export interface ChipReplicas {
  /** Callers of the first connections have the first service. */
  readonly post: ChipService['post'];
  /** By their numbers, from 0; without a warning. */
  strike(victims: readonly number[]): void;
  /** Starts those again that were struck. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

/** `connections` is that of all together. */
export async function startChipReplicas(
  devnet: Devnet,
  options: ChipServiceOptions,
  count: number,
): Promise<ChipReplicas> {
  const services: ChipService[] = [];
  const struck = new Set<number>();
  const start = () => startChipService(devnet, options);
  for (let n = 0; n < count; n++) services.push(await start());
  return {
    post: (path, body, connection = 0) =>
      services[Math.floor((connection * count) / options.connections)]!.post(path, body, connection),
    strike(victims) {
      for (const n of victims) {
        struck.add(n);
        services[n]!.process.kill('SIGKILL');
      }
    },
    async revive() {
      for (const n of struck) {
        await services[n]!.kill();
        services[n] = await start();
      }
      struck.clear();
    },
    async close() {
      for (const service of services) await service.kill();
    },
  };
}
