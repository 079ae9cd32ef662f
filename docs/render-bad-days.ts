/**
 * What do callers see on a bad day? Renders `docs/bad-days.md` from the table that the tests hold the service to, so that the page cannot promise
 * anything else; a test compares the two.
 *
 *     node docs/render-bad-days.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import {
  BAD_DAYS,
  DEPENDENCIES,
  expectedOf,
  OUTCOMES,
  PATIENCE_MILLISECONDS,
  POLL_INTERVAL_SECONDS,
  ROUTE_NAMES,
  ROUTES,
  type OutcomeName,
} from '../test/bad-days-table.ts';

/** Where the page stands. */
export const BAD_DAYS_PAGE = new URL('bad-days.md', import.meta.url);

const OUTCOME_NAMES = Object.keys(OUTCOMES) as OutcomeName[];

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function renderText(): string {
  const patience = Object.entries(PATIENCE_MILLISECONDS).map(([pace, milliseconds]) => [
    pace,
    `${milliseconds / 1000} s`,
  ]);
  return `
<!-- Rendered by docs/render-bad-days.ts from test/bad-days-table.ts. Do not edit. -->

# Bad days

What every route says while one thing that the service depends on is unwell. A proxy of the tests stands before each of them and spoils what passes.
For every line of the first table, \`test/service/bad-days.test.ts\` holds that

- every route comes to say what the second table has for the outcome, within the patience of its callers, and meanwhile says what it said before, or 503;
- no answer is ever wrong: a 200 is that of a service that lacks nothing, and what could not be read is never called absent;
- after the fault all routes are well again within one poll (${POLL_INTERVAL_SECONDS} s in the test, 60 s by default), without a restart.

\`npm test\` tries the lines in bold, \`BAD_DAYS=all npx vitest run --project service bad-days\` all of them.

${table(
  ['dependency', 'fault', 'what happens', 'outcome'],
  BAD_DAYS.map(({ dependency, fault, what, outcome, isAlwaysTried }) => [
    DEPENDENCIES[dependency],
    isAlwaysTried === true ? `**${fault}**` : fault,
    what,
    inWords(outcome),
  ]),
)}

## Outcomes

${OUTCOME_NAMES.map((name) => `- **${inWords(name)}**: ${OUTCOMES[name].says}`).join('\n')}

${table(
  ['route', ...OUTCOME_NAMES.map(inWords)],
  ROUTE_NAMES.map((route) => [
    ROUTES[route].line,
    ...OUTCOME_NAMES.map((outcome) => expectedOf(outcome, route).join(' or ')),
  ]),
)}

## Patience

An answer that takes longer than this fails the test. The service itself gives up earlier: after 9 s, 3.5 s, 5 s and 8 s.

${table(['routes', 'at most'], patience)}

## Redis

\`test/service/bad-days-counters.test.ts\`: cut, reset, silence, dribble, garbage and a latency of a second change no answer. The replica counts alone meanwhile, still refuses the
91st request, and counts with the others again when the server is well. Where no Redis is installed this is skipped, and said so.

## Slow callers

\`test/service/bad-days-slow-callers.test.ts\`: 2,000 connections that send a head or a body a byte at a time. All others are answered meanwhile, and every
one of the 2,000 is told 408, 503 or 401 and closed when its time is over.
`;
}

/** The page, as the formatter of this project leaves it. */
export async function renderBadDays(): Promise<string> {
  const config = await resolveConfig(BAD_DAYS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(BAD_DAYS_PAGE, await renderBadDays());
