/** Invalid spellings of an id get exactly the documented error of each route (http-facts 3). */
import { request } from 'node:http';
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';

const baseUrl = inject('baseUrl');

const WRONG_IDS: readonly (readonly [name: string, text: string, type: string])[] = [
  ['zero', '0', 'greater_than_equal'],
  ['a leading zero', '007', 'int_parsing'],
  ['a plus sign', '+5', 'int_parsing'],
  ['a minus sign', '-5', 'int_parsing'],
  ['a fraction', '5.0', 'int_parsing'],
  ['an exponent', '1e3', 'int_parsing'],
  ['an underscore', '1_0', 'int_parsing'],
  ['hex', '0x2a', 'int_parsing'],
  ['a leading space', '%205', 'int_parsing'],
  ['a trailing space', '5%20', 'int_parsing'],
  ['a trailing line feed', '5%0A', 'int_parsing'],
  ['a NUL', '5%00', 'int_parsing'],
  ['an encoded slash', '5%2F6', 'int_parsing'],
  ['Arabic-Indic digits', encodeURIComponent('٥٥'), 'int_parsing'],
  ['full-width digits', encodeURIComponent('５５'), 'int_parsing'],
  ['a doubly encoded digit', '%2535', 'int_parsing'],
  ['a truncated encoding', '%3', 'int_parsing'],
  ['an invalid encoding', '%ZZ', 'int_parsing'],
  ['invalid UTF-8', '%FF', 'int_parsing'],
  ['overlong UTF-8', '%C0%B5', 'int_parsing'],
  ['2^256', String(2n ** 256n), 'less_than_equal'],
  ['79 digits', '9'.repeat(79), 'less_than_equal'],
  ['5,000 digits', '9'.repeat(5000), 'less_than_equal'],
  ['an address', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', 'int_parsing'],
];

/** Sends the path unchanged; `fetch` would normalize it. */
function get(path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (response) => {
      const read = response.setEncoding('utf8').toArray();
      read.then((chunks) => resolve({ status: response.statusCode!, text: chunks.join('') }), reject);
    })
      .on('error', reject)
      .end();
  });
}

describe.each(['/mcr/', '/machine/'])('GET %s{did}', (route) => {
  const wrong = [
    ...WRONG_IDS.map(([name, text]) => [name, `did:svc:${text}`] as const),
    ['a bare decimal', '5'] as const,
    ['a bare DID prefix', 'did:svc:'] as const,
    ['another method', 'did:web:5'] as const,
    ['an upper-case method', 'did:SVC:5'] as const,
    ['an encoded space before', '%20did:svc:5'] as const,
    ['an address', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'] as const,
    ['an address DID', 'did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'] as const,
  ];

  it.each(wrong)('returns 400 for %s', async (_name, text) => {
    rule(
      'identifier.other-forms-refused',
      'reads.mcr-did-form',
      'reads.machine-did-form',
      'read-errors.400',
      'limits.id-range',
    );
    expect(await get(route + text)).toEqual({ status: 400, text: '{"detail":"Invalid machine DID format"}' });
  });

  it('accepts a DID with an encoded colon', async () => {
    expect((await get(`${route}did%3Asvc%3A1`)).status).toBe(404);
  });
});

describe.each([
  ['/metadata/', 'token_id'],
  ['/machines/', 'machine_id'],
])('GET %s{%s}', (route, name) => {
  it.each([...WRONG_IDS, ['a DID', 'did:svc:5', 'int_parsing'] as const])(
    'returns a 422 list for %s',
    async (_name, text, type) => {
      rule(
        'identifier.canonical-decimal',
        'reads.metadata-id-form',
        'reads.card-id-form',
        'read-errors.422',
        'limits.id-range',
      );
      const { status, text: body } = await get(route + text);
      const { detail } = JSON.parse(body) as { detail: { type: string; loc: string[]; input: string }[] };
      expect([status, detail.length, detail[0]!.type, detail[0]!.loc]).toEqual([422, 1, type, ['path', name]]);
      expect(detail[0]!.input.length).toBeLessThanOrEqual(100);
      expect(body).not.toContain('"code"');
    },
  );
});

describe('the service', () => {
  it.each([
    '/mcr',
    '/mcr/',
    '/machines/5/',
    '/mcr/did:svc:5/',
    '/MCR/did:svc:5',
    '/mcr/did:svc:5/nothing',
    '/nothing',
    '//mcr/did:svc:5',
  ])('returns 404 for the path %s', async (path) => {
    rule('versioning.no-other-prefix');
    expect(await get(path)).toEqual({ status: 404, text: '{"detail":"Not Found"}' });
  });

  it('ignores a query on a read', async () => {
    expect((await get('/mcr/did:svc:1?x=1&did=2')).status).toBe(404);
  });
});
