/**
 * Renders `docs/providers.md` from the behaviors that the provider matrix imitates. A test compares the two.
 *
 *     node docs/render-providers.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { HOSTILE_RESPONSES } from '../testing/harness/hostile-node.ts';
import { NODE_FAULTS } from '../testing/harness/node-faults.ts';
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
  const kinds = Object.keys({ ...HOSTILE_RESPONSES, ...NODE_FAULTS }).length;
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

Pairs of one chain are tried in combinations of up to \`SIZE\` behaviors (10; \`-t combination\`): a service that is served completely
behind all of them is served behind each pair. A combination holds at most two faults or rates, because few requests pass more, and
beside one of these at most one limit of batches and one of logs; without them up to three limits of one kind, because the lowest one
answers. One that does not hold is divided until a pair is found that does not. A behavior that must be refused hides what the
others do to each other, so that a combination with it shows only its own pairs. \`SIZE=2\` runs every pair alone. Behaviors of the main
chain are combined without the alt chain: each chain has its own pool, budget and loops, and an alt chain to index would cost three
quarters of a case. \`-t mixture\` covers the pairs of both chains. The last line reports how many pairs hold, and in how many both
behaviors were seen to act: one of two limits may hide the other. Nine pairs are served alone and refused together,
because nothing proves a response then: \`no-hash-pins\` with \`parent-block-number\`, and \`full-blooms\` and \`logs-address-required\`
with each of the four behaviors of receipts that are missing or do not match.

Time passes only while the process is idle, so that a case takes no longer than its work, and a busy machine misses no deadline.
Each response of the local node is read once until its chain grows. \`PROGRESS=FILE\` continues an earlier run, and \`PART=1/2\` with
\`PART=2/2\` uses two cores.

Each behavior alone was seen to be served or refused as listed below. \`alt-100-accounts\`, \`alt-batches-off\`, \`alt-batch-10\` and
\`alt-body-50k\` had no occasion to act, because the service sends single, small calls to alt-chain nodes. Of the pairs:

| command | pairs held | both acted | CPU time of one core |
| :- | :- | :- | :- |
| \`npm run campaigns -- providers -t 'combination of behaviors of the alt'\` | 171 of 171 | 90 | 6 minutes |
| \`npm run campaigns -- providers -t 'combination of behaviors of the main'\` | 8,646 of 8,646 | 4,691 | 70 minutes |

The pairs of the main chain were run in parts joined by \`PROGRESS\`, before and after the corrections that they led to; a case that did not
hold was run again. The pairs led to four corrections: of deliveries behind two faults of gateways, of the pace behind a gateway that limits the rate without
naming it, of large responses with further members, and of how often \`svc doctor\` repeats a failed read.

Three and more behaviors together are not claimed. Behind two faults of gateways that come in step with the service's own
requests, together with further ones, the index was seen not to begin within 15 minutes.

## Bad input

\`npm run campaigns -- hostile-node\` runs the service with two nodes of the main chain, of which the first sends bad input of one kind,
and then with the first one alone. A kind passes when the index does not stay behind, every response is that of two honest nodes,
\`/status\` names the node, the first node alone leads to 503 with a named cause in \`/status\`, the process stays within 600 MB, and its
main thread is never blocked for more than 200 ms of CPU time. \`PART\`, \`PROGRESS\` and \`KINDS\` run parts of it, and the last line has the
totals. All ${kinds} kinds pass: at most 79 ms blocked and 512 MB, on a machine with a load of 12 on two cores.

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
