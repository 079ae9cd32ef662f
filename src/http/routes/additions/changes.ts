/** Feed of changes: `GET /changes`, `GET /changes/stream` and `GET /asyncapi.json` (decisions 4, docs/decisions/changes.md). */
import { followChanges } from '../../../actions/change-tail.ts';
import { listChanges, requireCursor } from '../../../actions/changes.ts';
import { CHANGE_KINDS, type ChangeKind, type ChangePage } from '../../../domain/changes/machine-change.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import type { EventStream, SentEvent } from '../../server/event-streams.ts';
import type { RequestContext } from '../../server/request-context.ts';
import { EVENT_STREAM, sendCacheableJson, sendStreamHead } from '../../server/response.ts';
import { encodeJson, type EncodedJson } from '../../server/json-encoding.ts';
import { createAsyncDocument } from '../../schemas/asyncapi.ts';
import { CHANGE_CURSOR, MAX_CHANGE_PAGE } from '../../schemas/changes.ts';
import { TEXT, type JsonSchema } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import {
  describeIntegers,
  requireIntegerHeader,
  requireIntegers,
  requireWords,
  type DescribedIntegerRule,
} from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { toChange, toChangePage } from '../../wire/changes.ts';

/** Value of a request without a cursor. */
const NO_CURSOR = -1;
const AFTER: DescribedIntegerRule = {
  name: 'after',
  description: 'Cursor that the page begins after; left out: begins with the oldest stored change.',
  fallback: NO_CURSOR,
  hidesFallback: true,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};
const RULES: readonly DescribedIntegerRule[] = [
  AFTER,
  {
    name: 'limit',
    description: 'The largest number of changes on the page.',
    fallback: 100,
    minimum: 1,
    maximum: MAX_CHANGE_PAGE,
  },
];

const WORD = `(?:${CHANGE_KINDS.join('|')})`;
const KINDS: JsonSchema = {
  ...TEXT,
  pattern: `^(?:${WORD}(?:,${WORD})*)?$`,
  maxLength: 500,
  description: `Comma list of ${CHANGE_KINDS.join(', ')}; left out: all kinds.`,
  examples: ['rating,bond'],
};

const CHANGES: RouteDescription = {
  operationId: 'listChanges',
  summary: 'List changes of machines in the order in which they were observed.',
  query: { ...describeIntegers(RULES), kinds: KINDS },
  responses: { 200: 'ChangePage' },
  faults: ['ParametersInvalid', 'ChangesGone', 'ServiceNotInitialised', 'StoreUnavailable'],
  caching: 'revalidated',
  block: 'never',
};

const STREAM: RouteDescription = {
  operationId: 'streamChanges',
  summary: 'Follow changes of machines as server-sent events; the id of an event is its cursor.',
  query: {
    after: {
      ...CHANGE_CURSOR,
      description:
        'Cursor that the stream begins after; left out: with the next change. The header Last-Event-ID comes first.',
    },
    kinds: KINDS,
  },
  responses: { 200: 'ChangeStream' },
  media: EVENT_STREAM,
  faults: ['ParametersInvalid', 'ChangesGone', 'StreamsExceeded', 'ServiceNotInitialised', 'StoreUnavailable'],
  caching: 'never',
  block: 'never',
};

const ASYNCAPI: RouteDescription = {
  operationId: 'getAsyncapi',
  summary: 'Get the AsyncAPI document of the stream and the webhooks.',
  responses: { 200: 'AsyncapiDocument' },
  faults: [],
  caching: 'revalidated',
  block: 'never',
};

export function changesRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/changes', { profile: 'read', description: CHANGES }, async (request) => {
    const [after, limit] = requireIntegers(request.query, RULES).map(Number) as [number, number];
    const kinds = requireWords(request.query, 'kinds', CHANGE_KINDS);
    request.setPhase('store');
    const page = await listChanges(ctx, { after: after === NO_CURSOR ? undefined : after, kinds, limit });
    sendCacheableJson(request, encodeJson(toChangePage(page, ctx.namespace)));
  });

  routes.get('/changes/stream', { profile: 'read', description: STREAM }, async (request) => {
    const [after] = requireIntegers(request.query, [AFTER]).map(Number) as [number];
    const last = requireIntegerHeader(request.request, 'last-event-id', 0, Number.MAX_SAFE_INTEGER);
    const kinds = requireWords(request.query, 'kinds', CHANGE_KINDS);
    request.setPhase('store');
    const from = last ?? (after === NO_CURSOR ? undefined : after);
    const { newest } = await requireCursor(ctx, from);
    if (request.request.method === 'HEAD') return sendStreamHead(request);
    if (!request.isAwaited) return;
    const stream = request.route.services.streams.open(request);
    void sendChanges(ctx, request, stream, { after: from ?? newest, kinds });
  });

  let document: EncodedJson | undefined;
  routes.get('/asyncapi.json', { profile: 'page', description: ASYNCAPI }, (request) => {
    document ??= encodeJson(createAsyncDocument(ctx.namespace, ctx.publicUrl));
    sendCacheableJson(request, document);
  });
}

/** Sends changes until the stream ends. A failure ends it; the client connects again and continues. */
async function sendChanges(
  ctx: Ctx,
  { route }: RequestContext,
  stream: EventStream,
  options: { readonly after: number; readonly kinds: readonly ChangeKind[] | undefined },
): Promise<void> {
  try {
    await stream.send([{ id: String(options.after) }]);
    for await (const page of followChanges(ctx, { ...options, signal: stream.signal })) {
      await stream.send(toEvents(page, ctx));
    }
  } catch (error) {
    route.services.metrics.addFault(error);
  } finally {
    stream.end();
  }
}

/** The last event names the cursor that the page has reached, beyond changes of other kinds. */
function toEvents({ changes, next }: ChangePage, { namespace }: Ctx): SentEvent[] {
  const events: SentEvent[] = changes.map((change) => ({
    id: String(change.cursor),
    event: 'change',
    data: toChange(change, namespace),
  }));
  return changes.at(-1)?.cursor === next ? events : [...events, { id: String(next) }];
}
