/** Property 1 of the rating model: independent readers and the independent model reproduce every served rating from raw events. */
import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { buildRateTable } from '../../../cli/replay/rates.ts';
import { hashSources, parseSources } from '../../../cli/replay/sources.ts';
import { replay } from '../../../cli/replay/replay.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import { dayOf, formatDay } from '../../../src/domain/rating/utc-day.ts';
import { rule } from '../../conformance/rule.ts';
import { waitUntilSettled } from '../settled.ts';

const baseUrl = inject('baseUrl');
const env = inject('devnetEnv');
const { machines, mainChain } = inject('fixtures');

const chain = {
  rpcUrls: [mainChain.rpcUrl],
  chainId: BigInt(mainChain.chainId),
  startBlock: BigInt(mainChain.startBlock),
  eventRegistry: env.EVENT_REGISTRY_ADDRESS!,
  machineSubscription: env.MACHINE_SUBSCRIPTION_ADDRESS!,
  crossChainMirror: env.CROSS_CHAIN_MIRROR_ADDRESS!,
  adminFlags: env.ADMIN_FLAGS_ADDRESS!,
  machineRegistry: env.MACHINE_REGISTRY_ADDRESS!,
  attestationRegistry: env.ATTESTATION_REGISTRY_ADDRESS!,
};
const altChain = {
  rpcUrls: [env.ALT_RPC_URLS!],
  genesisHash: env.ALT_GENESIS_HASH!,
  machineRegistry: env.ALT_MACHINE_REGISTRY_PROGRAM!,
  eventRegistry: env.ALT_EVENT_REGISTRY_PROGRAM!,
};
const rates = buildRateTable({
  tokensJson: readFileSync(env.TOKENS_FILE!, 'utf8'),
  ecbCsv: readFileSync(env.FX_SOURCE!, 'utf8'),
  through: formatDay(dayOf(Date.now() / 1000) - 1),
});
const sourcesJson = readFileSync(env.SOURCES_FILE!, 'utf8');
const sourcesHash = hashSources(sourcesJson);
const payments = {
  ...{ sources: parseSources(sourcesJson), payoutHeader: DEFAULT_NAMESPACE.payout_header },
  ...{ readsFleet: false, readsFlows: true },
};

const served = machines.filter(({ did, expect: answers }) => answers[`/mcr/${did}`]?.status === 200);

describe('svc replay reproduces the served rating', () => {
  rule('service.score-follows-events');

  // It waits for all verdicts, and reads every machine for one.
  it.each(served)('of $name', { timeout: 240_000 }, async (machine) => {
    const { did, home } = machine;
    await waitUntilSettled(baseUrl, machine);
    // Its verdicts depend on a claim of another machine.
    const readsFleet = machine.name === 'account-moved';
    const options = { did, baseUrl, chain, rates, sourcesHash, payments: { ...payments, readsFleet } };
    const result = await replay({ ...options, ...((home === 'alt' || readsFleet) && { altChain }) });
    const { differences, equal, unchecked, compared } = result;
    const taken = home === 'alt' ? ['anchor.operator_verified'] : [];
    expect({ differences, equal, unchecked }).toEqual({ differences: [], equal: true, unchecked: taken });
    expect(compared).toBeGreaterThan(result.served['rating_unavailable'] === undefined ? 30 : 20);
  });
});

it('refuses a service with other payment sources', async () => {
  const [{ did }] = served as [(typeof served)[number]];
  await expect(replay({ did, baseUrl, chain, rates })).rejects.toThrow('the payment sources differ');
});

it('covers every alt-chain machine that is rated from its events', async () => {
  const rated = served.filter(({ home }) => home === 'alt').map(({ name }) => name);
  expect(rated).toEqual(
    expect.arrayContaining([
      ...[
        'alt-rated',
        'alt-declared',
        'alt-arrived',
        'alt-truncated-logs',
        'alt-cpi',
        'alt-v0',
        'alt-recreated',
        'alt-no-operator',
      ],
      ...['alt-new', 'alt-unlinked'],
    ]),
  );
});
