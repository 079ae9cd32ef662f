/** Rating images: card, badge and link preview. */
import { afterEach, describe, expect, test } from 'vitest';
import { buildApp, type AppOptions } from '../../../app.ts';
import { Fault } from '../../../domain/faults.ts';
import type { ImageRenderer } from '../../../ports/presentation.ts';
import {
  eventLog,
  NOW,
  openAltService,
  revenueAt,
  UNREADABLE,
  type AltService,
} from '../../../../testing/harness/alt-chain.ts';
import { conformanceOfApp } from '../../../../testing/harness/openapi-conformance.ts';
import { rule } from '../../../../test/conformance/rule.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

const DAY = 86_400;
const DAILY = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));
const rated = { log: eventLog(120), indexed: DAILY };
const IMAGES = ['/machines/1/card.svg', '/machines/1/badge.svg', '/machines/1/card.png'];

/** Fake renderer whose image is the SVG text itself. */
function createTextPictures() {
  const drawn: string[] = [];
  const pictures: ImageRenderer = {
    version: '1',
    render: async (svg, isAwaited) => (isAwaited() ? (drawn.push(svg), Buffer.from(svg)) : undefined),
  };
  return { drawn, pictures };
}

const { pictures } = createTextPictures();

test('renders the card from /mcr and the history', async () => {
  rule('card-image.svg');
  service = await openAltService({ machines: [rated] });
  const { points } = JSON.parse((await service.request('/mcr/did:svc:1/history')).text);
  const { status, headers, text } = await service.request('/machines/1/card.svg');
  expect([status, headers['content-type'], headers['cache-control'], headers['chain-block']]).toEqual([
    ...[200, 'image/svg+xml; charset=utf-8', 'no-cache', '120340'],
  ]);
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  });
  expect(text).toContain('<title id="t">Machine #1: BB, 50 of 100</title>');
  expect(text).toContain('<desc id="d">Rated BB with 50 of 100 points; largest deduction: low trust.</desc>');
  expect(text).toContain('>bonded · 120 events</text>');
  expect(text).toContain('>as of 2026-09-08</text>');
  const heights = [...text.matchAll(/ points="([^"]+)"/g)].flatMap(([, line]) =>
    line!.split(' ').map((point) => Number(point.split(',')[1])),
  );
  const last90: { mcr: string; mcr_score: number }[] = points.slice(-90);
  expect(heights).toEqual(
    last90
      .filter(({ mcr }) => mcr !== 'Provisioned' && mcr !== 'NR')
      .map(({ mcr_score }) => Math.round((124 - 0.36 * mcr_score) * 10) / 10),
  );
});

test('renders letter and score on the badge', async () => {
  rule('badge.svg');
  service = await openAltService({ machines: [rated, {}] });
  expect((await service.request('/machines/1/badge.svg')).text).toContain('<title id="t">Machine #1: BB 50</title>');
  expect((await service.request('/machines/2/badge.svg')).text).toContain(
    '<title id="t">Machine #2: provisioned</title>',
  );
});

