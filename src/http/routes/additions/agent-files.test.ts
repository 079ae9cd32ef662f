/** ERC-8004 files: registrations of both chains, and feedback for machines with a score alone. */
import { afterEach, expect, it } from 'vitest';
import {
  eventLog,
  MACHINE,
  MAIN_MACHINE,
  NOW,
  openAltService,
  OPERATOR,
  revenueAt,
  type AltService,
  type MachineFixture,
} from '../../../../testing/harness/alt-chain.ts';
import { VECTOR_KEY } from '../../../../testing/fixtures/statement-vectors.ts';
import { verifyRatingStatement } from '../../../../client/statements.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import type { ServiceEndpoint } from '../../../domain/machine/machine-facts.ts';
import type { AgentFeedbackResponse, CardResponse } from '../../wire/response-types.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let service: AltService;
afterEach(() => service.close());

const REGISTRY = '0x00000000000000000000000000000000000000aa';
const PROGRAM = 'GxPdR7jqb6KhD2ArK7cbPq3P87u4wvL3psSSuXQ6msou';
const endpoints: ServiceEndpoint[] = ['https://machine.example', 'javascript:alert(1)'].map((serviceEndpoint) => ({
  ...{ id: '#x', serviceType: 'web', serviceEndpoint },
}));
const ON_MAIN: MachineFixture = {
  main: {
    ...MAIN_MACHINE,
    document: present({
      ...{ controller: undefined, verificationMethods: [], authentication: [] },
      serviceEndpoints: endpoints,
    }),
  },
};
const RATED: MachineFixture = {
  main: { attestations: present({ operator: OPERATOR, kyb: undefined, chip: undefined }) },
  account: present({ ...MACHINE, serviceEndpoints: [] }),
  log: eventLog(120),
  indexed: Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * 86_400, 100_000)),
};

async function open(machine: MachineFixture, isSigning = true): Promise<void> {
  const statements = { key: VECTOR_KEY, lifetimeSeconds: 3_600 };
  service = await openAltService({ machines: [machine], ctx: isSigning ? { statements } : {} });
  Object.assign(service.ctx.store, {
    listStatementKeys: async () => [
      { address: VECTOR_KEY.address, notBefore: 1, notAfter: undefined, revokedAt: undefined },
    ],
    readMainChainCheckpoint: async () => ({ blockNumber: 120_300, blockHash: `0x${'cd'.repeat(32)}` }),
    areBlocksProven: async () => true,
  });
}

const get = (file: string) => service.request(`/machines/1/agent-${file}.json`);

it('registers a main-chain machine with its token, its DID and services with an HTTP URL alone', async () => {
  rule('documents.agent-files');
  await open(ON_MAIN);
  const { status, text } = await get('registration');
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'Machine #1',
      description: 'svcOS machine',
      image: 'http://localhost:8000/machines/1/card.svg',
      services: [
        { name: 'web', endpoint: 'https://machine.example' },
        { name: 'DID', endpoint: 'did:svc:1', version: 'v1' },
      ],
      x402Support: false,
      active: true,
      registrations: [{ agentId: '1', agentRegistry: `eip155:31337:0x00000000000000000000000000000000000000AA` }],
      supportedTrust: [],
    },
  ]);
});

it('names token and operator of the card by CAIP-19 and CAIP-10', async () => {
  rule('documents.agent-files');
  await open(ON_MAIN);
  const { asset_id, operator_account } = JSON.parse((await service.request('/machines/1')).text) as CardResponse;
  expect([asset_id, operator_account]).toEqual([
    `eip155:31337/erc721:${REGISTRY}/1`,
    'eip155:31337:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  ]);
});

it('registers an alt-chain machine with its program, and its card has no token', async () => {
  rule('documents.agent-files');
  await open(RATED);
  expect(JSON.parse((await get('registration')).text)).toMatchObject({
    services: [{ name: 'DID' }],
    registrations: [{ agentId: '1', agentRegistry: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${PROGRAM}` }],
  });
  expect(JSON.parse((await service.request('/machines/1')).text)).toMatchObject({ asset_id: null });
});

it('gives the rating as feedback that the statement inside proves', async () => {
  rule('documents.agent-files');
  await open(RATED);
  const { status, text } = await get('feedback');
  expect([status, text.slice(0, 20)]).toEqual([200, '{"agentRegistry":"so']);
  const { proof, ...feedback } = JSON.parse(text) as AgentFeedbackResponse;
  const { mcr } = JSON.parse((await service.request('/mcr/did:svc:1')).text) as { readonly mcr: string };
  expect(feedback).toMatchObject({ agentId: '1', valueDecimals: 2, tag1: 'mcr/2', tag2: mcr });
  expect([feedback.value, feedback.createdAt]).toEqual([
    proof.statement.scoreHundredths,
    new Date(proof.statement.ratedAt * 1000).toISOString(),
  ]);
  expect(feedback.value).toBeGreaterThan(3_000);
  expect(feedback.clientAddress).toBe(`eip155:31337:${proof.signer}`);
  const { explanation } = JSON.parse((await service.request('/mcr/did:svc:1/statement')).text) as {
    readonly explanation: unknown;
  };
  const context = { chainId: 31_337, registry: REGISTRY, keys: [VECTOR_KEY.address], nowSeconds: NOW };
  expect(verifyRatingStatement({ ...proof, explanation }, context)).toMatchObject({ ok: true });
});

it.each([
  ['a machine without a score', { ...RATED, log: eventLog(1), indexed: RATED.indexed!.slice(0, 1) }, true],
  ['a service without a statement key', RATED, false],
])('gives no feedback for %s: 404', async (_, machine, isSigning) => {
  rule('documents.agent-files');
  await open(machine, isSigning);
  expect((await get('feedback')).status).toBe(404);
});

it.each(['registration', 'feedback'])('rejects an id of %s that is not canonical with 422', async (file) => {
  await open(RATED);
  expect((await service.request(`/machines/0042/agent-${file}.json`)).status).toBe(422);
});

it('leaves no read of an absent machine behind while statements are refused', async () => {
  await open({ account: ABSENT });
  Object.assign(service.ctx.store, { listStatementKeys: async () => [] });
  // From the second request on, the cached refusal is thrown synchronously; the test runner reports a rejection that nothing handles.
  expect([(await get('feedback')).status, (await get('feedback')).status]).toEqual([404, 404]);
});
