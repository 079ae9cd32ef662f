/** Members of profile and card for marketplaces and agents, read over HTTP for machines of both chains. */
import { afterEach, expect, test } from 'vitest';
import {
  eventLog,
  MAIN_MACHINE,
  NOW,
  openAltService,
  revenueAt,
  type AltService,
} from '../../../testing/harness/alt-chain.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { present } from '../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

const read = async (path: string) => JSON.parse((await service!.request(path)).text);
const flags = present({ flaggedAt: BigInt(NOW - 86_400), trustOverride: undefined });
const publicUrl = 'https://ratings.example/base';

test('gives the profile of a main-chain machine its rating as typed attributes', async () => {
  rule('marketplace.profile');
  service = await openAltService({ machines: [{ main: { ...MAIN_MACHINE, flags } }], ctx: { publicUrl } });
  const { svcos, ...top } = await read('/machine/did:svc:1');
  expect(top).toEqual({
    schema_version: '1.0',
    name: 'Machine #1',
    description: 'svcOS machine',
    image: 'https://ratings.example/base/machines/1/card.svg',
    external_url: 'https://ratings.example/base/explorer/machine/1',
    attributes: [
      { trait_type: 'Rating', value: 'Provisioned' },
      { trait_type: 'Score', value: 0, max_value: 100 },
      { trait_type: 'Bond', value: 'bonded' },
      { trait_type: 'Negative flag', value: 'yes' },
      { trait_type: 'Events', display_type: 'number', value: 0 },
      { trait_type: 'Event data', value: 'private' },
    ],
  });
  expect(svcos).toMatchObject({ mcr: 'Provisioned', mcr_score: 0, negative_flag: true });
});

test('gives the profile of an alt-chain machine no attribute of a rating', async () => {
  rule('marketplace.profile');
  service = await openAltService({ machines: [{ log: eventLog(1), indexed: [revenueAt(0, NOW, 2_000)] }] });
  const { attributes } = await read('/machine/did:svc:1');
  expect(attributes).toEqual([
    { trait_type: 'Bond', value: 'bonded' },
    { trait_type: 'Negative flag', value: 'no' },
    { trait_type: 'Events', display_type: 'number', value: 1 },
    { trait_type: 'Event data', value: 'private' },
  ]);
});

test('adds members of an agent’s registration to the card and changes none', async () => {
  rule('marketplace.card');
  const machines = [{ main: MAIN_MACHINE }];
  service = await openAltService({ machines, ctx: { publicUrl, additions: 'off' } });
  const plain = await read('/machines/1');
  await service.close();
  service = await openAltService({ machines, ctx: { publicUrl } });
  expect(await read('/machines/1')).toEqual({
    ...plain,
    image: 'https://ratings.example/base/machines/1/card.svg',
    x402Support: false,
    supportedTrust: [],
    asset_id: 'eip155:31337/erc721:0x00000000000000000000000000000000000000aa/1',
    operator_account: 'eip155:31337:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  });
  expect(plain).not.toHaveProperty('image');
});

test('adds nothing to the profile when additions are off', async () => {
  service = await openAltService({ machines: [{ main: MAIN_MACHINE }], ctx: { additions: 'off' } });
  expect(Object.keys(await read('/machine/did:svc:1'))).toEqual(['schema_version', 'name', 'svcos']);
});

test('serves the image that a profile names', async () => {
  service = await openAltService({ machines: [{ log: eventLog(1), indexed: [revenueAt(0, NOW, 2_000)] }] });
  const { image } = await read('/machine/did:svc:1');
  expect((await service.request(new URL(image).pathname)).status).toBe(200);
});
