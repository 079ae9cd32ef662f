/**
 * Renders `docs/errors.md` from the error table and the routes' declarations, so that the page lists exactly the service's errors. A test compares
 * the two.
 *
 *     node docs/render-errors.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { registerRoutes } from '../src/http/routes/register-routes.ts';
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

/** Location of the rendered page. */
export const ERRORS_PAGE = new URL('errors.md', import.meta.url);

type Kind = FaultKind | 'Unexpected';

interface ErrorRow {
  readonly status: number;
  /** The code, or the text of an error without a code. */
  readonly answer: string;
  readonly headers: readonly string[];
  readonly kind: Kind;
  readonly surfaces: readonly ProfileName[];
}

const EVERYWHERE: readonly Kind[] = [...ALWAYS, 'RouteUnknown', 'MethodNotAllowed'];

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'invalid request',
  401: 'not authenticated',
  403: 'not allowed',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  408: 'request timeout',
  409: 'conflict with the current state',
  413: 'too large',
  422: 'understood and rejected',
  429: 'rate limit exceeded',
  431: 'headers too large',
  500: 'service error',
  503: 'temporarily unknown',
};

const GROUPS: readonly (readonly [string, readonly ProfileName[]])[] = [
  ['reads', ['read', 'metadata', 'operator', 'bound-address', 'health', 'page']],
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
  health: 'health',
  page: 'documents',
};

function listRoutes(): DescribedRoute[] {
  const described: DescribedRoute[] = [];
  const add =
    (method: string) =>
    (path: string, { profile: surface, description }: RouteOptions) => {
      if (description !== undefined) described.push({ method, path, profile: surface, description });
    };
  const routes: Routes = { get: add('GET'), put: add('PUT'), post: add('POST'), described };
  registerRoutes(routes, createStubCtx());
  return described;
}

/** Returns one row per response of each kind; surfaces with the same response share a row. */
function listRows(): ErrorRow[] {
  const routes = listRoutes();
  const rows = new Map<string, ErrorRow>();
  for (const kind of Object.keys(ERROR_HELP) as Kind[]) {
    const known = EVERYWHERE.includes(kind)
      ? routes
      : routes.filter(({ description }) => (description.faults as readonly Kind[]).includes(kind));
    for (const surface of new Set(known.map((route) => route.profile))) {
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
  const text = typeof detail === 'string' ? detail : (detail as { code: string }).code;
  return `\`${text.replaceAll(String(SAMPLE_NUMBER), 'N')}\``;
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
  const table = [['response', 'routes', 'cause', 'remedy'], [':-', ':-', ':-', ':-'], ...lines];
  return `## ${status}, ${REASON_PHRASES[status]!}\n\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function renderText(): string {
  const byStatus = Object.groupBy(listRows(), ({ status }) => status);
  const sections = Object.entries(byStatus).map(([status, rows]) => renderSection(Number(status), rows!));
  return `# Errors

This page lists every error of the service with its cause and remedy. It is rendered from the error table
(\`node docs/render-errors.ts\`), and a test compares the two. The same texts are under \`x-errors\` in \`GET /openapi.json\` and on
\`/docs\` of a running service.

## How to read an error

- **404 is definitive; 503 means unknown.** 404 says that the chain was read and the resource does not exist. 503 says that the
  state is unknown: keep your last known value and retry after \`Retry-After\` seconds, or after 30 s without that header.
- **Reads** return \`{"detail": "…"}\`. The text is fixed and programs may compare it; N is a number. Only
  \`MACHINE_HOMED_ELSEWHERE\` has a code too.
- **Monetization and Verify** return \`{"detail": {"code": "…", "message": "…"}}\`. Compare the code; the message is for people and
  may change.
- **Malformed parameters** return a list, \`{"detail": [{"type", "loc", "msg", "input"}]}\`.
- **An exceeded rate limit** returns \`{"error": "…"}\`, except under Verify.
- Errors are \`no-store\`. Apart from \`input\` in such a list, none contains text of a caller, a chain or a node.

A code with several causes has one line per cause.

${sections.join('\n')}`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderErrors(): Promise<string> {
  const config = await resolveConfig(ERRORS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(ERRORS_PAGE, await renderErrors());
