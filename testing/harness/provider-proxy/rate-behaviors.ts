/** Rate limits in every documented form: a token bucket of calls, refusals with and without a time to wait. */
import {
  errorItem,
  failure,
  jsonAnswer,
  stateful,
  textAnswer,
  type Behavior,
  type HttpAnswer,
  type IncomingRequest,
} from './behavior.ts';

const CALLS_PER_SECOND = 25;
const RETRY_SECONDS = 1;
const CALLS_PER_DAY = 100;

/** Returns whether a bucket that fills with `perSecond` calls has room for `calls` more, and takes them. */
export function createBucket(perSecond: number): (calls: number) => boolean {
  let tokens = perSecond;
  let atMilliseconds = performance.now();
  return (calls) => {
    const now = performance.now();
    tokens = Math.min(perSecond, tokens + ((now - atMilliseconds) * perSecond) / 1000);
    atMilliseconds = now;
    if (tokens < calls) return false;
    tokens -= calls;
    return true;
  };
}

function rate(name: string, imitates: string, refusal: (request: IncomingRequest) => HttpAnswer): Behavior {
  return stateful(name, imitates, () => {
    const take = createBucket(CALLS_PER_SECOND);
    return { refuse: (request) => (take(request.calls.length) ? undefined : refusal(request)) };
  });
}

/** Refuses with one error per call, in the form of the request. */
function perCall(code: number, message: string, status = 200) {
  return ({ calls, isBatch }: IncomingRequest): HttpAnswer => {
    const errors = calls.map(({ id }) => errorItem(id, code, message));
    return jsonAnswer(isBatch ? errors : errors[0], status);
  };
}

const firstId = ({ calls }: IncomingRequest): unknown => calls[0]!.id;

const ALCHEMY = {
  jsonrpc: '2.0',
  error: {
    code: 429,
    message:
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
  },
};

export const RATE_BEHAVIORS: readonly Behavior[] = [
  rate('rate-429-seconds', '1: HTTP 429, Retry-After in seconds', () =>
    textAnswer(429, 'Too Many Requests', { 'retry-after': String(RETRY_SECONDS) }),
  ),
  rate('rate-429-date', '1: HTTP 429, Retry-After as a date', () =>
    textAnswer(429, 'Too Many Requests', { 'retry-after': new Date(Date.now() + RETRY_SECONDS * 1000).toUTCString() }),
  ),
  rate('rate-429-bare', '1: HTTP 429 without Retry-After', () => textAnswer(429, '')),
  rate('rate-429-alchemy', '4: Alchemy, no id', () => jsonAnswer(ALCHEMY, 429)),
  rate('rate-429-infura', '4: Infura', (request) =>
    jsonAnswer(errorItem(firstId(request), 429, 'Too Many Requests'), 429),
  ),
  rate('rate-32005', '1: -32005 with HTTP 200', perCall(-32_005, 'rate limit exceeded')),
  rate('rate-32029-ankr', '4: Ankr', perCall(-32_029, 'you exceeded the limit')),
  rate('rate-32016-proxyd', '4: proxyd, HTTP 429', perCall(-32_016, 'over rate limit', 429)),
  rate(
    'rate-32007-quicknode',
    '4: QuickNode with HTTP 200',
    perCall(
      -32_007,
      `${CALLS_PER_SECOND}/second request limit reached - reduce calls per second or upgrade your account at quicknode.com`,
    ),
  ),
  rate('rate-code-429-zksync', '4: zkSync, code 429 with HTTP 200', perCall(429, 'Too many requests')),
  rate('rate-one-error', '1: one error for a batch', () =>
    jsonAnswer(errorItem(null, -32_005, 'request rate exceeded')),
  ),
  rate('rate-busy-jsonrpsee', '2: jsonrpsee, server is busy', () =>
    jsonAnswer(errorItem(null, -32_009, 'Server is busy, try again later')),
  ),
  rate('rate-503-proxyd', '4: proxyd, backend offline', (request) =>
    jsonAnswer(errorItem(firstId(request), -32_010, 'backend offline'), 503),
  ),
  stateful('rate-items-alchemy', '4: Alchemy, single items of a batch', () => {
    const take = createBucket(CALLS_PER_SECOND);
    return {
      answer: (call, next) =>
        take(1) ? next(call) : failure(429, 'Your app has exceeded its compute units per second capacity.'),
    };
  }),
  stateful(
    'rate-402-daily',
    '4: Infura, daily credits used up',
    () => {
      let used = 0;
      return {
        refuse(request) {
          used += request.calls.length;
          return used <= CALLS_PER_DAY
            ? undefined
            : jsonAnswer(errorItem(firstId(request), 402, 'Payment Required'), 402);
        },
      };
    },
    'refused',
  ),
];
