/** docs/errors.md matches the error table. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { ERRORS_PAGE, renderErrors } from '../docs/render-errors.ts';
import { ERROR_HELP } from '../src/http/schemas/error-help.ts';
import { rule } from './conformance/rule.ts';

let page: string;
beforeAll(async () => {
  page = await renderErrors();
});

it('docs/errors.md equals the output of docs/render-errors.ts', () => {
  rule('documents.errors-page');
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(page);
});

it('states cause and remedy of every kind of error', () => {
  rule('documents.errors-page');
  for (const { cause, remedy } of Object.values(ERROR_HELP)) {
    expect(page).toMatch(new RegExp(`\\| ${escape(cause)} +\\| ${escape(remedy)} +\\|`));
  }
});

it('lists an error under its status and its routes', () => {
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
