/**
 * Which errors are there, why, and what to do? Renders `docs/errors.md` from the error table and from what the routes declare, so that the
 * page cannot tell of another error than the service; a test compares the two.
 *
 *     node docs/render-errors.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { ROUTE_GROUPS } from '../src/app.ts';
import { Fault } from '../src/domain/faults.ts';
import type { FaultKind } from '../src/domain/faults.ts';
import { ALWAYS } from '../src/http/schemas/openapi.ts';
import type { DescribedRoute } from '../src/http/schemas/openapi.ts';
import type { RouteOptions, Routes } from '../src/http/server/route-table.ts';
import { ERROR_HELP } from '../src/http/schemas/error-help.ts';
import { FAULT_SAMPLES, SAMPLE_NUMBER } from '../src/http/schemas/errors.ts';
import type { ProfileName } from '../src/http/server/route-profiles.ts';
import { toWireError } from '../src/http/error-responses.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';

/** Where the page stands. */
export const ERRORS_PAGE = new URL('errors.md', import.meta.url);

type Kind = FaultKind | 'Unexpected';

interface ErrorRow {
  readonly status: number;
  /** The code, or the text where there is none. */
  readonly answer: string;
  readonly headers: readonly string[];
  readonly kind: Kind;
  readonly surfaces: readonly ProfileName[];
}

const EVERYWHERE: readonly Kind[] = [...ALWAYS, 'RouteUnknown', 'MethodNotAllowed'];

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'the request is wrong',
  401: 'who asks is not known',
  403: 'not allowed',
  404: 'not there',
  405: 'not this method',
  406: 'not this form',
  408: 'too slow',
  409: 'not in this state',
  413: 'too large',
  422: 'understood, and refused',
  429: 'too often',
  431: 'headers too large',
  500: 'our error',
  503: 'not known now',
};

const GROUPS: readonly (readonly [string, readonly ProfileName[]])[] = [
  ['reads', ['read', 'metadata', 'operator', 'bound-address', 'probe', 'page']],
  ['monetization', ['monetization']],
  ['Verify', ['verify', 'chip-challenge', 'chip-evidence']],
];

const SURFACE_NAMES: { readonly [S in ProfileName]: string } = {
  read: 'machines',
  metadata: 'metadata',
  operator: 'fleets',
  'bound-address': 'bound wallets',
  monetization: 'monetization',
  verify: 'Verify record',
  'chip-challenge': 'chip challenge',
  'chip-evidence': 'chip evidence',
  probe: 'probes',
  page: 'documents',
};

function listRoutes(): DescribedRoute[] {
  const described: DescribedRoute[] = [];
  const add =
    (method: string) =>
    (path: string, { surface, description }: RouteOptions) => {
      if (description !== undefined) described.push({ method, path, surface, description });
    };
  const routes: Routes = { get: add('GET'), put: add('PUT'), post: add('POST'), described };
  for (const group of ROUTE_GROUPS) group(routes, createStubCtx());
  return described;
}

/** One row for each answer of each kind; those that several surfaces share stand in one. */
function listRows(): ErrorRow[] {
  const routes = listRoutes();
  const rows = new Map<string, ErrorRow>();
  for (const kind of Object.keys(ERROR_HELP) as Kind[]) {
    const known = EVERYWHERE.includes(kind)
      ? routes
      : routes.filter(({ description }) => (description.faults as readonly Kind[]).includes(kind));
    for (const surface of new Set(known.map((route) => route.surface))) {
      for (const row of describe(kind, surface)) {
        const key = `${kind} ${row.status} ${row.answer}`;
        rows.set(key, { ...row, surfaces: [...(rows.get(key)?.surfaces ?? []), surface] });
      }
    }
  }
  return [...rows.values()].toSorted((a, b) => a.status - b.status || compare(a.answer, b.answer));
}

function describe(kind: Kind, surface: ProfileName): ErrorRow[] {
  const errors = kind === 'Unexpected' ? [new Error()] : FAULT_SAMPLES[kind].map((context) => new Fault(kind, context));
  return errors.map((error) => {
    const { status, body, headers = {} } = toWireError(surface, error);
    return { status, answer: nameAnswer(body), headers: Object.keys(headers), kind, surfaces: [surface] };
  });
}

function nameAnswer(body: { detail?: unknown; error?: unknown }): string {
  const detail = body.detail ?? body.error;
  if (Array.isArray(detail)) return 'a list of parameters';
  const told = typeof detail === 'string' ? detail : (detail as { code: string }).code;
  return `\`${told.replaceAll(String(SAMPLE_NUMBER), 'N')}\``;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function nameSurfaces(surfaces: readonly ProfileName[]): string {
  const words = GROUPS.flatMap(([group, members]) => {
    const found = members.filter((member) => surfaces.includes(member));
    return found.length === members.length ? [group] : found.map((member) => SURFACE_NAMES[member]);
  });
  return GROUPS.every(([group]) => words.includes(group)) ? 'all' : words.join(', ');
}

function renderSection(status: number, rows: readonly ErrorRow[]): string {
  const lines = rows.map(({ answer, headers, kind, surfaces }) => {
    const { cause, remedy } = ERROR_HELP[kind];
    const sent = headers.length === 0 ? '' : ` with ${headers.map((name) => `\`${name}\``).join(', ')}`;
    return [answer + sent, nameSurfaces(surfaces), cause, remedy];
  });
  const table = [['answer', 'where', 'cause', 'what to do'], [':-', ':-', ':-', ':-'], ...lines];
  return `## ${status}, ${REASON_PHRASES[status]!}\n\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function renderText(): string {
  const byStatus = Object.groupBy(listRows(), ({ status }) => status);
  const sections = Object.entries(byStatus).map(([status, rows]) => renderSection(Number(status), rows!));
  return `# Errors

Every error that the service answers with, its cause, and what to do about it. Rendered from the error table (\`node docs/render-errors.ts\`); a test
compares the two. The same words stand under \`x-errors\` in \`GET /openapi.json\` and on \`/docs\` of a running service.

## How to read an error

- **404 is an answer, 503 is none.** 404 says that the chain was read and the thing is not there. 503 says that nothing is known now: keep what you
  knew, and ask again after \`Retry-After\` seconds where the header is there, else after half a minute.
- **Reads** answer \`{"detail": "…"}\`; the text is fixed, and a program may compare it. N stands for a number. \`MACHINE_HOMED_ELSEWHERE\` alone has a code there, too.
- **Monetization and Verify** answer \`{"detail": {"code": "…", "message": "…"}}\`; a program compares the code, the message is for people and may change.
- **Parameters** of the wrong form are a list, \`{"detail": [{"type", "loc", "msg", "input"}]}\`.
- **A limit that is passed** is \`{"error": "…"}\` everywhere but under Verify.
- No cache may keep an error, and none holds text of a caller, of a chain or of a node, but for \`input\` of such a list.

One code with several causes has a line for each of them.

${sections.join('\n')}`;
}

/** The page, as the formatter of this project leaves it. */
export async function renderErrors(): Promise<string> {
  const config = await resolveConfig(ERRORS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(ERRORS_PAGE, await renderErrors());
