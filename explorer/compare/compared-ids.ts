/** Ids of the compare page, from its URL. */
import { isMachineId } from '../parts/machine-id.ts';
import { MOST_COMPARED } from './texts.ts';

export interface ComparedIds {
  readonly ids: readonly string[];
  /** Number of entries that are no machine id. */
  readonly invalid: number;
  /** Number of machine ids beyond the most that are compared. */
  readonly surplus: number;
}

/** Parses the list of ids of a URL. Repeated ids count once, and empty entries are ignored. */
export function parseComparedIds(text: string): ComparedIds {
  const entries = [...new Set(text.split(',').map((entry) => entry.trim()))].filter((entry) => entry !== '');
  const ids = entries.filter(isMachineId);
  return {
    ids: ids.slice(0, MOST_COMPARED),
    invalid: entries.length - ids.length,
    surplus: Math.max(0, ids.length - MOST_COMPARED),
  };
}
