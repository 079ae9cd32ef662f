/** Faults of gateways in front of nodes: HTML, resets, and envelopes that are changed, lost or repeated. */
import { gzipSync } from 'node:zlib';
import {
  jsonAnswer,
  RESET,
  stateful,
  stateless,
  textAnswer,
  type Behavior,
  type Hooks,
  type HttpAnswer,
  type Item,
} from './behavior.ts';

/** Requests between two faults of an intermittent behavior. */
const EVERY = 5;

/** Refuses each fifth request. */
function intermittent(name: string, imitates: string, refusal: () => HttpAnswer | typeof RESET): Behavior {
  return stateful(name, imitates, () => {
    let requests = 0;
    return { refuse: () => (++requests % EVERY === 0 ? refusal() : undefined) };
  });
}

function changeItems(name: string, imitates: string, change: (items: readonly Item[]) => readonly Item[]): Behavior {
  return stateless(name, imitates, { items: (items) => change(items) });
}

const html = (status: number, title: string): HttpAnswer =>
  textAnswer(status, `<html><head><title>${status} ${title}</title></head><body>cloudflare</body></html>`);

const always = (answer: () => HttpAnswer): Hooks => ({ refuse: answer });

const compressed = (answer: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'content-encoding': 'gzip' },
  body: gzipSync(answer.body),
});

export const GATEWAY_BEHAVIORS: readonly Behavior[] = [
  intermittent('html-502', '4: HTML from the CDN', () => html(502, 'Bad Gateway')),
  intermittent('html-503', '4: HTML from the CDN', () => html(503, 'Service Temporarily Unavailable')),
  intermittent('html-504', '4: HTML from the CDN', () => html(504, 'Gateway Time-out')),
  intermittent('html-520', '4: HTML from the CDN', () => html(520, 'Web server is returning an unknown error')),
  intermittent('html-200', '1: HTML with HTTP 200', () => html(200, 'Please wait')),
  intermittent('error-1015', '4: error code 1015', () => textAnswer(403, 'error code: 1015')),
  intermittent('reset', '1: a reset connection', () => RESET),
  intermittent('empty-body', '1: an empty body', () => textAnswer(200, '')),
  intermittent('gateway-timeout-proxyd', '4: proxyd, -32015', () =>
    jsonAnswer({ jsonrpc: '2.0', id: null, error: { code: -32_015, message: 'gateway timeout' } }, 504),
  ),
  stateless(
    'error-1015-always',
    '4: error code 1015',
    always(() => textAnswer(403, 'error code: 1015')),
    'refused',
  ),
  stateless(
    'html-502-always',
    '4: HTML from the CDN',
    always(() => html(502, 'Bad Gateway')),
    'refused',
  ),
  stateless(
    'forbidden-401',
    '4: a key that is not accepted',
    always(() => jsonAnswer({ message: 'Invalid API key' }, 401)),
    'refused',
  ),
  stateless(
    'redirect',
    '1: a redirect',
    always(() => ({ ...textAnswer(307, ''), headers: { location: 'http://127.0.0.1:9/' } })),
    'refused',
  ),
  changeItems('ids-as-text', '6: ids as text', (items) => items.map((item) => ({ ...item, id: String(item['id']) }))),
  changeItems('reordered', '6: reordered batches', (items) => items.toReversed()),
  changeItems('dropped-item', '6: dropped items', (items) => (items.length > 2 ? items.toSpliced(1, 1) : items)),
  changeItems('dropped-half', '6: dropped items', (items) => items.slice(0, Math.ceil(items.length / 2))),
  changeItems('duplicate-item', '6: repeated items', (items) => (items.length > 1 ? [...items, items[0]!] : items)),
  changeItems('further-members', '6: further members', (items) =>
    items.map((item) => ({ ...item, region: 'eu', cached: true })),
  ),
  changeItems('null-error', '6: both members', (items) =>
    items.map((item) => ('result' in item ? { ...item, error: null } : item)),
  ),
  stateless(
    'no-jsonrpc-member',
    '6: not JSON-RPC: no version',
    { items: (items) => items.map(({ jsonrpc: _, ...item }) => item) },
    'refused',
  ),
  stateless(
    'array-for-single',
    '6: not JSON-RPC: an array for a single call',
    {
      encode: (answer, { isBatch }) =>
        isBatch ? answer : { ...answer, body: Buffer.concat([Buffer.from('['), answer.body, Buffer.from(']')]) },
    },
    'refused',
  ),
  stateless('gzip', '1: compressed answers where the client accepts them', {
    encode: (answer, { acceptsGzip }) => (acceptsGzip ? compressed(answer) : answer),
  }),
  stateless('gzip-always', '1: compressed answers that the client did not ask for', { encode: compressed }, 'refused'),
  stateless(
    'byte-order-mark',
    '1: not JSON: text before it',
    {
      encode: (answer) => ({ ...answer, body: Buffer.concat([Buffer.from('\uFEFF'), answer.body]) }),
    },
    'refused',
  ),
  stateless('wrong-content-type', '1: JSON as text', {
    encode: (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }),
  }),
];
