/**
 * Renders `docs/conformance.md` from the rules (`docs/conformance/rules.ts`) and the rule markers in the tests; a test compares the two.
 *
 *     node docs/render-conformance.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { readAllProofs, type Proof } from '../test/conformance/rule-markers.ts';
import { SECTIONS, textOf, type Rule, type Section } from './conformance/rules.ts';

/** Location of the rendered page. */
export const CONFORMANCE_PAGE = new URL('conformance.md', import.meta.url);

function renderRule(id: string, rule: Rule, proofs: readonly Proof[]): string {
  const reason = typeof rule === 'string' ? [] : [`No test: ${rule.untested}.`];
  const tests = proofs
    .filter((proof) => proof.id === id)
    .map(({ path, titles }) => `${quoteCode(path)} › ${quoteCode(titles.join(' › '))}`);
  return [`- **${id}**: ${textOf(rule)}`, ...[...reason, ...tests].map((line) => `  - ${line}`)].join('\n');
}

/** Wraps a text in more backticks than it holds in a row. */
function quoteCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function renderText(sections: readonly Section[], proofs: readonly Proof[]): string {
  return `<!-- Rendered by docs/render-conformance.ts from docs/conformance/rules.ts and the rule markers in the tests. Do not edit. -->

# Conformance

Every rule of the service interface, in its order and under its headings, with the tests that prove it. A rule that the interface repeats
appears where it is stated in full. A test carries the ids of its rules as its first statement: \`rule('mcr.members');\`.

To find the tests of a rule, search the sources for its id. To add a rule, add it to \`docs/conformance/rules.ts\`, mark its test and run
\`node docs/render-conformance.ts\`.

${sections
  .map(({ heading, rules }) => {
    const lines = Object.entries(rules).map(([id, rule]) => renderRule(id, rule, proofs));
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  })
  .join('\n')}`;
}

/** Returns the page in the format of prettier. */
export async function renderConformance(): Promise<string> {
  const config = await resolveConfig(CONFORMANCE_PAGE);
  return format(renderText(SECTIONS, readAllProofs()), { ...config, parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(CONFORMANCE_PAGE, await renderConformance());
}
