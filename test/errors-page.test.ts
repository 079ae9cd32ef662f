/** The page about errors is the one that the error table renders. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { ERRORS_PAGE, renderErrors } from '../docs/render-errors.ts';
import { ERROR_HELP } from '../src/http/schemas/error-help.ts';
import { rule } from './conformance/rule.ts';

let page: string;
beforeAll(async () => {
  page = await renderErrors();
});

it('docs/errors.md is what docs/render-errors.ts renders', () => {
  rule('documents.errors-page');
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(page);
});

it('tells of every kind of error why it happens and what to do', () => {
  rule('documents.errors-page');
  for (const { cause, remedy } of Object.values(ERROR_HELP)) {
    expect(page).toMatch(new RegExp(`\\| ${escape(cause)} +\\| ${escape(remedy)} +\\|`));
  }
});

it('stands under the status and the surface that answer so', () => {
  const rows = page.split('\n## ').flatMap((section) =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => [Number.parseInt(section), ...line.split(' | ').map((cell) => cell.trim())] as const),
  );
  const find = (answer: string) => rows.filter(([, cell]) => cell === `| \`${answer}\``).map((row) => [row[0], row[2]]);
  expect(find('Token not found')).toEqual([[404, 'metadata']]);
  expect(find('VERIFY_ROUTE_NOT_FOUND')).toEqual([[404, 'Verify']]);
  expect(find('MACHINE_HOMED_ELSEWHERE')).toEqual([[409, 'machines, metadata, monetization']]);
  expect(find('STALE_SIGNATURE')).toEqual([
    [409, 'monetization'],
    [409, 'monetization'],
  ]);
  expect(find('Chain unavailable` with `Retry-After')).toEqual([[503, 'reads']]);
});

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
