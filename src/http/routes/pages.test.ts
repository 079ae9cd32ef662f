/** `Link` headers of pages: what programs read instead of a page. */
import { afterEach, expect, it } from 'vitest';
import { buildApp } from '../../app.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { eventLog, NOW, openAltService, revenueAt } from '../../../testing/harness/alt-chain.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { VECTOR_KEY } from '../../../testing/fixtures/statement-vectors.ts';
import { rule } from '../../../test/conformance/rule.ts';

const BASE = 'https://ratings.example/base';
const OPERATOR = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const SERVICE = [
  `<${BASE}/openapi.json>; rel="service-desc"; type="application/json"`,
  `<${BASE}/docs>; rel="service-doc"; type="text/html"`,
];
const file = { contentType: 'text/css', content: Buffer.alloc(0), gzipped: Buffer.alloc(0), name: 'a.css' };
const pages: Ctx['pages'] = { load: async () => ({ script: file, parts: [], style: file, icon: file }) };

let app: Awaited<ReturnType<typeof buildApp>> | undefined;
afterEach(() => app?.close());

async function readLinks(path: string, parts: Partial<Ctx> = {}): Promise<string[]> {
  app = await buildApp(createStubCtx({ pages, publicUrl: BASE, ...parts }), { rateLimits: 'off' });
  const { headers } = await app.inject(path);
  return (headers['link'] as string).split(', ');
}

it('links the page of a machine to its card, registration, DID document and statement', async () => {
  rule('documents.links');
  const statements = { key: VECTOR_KEY, lifetimeSeconds: 60 };
  expect(await readLinks('/explorer/machine/42', { statements })).toEqual([
    `<${BASE}/machines/42>; rel="alternate"; type="application/json"`,
    `<${BASE}/machines/42/agent-registration.json>; rel="alternate"; type="application/json"`,
    `<${BASE}/identifiers/did:svc:42>; rel="describedby"; type="application/did+json"`,
    `<${BASE}/mcr/did:svc:42/statement>; rel="describedby"; type="application/json"`,
    ...SERVICE,
  ]);
});

it('links no statement without a key, and no addition with additions off', async () => {
  rule('documents.links', 'additions.off');
  expect(await readLinks('/explorer/machine/42')).toHaveLength(5);
  await app!.close();
  expect(await readLinks('/explorer/machine/42', { additions: 'off' })).toEqual([
    `<${BASE}/machines/42>; rel="alternate"; type="application/json"`,
    ...SERVICE,
  ]);
});

it('links the page of an operator to its machines, and every page to the API document', async () => {
  rule('documents.links');
  expect(await readLinks(`/explorer/operator/${OPERATOR.toLowerCase()}`)).toEqual([
    `<${BASE}/operator/did:svc:${OPERATOR}/machines>; rel="alternate"; type="application/json"`,
    ...SERVICE,
  ]);
  await app!.close();
  expect(await readLinks('/explorer/machine/0042')).toEqual(SERVICE);
});

it('names the rating in the title of a machine, and no score where there is none', async () => {
  rule('pages.without-script');
  const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * 86_400, 100_000));
  const machines = [
    { log: eventLog(120), indexed: daily },
    { log: eventLog(121), indexed: daily },
    { log: eventLog(1), indexed: daily.slice(0, 1) },
  ];
  const service = await openAltService({ machines, ctx: { pages } });
  app = await buildApp(service.ctx, { rateLimits: 'off' });
  const titles = [1, 2, 3].map(async (id) => {
    const { body } = await app!.inject(`/explorer/machine/${id}`);
    return /<title>([^|]+) \| /.exec(body)?.[1];
  });
  expect(await Promise.all(titles)).toEqual(['Machine #1: BB, 50 of 100', 'Machine #2', 'Machine #3: Provisioned']);
  await service.close();
});
