/** Live sample values for the forms of the reference: the machine that was viewed last, or one of this deployment. */
import { listRecentMachines } from '../home/recent-machines.ts';
import { machineDid } from '../parts/namespace.ts';
import { useQuery } from '../parts/queries.ts';
import type { Directory } from '../parts/wire.ts';

const SAMPLE_ID = '42';
const SAMPLE_ADDRESS = `0x${'1'.padStart(40, '0')}`;
const SAMPLE_WALLET = '1'.repeat(32);

/** Returns values that parameters are filled with, best first; undefined until they are known. */
export function useSampleIds(): readonly string[] | undefined {
  const best = useQuery<Directory>('/directory?limit=1');
  const alt = useQuery<Directory>('/directory?home=alt&limit=1');
  const isKnown = [best, alt].every(({ response, failure }) => response !== undefined || failure !== undefined);
  if (!isKnown) return undefined;
  const [machine, altMachine] = [best, alt].map(({ response }) => response?.body.machines[0]);
  const id = listRecentMachines()[0]?.id ?? machine?.machine_id ?? SAMPLE_ID;
  return [machineDid(id), id, machine?.operator ?? SAMPLE_ADDRESS, altMachine?.owner ?? SAMPLE_WALLET];
}