test.each(IMAGES)('returns the same bytes of %s for the same facts, and 304 for its ETag', async (path) => {
  service = await openAltService({ machines: [rated], ctx: { imageRenderer: pictures } });
  const [one, other] = [await service.request(path), await service.request(path)];
  expect(other.text).toBe(one.text);
  const again = await service.request(path, { headers: { 'if-none-match': String(one.headers['etag']) } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test.each(IMAGES)('returns an image of %s that says why there is no rating', async (path) => {
  rule('images.always');
  service = await openAltService({ machines: [{ account: UNREADABLE }], ctx: { imageRenderer: pictures } });
  const rows = await Promise.all(
    ['1', '2', '0'].map(async (id) => {
      const { status, headers, text } = await service!.request(path.replace('1', id));
      return [status, headers['content-type'], headers['cache-control'], / id="t">([^<]+)</.exec(text)?.[1]];
    }),
  );
  const type = path.endsWith('.png') ? 'image/png' : 'image/svg+xml; charset=utf-8';
  expect(rows).toEqual([
    [200, type, 'no-cache', 'Machine #1: unavailable now'],
    [200, type, 'no-cache', 'Machine #2: not found'],
    [200, type, 'no-cache', 'Machine: invalid id'],
  ]);
});

test.each(IMAGES)('returns an image of %s without a letter while events are not indexed', async (path) => {
  rule('images.always');
  const behind = { ...rated, log: eventLog(121) };
  service = await openAltService({ machines: [behind], ctx: { imageRenderer: pictures } });
  const { status, text } = await service.request(path);
  expect([status, / id="t">([^<]+)</.exec(text)?.[1]]).toEqual([200, 'Machine #1: unavailable now']);
});

test.each(IMAGES)('does not register %s with additions off', async (path) => {
  service = await openAltService({ machines: [rated], ctx: { additions: 'off', imageRenderer: pictures } });
  expect((await service.request(path)).text).toBe('{"detail":"Not Found"}');
});

test('renders the PNG from the facts of the card, only for clients without it', async () => {
  rule('card-image.png');
  const { drawn, pictures } = createTextPictures();
  service = await openAltService({ machines: [rated], ctx: { imageRenderer: pictures } });
  const card = await service.request('/machines/1/card.svg');
  const { status, headers, text } = await service.request('/machines/1/card.png');
  expect([status, headers['content-type'], headers['cache-control'], headers['chain-block']]).toEqual([
    ...[200, 'image/png', 'no-cache', '120340'],
  ]);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' });
  expect(drawn).toEqual([text]);
  const shown = (image: string) => [...image.matchAll(/<text [^>]+>([^<]+)</g)].map(([, words]) => words);
  expect(shown(text).filter((words) => shown(card.text).includes(words))).toEqual([
    ...['BB', '50 of 100', 'Machine #1', 'bonded · 120 events', 'as of 2026-09-08', 'score of 90 days'],
  ]);
  await service.request('/machines/1/card.png', { headers: { 'if-none-match': String(headers['etag']) } });
  expect(drawn).toHaveLength(1);
});

test('changes the ETag of the PNG with the renderer', async () => {
  const tags = [];
  for (const version of ['1', '2']) {
    service = await openAltService({ machines: [rated], ctx: { imageRenderer: { ...pictures, version } } });
    tags.push((await service.request('/machines/1/card.png')).headers['etag']);
    await service.close();
  }
  expect(tags[0]).not.toBe(tags[1]);
});

test('does not register the PNG without a renderer', async () => {
  service = await openAltService({ machines: [rated] });
  expect((await service.request('/machines/1/card.png')).text).toBe('{"detail":"Not Found"}');
});

describe('an error of an image route', () => {
  /** Sends a request to a service whose alt chain reads this history, and compares the response with the document. */
  async function requestFrom(path: string, readHistory: () => Promise<never>, options: AppOptions, times = 1) {
    service = await openAltService({ machines: [rated], ctx: { imageRenderer: pictures } });
    const alt = service.ctx.alt!;
    const ctx = { ...service.ctx, alt: { ...alt, index: { ...alt.index, readHistory } } };
    const app = await buildApp(ctx, { rateLimits: 'off', ...options });
    try {
      for (let i = 1; i < times; i += 1) await app.inject(path);
      const { statusCode: status, headers, body: text } = await app.inject(path);
      (await conformanceOfApp(app, ctx)).expectDocumented('GET', path, { status, headers, text });
      return { status, headers, title: / id="t">([^<]+)</.exec(text)?.[1] };
    } finally {
      await app.close();
    }
  }
  const unreadable = () => Promise.reject(new Fault('StoreUnavailable', {}));

  test.each(IMAGES)('is an image with its status and Retry-After over the rate limit: %s', async (path) => {
    rule('images.always');
    const { status, headers, title } = await requestFrom(path, unreadable, { rateLimits: 'on' }, 91);
    expect([status, headers['content-type'], headers['cache-control'], title]).toEqual([
      ...[429, 'image/svg+xml; charset=utf-8', 'no-store', 'Machine: rate limit exceeded'],
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test.each(IMAGES)('is an image after an unexpected error: %s', async (path) => {
    rule('images.always');
    const fail = () => Promise.reject(new TypeError('secret'));
    const { status, headers, title } = await requestFrom(path, fail, {});
    expect([status, headers['cache-control'], title]).toEqual([500, 'no-store', 'Machine: unavailable now']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each(IMAGES)('is an image after the deadline: %s', async (path) => {
    rule('images.always');
    const wait = () => new Promise<never>(() => {});
    const { status, headers, title } = await requestFrom(path, wait, { deadlineMilliseconds: { general: 1 } });
    expect([status, headers['retry-after'], title]).toEqual([503, '30', 'Machine: unavailable now']);
  });

  test.each(IMAGES)('stays JSON where only a program can cause it: POST %s', async (path) => {
    service = await openAltService({ machines: [rated], ctx: { imageRenderer: pictures } });
    const { status, text } = await service.request(path, { method: 'POST' });
    expect([status, text]).toEqual([405, '{"detail":"Method Not Allowed"}']);
  });
});
