/**
 * Renders `docs/decisions.md`, the index of all decisions, from the headings of `docs/decisions/*.md`. A test compares the two.
 *
 *     node docs/render-decisions.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';

/** Location of the rendered index. */
export const DECISIONS_PAGE = new URL('decisions.md', import.meta.url);

/** Pages of decisions, in reading order. */
export const DECISION_GROUPS = [
  'responses',
  'rating',
  'changes',
  'directory',
  'statements',
  'currency-rates',
  'payment-sources',
  'http',
  'pages',
  'monetization',
  'verify-record',
  'onboarding',
  'main-chain',
  'alt-chain',
  'ownership-snapshot',
  'legacy-machines',
  'database',
  'configuration',
  'telemetry',
  'client',
  'local-chains',
  'simulation',
  'tests',
] as const;

export interface Decision {
  readonly title: string;
  readonly anchor: string;
  /** Text between this heading and the next. */
  readonly body: string;
}

export interface DecisionGroup {
  readonly title: string;
  readonly decisions: readonly Decision[];
}

/** Returns the anchor that GitHub gives a heading. */
export function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the title and the decisions of one page. */
export function readDecisions(group: string): DecisionGroup {
  const [head, ...sections] = readFileSync(new URL(`decisions/${group}.md`, import.meta.url), 'utf8').split(/^## /m);
  const decisions = sections.map((section) => {
    const end = section.indexOf('\n');
    const title = section.slice(0, end);
    return { title, anchor: toAnchor(title), body: section.slice(end).trim() };
  });
  return { title: /^# (.+)$/m.exec(head!)![1]!, decisions };
}

function renderText(): string {
  const groups = DECISION_GROUPS.map((group) => {
    const { title, decisions } = readDecisions(group);
    const lines = decisions.map((each) => `- [${each.title}](decisions/${group}.md#${each.anchor})`);
    return `## [${title}](decisions/${group}.md)\n\n${lines.join('\n')}`;
  });
  return `
<!-- Rendered by docs/render-decisions.ts from docs/decisions. Do not edit. -->

# Decisions

The interface leaves some questions open and answers some twice. Each entry links to one decision: its context, what this
service does, what follows from it, and when to revisit it. To add one, write it in the page of its group and run
\`node docs/render-decisions.ts\`. [conformance.md](conformance.md) names the tests.

${groups.join('\n\n')}
`;
}

/** Returns the index as the formatter of this project prints it. */
export async function renderDecisions(): Promise<string> {
  const config = await resolveConfig(DECISIONS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(DECISIONS_PAGE, await renderDecisions());
}
