/** Property 1 of the rating model: a second reader and a second model, from raw events, give what is served, for every persona. */
import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { buildRateTable } from '../../cli/replay/rates.ts';
import { replay } from '../../cli/replay/replay.ts';
import { dayOf, formatDay } from '../../src/domain/utc-day.ts';

const baseUrl = inject('baseUrl');
const env = inject('devnetEnv');
const { machines, mainChain } = inject('fixtures');

const chain = {
  rpcUrls: [mainChain.rpcUrl],
  chainId: BigInt(mainChain.chainId),
  startBlock: BigInt(mainChain.startBlock),
  eventRegistry: env.EVENT_REGISTRY_ADDRESS!,
  machineSubscription: env.MACHINE_SUBSCRIPTION_ADDRESS!,
  adminFlags: env.ADMIN_FLAGS_ADDRESS!,
};
const rates = buildRateTable({
  ecbCsv: readFileSync(env.FX_SOURCE!, 'utf8'),
  through: formatDay(dayOf(Date.now() / 1000) - 1),
});

const rated = machines.filter(
  ({ did, home, expect: answers }) => home === 'main' && answers[`/mcr/${did}`]?.status === 200,
);

describe('what is served equals what the raw events give', () => {
  it.each(rated)('$name', async ({ did }) => {
    const { differences, equal, compared } = await replay({ did, baseUrl, chain, rates });
    expect({ differences, equal }).toEqual({ differences: [], equal: true });
    expect(compared).toBeGreaterThan(30);
  });
});
