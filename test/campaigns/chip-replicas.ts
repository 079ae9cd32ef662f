/** Chip services on one database, each with its share of the callers, which can be killed and restarted. */
import type { Devnet } from '../../devnet/start-devnet.ts';
import { startChipService, type ChipService, type ChipServiceOptions } from './chip-process.ts';

export interface ChipReplicas {
  /** Posts to a service; the first connections use the first service. */
  readonly post: ChipService['post'];
  /** Kills the services with these numbers, from 0. */
  kill(victims: readonly number[]): void;
  /** Restarts the killed services. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts `count` services; `connections` is their total. */
export async function startChipReplicas(
  devnet: Devnet,
  options: ChipServiceOptions,
  count: number,
): Promise<ChipReplicas> {
  const services: ChipService[] = [];
  const killed = new Set<number>();
  const start = () => startChipService(devnet, options);
  for (let n = 0; n < count; n++) services.push(await start());
  return {
    post: (path, body, connection = 0) =>
      services[Math.floor((connection * count) / options.connections)]!.post(path, body, connection),
    kill(victims) {
      for (const n of victims) {
        killed.add(n);
        services[n]!.process.kill('SIGKILL');
      }
    },
    async restart() {
      for (const n of killed) {
        await services[n]!.kill();
        services[n] = await start();
      }
      killed.clear();
    },
    async close() {
      for (const service of services) await service.kill();
    },
  };
}
