/** Refusals of batches in every documented form. Limits are scaled down so that short chains reach them. */
import {
  errorItem,
  jsonAnswer,
  RESET,
  stateless,
  textAnswer,
  type Behavior,
  type HttpAnswer,
  type IncomingRequest,
  type Item,
} from './behavior.ts';

const MAX_CALLS = 10;
const MAX_BATCH_BYTES = 60_000;
/** More than the receipts of any one block. */
const MAX_SINGLE_BYTES = 500_000;
const MAX_BODY_BYTES = 8 * 1024;

/** Refuses batches of more than `max` calls. */
function limit(
  name: string,
  imitates: string,
  max: number,
  refusal: (request: IncomingRequest) => HttpAnswer | typeof RESET,
): Behavior {
  return stateless(name, imitates, {
    refuse: (request) => (request.isBatch && request.calls.length > max ? refusal(request) : undefined),
  });
}

const sizeOf = (item: Item): number => Buffer.byteLength(JSON.stringify(item));

/** Applies `cut` to the items from the one that crosses the size limit of a batch. */
function cutAfterLimit(items: readonly Item[], cut: (item: Item) => Item): readonly Item[] {
  let bytes = 0;
  return items.map((item) => ((bytes += sizeOf(item)) > MAX_BATCH_BYTES ? cut(item) : item));
}

export const BATCH_BEHAVIORS: readonly Behavior[] = [
  limit('batch-limit-geth', '2: geth, one error with the id of the first call', MAX_CALLS, ({ calls }) =>
    jsonAnswer(errorItem(calls[0]!.id, -32_600, 'batch too large')),
  ),
  limit('batch-limit-erigon', '2: erigon', MAX_CALLS, ({ calls }) => {
    const text = `batch limit ${MAX_CALLS} exceeded (can increase by --rpc.batch.limit). Requested batch of size: ${calls.length}`;
    return jsonAnswer(errorItem(null, -32_000, text));
  }),
  limit('batch-limit-nethermind', '2: nethermind', MAX_CALLS, () =>
    jsonAnswer(errorItem(null, -32_005, 'Batch size limit exceeded')),
  ),
  limit('batch-limit-besu', '2: besu', MAX_CALLS, () =>
    jsonAnswer(errorItem(null, -32_005, 'Number of requests exceeds max batch size')),
  ),
  limit('batch-limit-jsonrpsee', '2: Substrate and zkSync', MAX_CALLS, () =>
    jsonAnswer(errorItem(null, -32_010, 'The batch request was too large', `Exceeded max limit of ${MAX_CALLS}`)),
  ),
  limit('batches-off-jsonrpsee', '2: jsonrpsee with batches off', 0, () =>
    jsonAnswer(errorItem(null, -32_005, 'Batched requests are not supported by this server')),
  ),
  limit('batch-limit-proxyd', '2: OP proxyd', MAX_CALLS, () =>
    jsonAnswer(errorItem(null, -32_014, 'too many RPC calls in batch request'), 413),
  ),
  limit('batch-limit-drpc', '4: dRPC, no JSON-RPC object', 3, () =>
    jsonAnswer(
      {
        message:
          'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account',
        code: 31,
      },
      500,
    ),
  ),
  limit('batch-limit-drpc-items', '4: dRPC, per item', 3, ({ calls }) =>
    jsonAnswer(calls.map(({ id }) => errorItem(id, 31, 'Batch of more than 3 requests are not allowed on free tier'))),
  ),
  stateless('batch-limit-gnosis', '4: Gnosis, per method', {
    refuse({ calls, isBatch }) {
      const counts = Map.groupBy(calls, ({ method }) => method);
      const [method] = [...counts].find(([, group]) => group.length > 2) ?? [];
      if (!isBatch || method === undefined) return undefined;
      return jsonAnswer(errorItem(null, -32_600, `Too many ["${method}"] methods in the batch`));
    },
  }),
  limit('batch-limit-array-of-one', '1: an array of one error', MAX_CALLS, () =>
    jsonAnswer([errorItem(null, -32_600, 'batch too large')]),
  ),
  limit('batch-limit-items', '1: one error per item', MAX_CALLS, ({ calls }) =>
    jsonAnswer(calls.map(({ id }) => errorItem(id, -32_600, 'batch too large'))),
  ),
  limit('batch-limit-no-id', '1: one error without id', MAX_CALLS, () =>
    jsonAnswer({ jsonrpc: '2.0', error: { code: -32_600, message: 'Invalid Request' } }, 400),
  ),
  limit('batches-off-http-400', '1: text with HTTP 400', 0, () => textAnswer(400, 'Bad Request')),
  limit('batches-off-http-405', '1: HTML with HTTP 405', 0, () => textAnswer(405, '<html>Method Not Allowed</html>')),
  limit('batch-limit-reset', '1: a reset connection', MAX_CALLS, () => RESET),
  limit('batch-limit-http-500', '1: HTML with HTTP 500', MAX_CALLS, () =>
    textAnswer(500, '<html>Internal Server Error</html>'),
  ),
  stateless('batch-body-geth', '2: geth, size of the request body', {
    refuse: ({ bytes, isBatch }) =>
      isBatch && bytes > MAX_BODY_BYTES
        ? textAnswer(413, `content length too large (${bytes}>${MAX_BODY_BYTES})`)
        : undefined,
  }),
  stateless('batch-body-proxyd', '2: proxyd, size of the request body', {
    refuse: ({ bytes, isBatch }) =>
      isBatch && bytes > MAX_BODY_BYTES
        ? jsonAnswer(errorItem(null, -32_021, 'request body too large'), 413)
        : undefined,
  }),
  stateless('batch-size-geth', '2: geth, -32003 from the item that crosses the limit', {
    items: (items, { isBatch }) =>
      isBatch ? cutAfterLimit(items, ({ id }) => errorItem(id, -32_003, 'response too large')) : items,
  }),
  stateless('batch-size-nethermind', '2: nethermind, -32005 for the later items', {
    items: (items, { isBatch }) =>
      isBatch ? cutAfterLimit(items, ({ id }) => errorItem(id, -32_005, 'Batch size limit exceeded')) : items,
  }),
  stateless('batch-timeout-geth', '2: geth, -32002 for the calls left', {
    items: (items, { isBatch }) =>
      isBatch
        ? items.map((item, i) => (i < MAX_CALLS ? item : errorItem(item['id'], -32_002, 'request timed out')))
        : items,
  }),
  stateless('batch-size-reth', '2: reth, the whole batch lost', {
    items(items, { isBatch }) {
      const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0);
      if (isBatch && bytes > MAX_BATCH_BYTES) {
        return errorItem(null, -32_011, 'The batch response was too large', `Exceeded max limit of ${MAX_BATCH_BYTES}`);
      }
      return isBatch || bytes <= MAX_SINGLE_BYTES
        ? items
        : [errorItem(items[0]!['id'], -32_008, 'Response is too big')];
    },
  }),
  stateless('batch-size-proxyd', '2: proxyd, HTTP 500', {
    encode: (answer, { isBatch }) =>
      isBatch && answer.body.length > MAX_BATCH_BYTES
        ? jsonAnswer(errorItem(null, -32_020, 'backend response too large'), 500)
        : answer,
  }),
  stateless('single-size-jsonrpsee', '2: -32008 for large single answers', {
    items: (items) =>
      items.map((item) =>
        sizeOf(item) > MAX_SINGLE_BYTES
          ? errorItem(item['id'], -32_008, 'Response is too big', `Exceeded max limit of ${MAX_SINGLE_BYTES}`)
          : item,
      ),
  }),
];
