/** `GET /identifiers/{did}`: the form that the Accept header selects. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rule } from '../../../../test/conformance/rule.ts';
import { openAltService, type AltService } from '../../../../testing/harness/alt-chain.ts';

let service: AltService;
beforeAll(async () => {
  service = await openAltService({ machines: [{}] });
});
afterAll(() => service.close());

const DOCUMENT = 'application/did+json';
const RESOLUTION = 'application/did-resolution';

it.each([
  [undefined, DOCUMENT],
  ['*/*', DOCUMENT],
  ['text/html', DOCUMENT],
  [RESOLUTION, RESOLUTION],
  ['Application/DID-Resolution', RESOLUTION],
  [`${RESOLUTION}, */*`, RESOLUTION],
  [`${DOCUMENT};q=0.5, ${RESOLUTION}`, RESOLUTION],
  [`${DOCUMENT}, ${RESOLUTION};q=0.5`, DOCUMENT],
  [`${RESOLUTION};q=0`, DOCUMENT],
  [`${RESOLUTION}-2`, DOCUMENT],
])('returns to Accept: %s the type %s', async (accept, type) => {
  rule('documents.did');
  const headers = accept === undefined ? {} : { accept };
  const { status, headers: received, text } = await service.request('/identifiers/did:svc:1', { headers });
  expect([status, received['content-type'], received['vary']]).toEqual([200, type, 'Accept']);
  expect(JSON.parse(text)).toHaveProperty(type === DOCUMENT ? 'id' : 'didDocument');
});

it('returns the 304 of each form for its own tag', async () => {
  rule('documents.did');
  const read = (accept: string, tag = '') =>
    service.request('/identifiers/did:svc:1', { headers: { accept, 'if-none-match': tag } });
  const tags = await Promise.all(
    [DOCUMENT, RESOLUTION].map(async (type) => String((await read(type)).headers['etag'])),
  );
  expect((await read(DOCUMENT, tags[0])).status).toBe(304);
  const other = await read(RESOLUTION, tags[0]);
  expect(other.status).toBe(200);
  expect((await read(RESOLUTION, tags[1])).headers['vary']).toBe('Accept');
});
