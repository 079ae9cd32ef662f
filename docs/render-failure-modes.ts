/**
 * Renders `docs/failure-modes.md` from the table that the tests assert, so that the page cannot promise anything else. A test compares the two.
 *
 *     node docs/render-failure-modes.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import {
  CLOCK_FAILURE_MODES,
  CLOCK_RECOVERY_SECONDS,
  DEPENDENCIES,
  expectedOf,
  FAILURE_MODES,
  HOST_FAILURE_MODES,
  RECEIVER_FAILURE_MODES,
  OUTCOMES,
  PAYMENT_SOURCE_FAILURE_MODES,
  RESPONSE_TIMEOUT_MILLISECONDS,
  POLL_INTERVAL_SECONDS,
  ROUTE_NAMES,
  ROUTES,
  type OutcomeName,
} from '../test/failure-modes-table.ts';

/** Location of the rendered page. */
export const FAILURE_MODES_PAGE = new URL('failure-modes.md', import.meta.url);

const OUTCOME_NAMES = Object.keys(OUTCOMES) as OutcomeName[];

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function renderText(): string {
  const timeouts = Object.entries(RESPONSE_TIMEOUT_MILLISECONDS).map(([pace, milliseconds]) => [
    pace,
    `${milliseconds / 1000} s`,
  ]);
  return `
<!-- Rendered by docs/render-failure-modes.ts from test/failure-modes-table.ts. Do not edit. -->

# Failure modes

This page lists what every route returns while one dependency of the service fails. The tests put a proxy in front of each
dependency and inject the fault there. For every line of the first table, \`test/service/outages/failure-modes.test.ts\` asserts that:

- every route reaches the response that the second table lists for the outcome, within the timeout of its callers; until
  then it returns its previous response or 503;
- no response is ever wrong: a 200 equals that of a healthy service, and unreadable facts are never reported as absent;
- after the fault all routes recover within one poll (${POLL_INTERVAL_SECONDS} s in the test, 60 s by default), without a restart.

\`npm test\` runs the lines in bold, \`npm run failures\` all of them.

${table(
  ['dependency', 'fault', 'what happens', 'outcome'],
  FAILURE_MODES.map(({ dependency, fault, description, outcome, isAlwaysRun }) => [
    DEPENDENCIES[dependency],
    isAlwaysRun === true ? `**${fault}**` : fault,
    description,
    inWords(outcome),
  ]),
)}

## Clock

\`test/service/outages/failure-modes-clock.test.ts\` asserts for every line that \`GET /ready\` names the state, that every route returns
what its outcome says, that an expired record is never \`verified\`, and that everything recovers within ${CLOCK_RECOVERY_SECONDS} s without a restart.

${table(
  ['fault', 'what happens', 'state', 'outcome'],
  CLOCK_FAILURE_MODES.map(({ fault, description, state, outcome }) => [fault, description, state, inWords(outcome)]),
)}

## Host

\`test/service/outages/failure-modes-host.test.ts\` runs a service with a SQLite file as a process on its own small file system, and
asserts for every line what it asserts for dependencies. A decision that was acknowledged before is stored afterwards, and no refused
one is. A process without file descriptors may also close connections. The test needs root; elsewhere it is skipped, and reported as
skipped.

${table(
  ['fault', 'what happens', 'outcome'],
  HOST_FAILURE_MODES.map(({ fault, description, outcome }) => [fault, description, inWords(outcome)]),
)}

## Payment sources

\`src/indexing/payments/payment-source-faults.test.ts\` injects each fault into the only URL of a source while a machine cites
payments on it and on another source. For every line it asserts that:

- nothing is wrong: each citation of that source is \`pending\`, which counts as declared; the other source is judged;
- nothing is lost: after the fault every verdict is that of a source without it, also the absence of a transaction and a
  payment that returned to its payer;
- it recovers within one poll without a restart. A citation whose transaction could not be read several times has its own
  next attempt, after 1, 2, 4 … 60 minutes.

No route depends on a source, so \`causes\` of \`GET /status\` do not name these faults: \`payment_sources\` and the alerts
\`PaymentSourceDown\`, \`PaymentSourceLags\` and \`PaymentsUnreadable\` do. A single URL that invents a transaction with a block to
match is not detected.

${table(
  ['source', 'fault', 'what happens'],
  PAYMENT_SOURCE_FAILURE_MODES.map(({ kind, fault, description }) => [
    kind === 'evm' ? 'EVM chain' : 'Solana cluster',
    fault,
    description,
  ]),
)}

## Outcomes

${OUTCOME_NAMES.map((name) => `- **${inWords(name)}**: ${OUTCOMES[name].summary}`).join('\n')}

${table(
  ['route', ...OUTCOME_NAMES.map(inWords)],
  ROUTE_NAMES.map((route) => [
    ROUTES[route].line,
    ...OUTCOME_NAMES.map((outcome) => expectedOf(outcome, route).join(' or ')),
  ]),
)}

## Timeouts

A response that takes longer than this fails the test. The service times out earlier: after 9 s, 3.5 s, 5 s and 8 s.

${table(['routes', 'at most'], timeouts)}

## Certificate of the database

\`test/service/outages/failure-modes-certificate.test.ts\` lets the certificate of a PostgreSQL server expire (\`sslmode=verify-full\`).
Existing connections continue. When they end, the outcome is **database down**, and \`svc_database_failures_total\` counts
\`CERT_HAS_EXPIRED\`. The service recovers within one poll after the renewal.

## Two releases at once

\`src/adapters/sql/schema/two-releases.test.ts\` starts two releases on one database together, on SQLite and PostgreSQL. The newer one
succeeds and its tables are complete. The older one succeeds before it or is refused with \`SCHEMA_TOO_NEW\`, and changes nothing.

## Providers

[providers.md](providers.md) lists what providers of nodes do, and the outcome with each: limits of rate and range, lost state,
contradictions, wrong responses.

## Redis

\`test/service/outages/failure-modes-redis.test.ts\` injects cut, reset, no response, trickle, garbage and one second of latency,
a fail-over during which the server is a read-only replica, a full memory and an eviction of all counters. No response changes. Meanwhile the replica counts alone and still rejects the 91st request; it returns to distributed counting
when the server recovers. The test is skipped, and reported as skipped, where Redis is not installed.

## Receivers of webhooks

\`src/adapters/webhooks/webhook-sender.test.ts\` injects every line. No route is affected. A delivery that fails is repeated for about
three days and is then a dead letter; a receiver that does not respond is left alone for five seconds, so that it delays the others by
one timeout at most (\`src/indexing/webhooks/webhook-worker.test.ts\`).

${table(
  ['fault', 'what happens', 'problem in `svc watch list`'],
  RECEIVER_FAILURE_MODES.map(({ fault, description, problem }) => [fault, description, problem ?? 'none: accepted']),
)}

[operating.md](operating.md#changes-and-webhooks) explains deliveries. \`npm run campaigns -- changes\` kills replicas during deliveries, and
no change is lost.

## Slow callers

\`test/service/outages/failure-modes-slow-callers.test.ts\` opens 2,000 connections that send headers or a body one byte at a time.
All other callers are served meanwhile. Each of the 2,000 receives 408, 503 or 401 and is closed when its time is over.
`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderFailureModes(): Promise<string> {
  const config = await resolveConfig(FAILURE_MODES_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(FAILURE_MODES_PAGE, await renderFailureModes());
}
