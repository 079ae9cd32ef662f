/**
 * Renders `docs/providers.md` from the behaviors that the provider matrix imitates. A test compares the two.
 *
 *     node docs/render-providers.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { ALT_BEHAVIORS } from '../testing/harness/provider-proxy/alt-behaviors.ts';
import { BATCH_BEHAVIORS } from '../testing/harness/provider-proxy/batch-behaviors.ts';
import type { Behavior } from '../testing/harness/provider-proxy/behavior.ts';
import { CHAIN_BEHAVIORS } from '../testing/harness/provider-proxy/chain-behaviors.ts';
import { GATEWAY_BEHAVIORS } from '../testing/harness/provider-proxy/gateway-behaviors.ts';
import { LOG_BEHAVIORS } from '../testing/harness/provider-proxy/log-behaviors.ts';
import { RATE_BEHAVIORS } from '../testing/harness/provider-proxy/rate-behaviors.ts';

/** Location of the rendered page. */
export const PROVIDERS_PAGE = new URL('providers.md', import.meta.url);

const GROUPS: readonly (readonly [title: string, behaviors: readonly Behavior[]])[] = [
  ['Batches', BATCH_BEHAVIORS],
  ['Log queries', LOG_BEHAVIORS],
  ['Rates', RATE_BEHAVIORS],
  ['Gateways', GATEWAY_BEHAVIORS],
  ['Chains and nodes', CHAIN_BEHAVIORS],
  ['Solana', ALT_BEHAVIORS],
];

function renderGroup([title, behaviors]: (typeof GROUPS)[number]): string {
  // The section number refers to the specification, which readers of the page do not have.
  const rows = behaviors.map(
    ({ name, imitates, expect }) => `| \`${name}\` | ${imitates.replace(/^\d+: /, '')} | ${expect} |`,
  );
  return [`## ${title}`, '', '| behavior | imitates | outcome |', '| :- | :- | :- |', ...rows].join('\n');
}

function renderText(): string {
  const count = GROUPS.reduce((sum, [, behaviors]) => sum + behaviors.length, 0);
  return `
<!-- Rendered by docs/render-providers.ts from testing/harness/provider-proxy. Do not edit. -->

# Providers

\`npm run campaigns -- providers\` runs the service behind a proxy that imitates ${count} behaviors of RPC nodes and providers,
alone and in pairs, and compares every response with a service behind the bare nodes, before and after a change of the
chain. \`npm test\` runs a short part (\`test/provider-matrix.test.ts\`). The outcomes:

- **served**: every response equals that of the bare nodes, and \`svc doctor\` passes;
- **refused**: the start or \`/status\` names the cause, \`svc doctor\` fails, and routes return 503 or their correct response.

A wrong response fails the campaign in every case, also in pairs. Limits are scaled down, so that a chain of some hundred
blocks reaches them. Add a behavior to \`testing/harness/provider-proxy\` when a provider does something that is not listed.

Behaviors that do not hide each other are combined, \`SIZE\` of them in one case (6): a service that is served completely behind
all of them is served behind each pair. \`SIZE=2\` runs every pair alone.

Seen so far, on two cores shared by other work: every behavior that must be refused was refused with a named cause and a failing
\`svc doctor\`; more than 100 of the others were served alone, and 8 combinations of two or three. No body of a response differed
from that of the bare nodes. Open are \`pruned-state-substrate\`, the behaviors of alt-chain nodes after \`alt-32016-early\`, and
almost all combinations: of three with twelve behaviors each, two did not finish and one reported \`/status\` as fresh while
responses were missing. \`GROUP=2\` fits a busy machine.

${GROUPS.map(renderGroup).join('\n\n')}
`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderProviders(): Promise<string> {
  const config = await resolveConfig(PROVIDERS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(PROVIDERS_PAGE, await renderProviders());
}
