/**
 * Renders `docs/causes.md` from the causes that stop or slow an index. A test compares the two.
 *
 *     node docs/render-causes.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import {
  explainCause,
  FIRST_INDEX_LIMITS,
  PLAIN_INDEX_CAUSES,
  SLOWING_CAUSES,
  type IndexCause,
  type PlainIndexCause,
} from '../src/domain/index-rules/index-cause.ts';

/** Location of the rendered page. */
export const CAUSES_PAGE = new URL('causes.md', import.meta.url);

/** One example of each other cause that carries figures. */
const WITH_FIGURES: {
  readonly [K in Exclude<IndexCause['kind'], PlainIndexCause | 'first-index-slow'>]: IndexCause & { readonly kind: K };
} = {
  'finality-distant': { kind: 'finality-distant', gapBlocks: 450 },
  'node-answers-malformed': { kind: 'node-answers-malformed', nodes: [0] },
  'hosts-missing': { kind: 'hosts-missing', hosts: 1, quorum: 2 },
  'machines-refused': { kind: 'machines-refused', machines: 3 },
  'alt-machines-refused': { kind: 'alt-machines-refused', machines: 3 },
  'alt-first-index-slow': { kind: 'alt-first-index-slow', seconds: 200_000 },
};

/** One example of a slow first index for each reason. */
const SLOW_FIRST_INDEX: readonly IndexCause[] = FIRST_INDEX_LIMITS.map((limit) => ({
  ...{ kind: 'first-index-slow', limit, rangeBlocks: 3, seconds: 200_000 },
}));

function renderText(): string {
  const causes = [...PLAIN_INDEX_CAUSES.map((kind) => ({ kind })), ...SLOW_FIRST_INDEX, ...Object.values(WITH_FIGURES)];
  const rows = causes
    .map(explainCause)
    .map(({ kind, subject, text, remedy }) => `| \`${kind}\` | ${subject} | ${text} | ${remedy} |`);
  return `
<!-- Rendered by docs/render-causes.ts from src/domain/index-rules/index-cause.ts. Do not edit. -->

# Causes

What stops or slows an index, with the sentence that \`svc doctor\`, the log and \`causes\` of \`GET /status\` share, and the
remedy. \`svc doctor\` fails for each that it finds, and adds what it measured, the provider's own text or a closer
remedy. Instead of the sentence of \`contracts-differ\` and \`alt-other-deployment\` it prints a line for each variable. It
only warns of ${SLOWING_CAUSES.map((kind) => `\`${kind}\``).join(', ')}: they cost calls, and last while the index reads history.
Figures are examples.

| cause | concerns | sentence | remedy |
| :- | :- | :- | :- |
${rows.join('\n')}
`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderCauses(): Promise<string> {
  const config = await resolveConfig(CAUSES_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(CAUSES_PAGE, await renderCauses());
}
