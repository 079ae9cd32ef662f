/** A node's own text for calls that it refuses, where the failed read itself does not carry it. */
import type { PlainIndexCause } from '../../../src/domain/index-rules/index-cause.ts';
import { openRawNode, type RawCall } from './raw-node.ts';

/** Causes of which the node's own text says more. */
const REFUSALS: readonly PlainIndexCause[] = [
  'calls-refused',
  'finality-missing',
  'state-missing',
  'alt-calls-refused',
];

export interface RefusalOptions {
  readonly nodeUrl: string;
  readonly callsPerSecond: number | undefined;
  /** Calls of which the node refuses one, in the order of the read that failed. */
  readonly calls: readonly RawCall[];
}

/** Returns the text of the first refusal; undefined where the node refuses none. Never throws. */
export async function readRefusalText(cause: PlainIndexCause, options: RefusalOptions): Promise<string | undefined> {
  if (!REFUSALS.includes(cause)) return undefined;
  const node = openRawNode(options.nodeUrl, options.callsPerSecond);
  try {
    for (const { method, params } of options.calls) {
      const outcome = await node.call(method, ...params);
      if (!outcome.ok) return outcome.text;
    }
    return undefined;
  } finally {
    await node.close();
  }
}
