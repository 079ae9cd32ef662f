/** The lint rule, run by ESLint on TypeScript with types. */
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, it } from 'vitest';
import { startedPromises } from './started-promises.ts';

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: { allowDefaultProject: ['*.ts'] }, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { local: { rules: { 'started-promises': startedPromises } } },
    rules: { 'local/started-promises': 'error' },
  },
  cwd: import.meta.dirname,
});

const DECLARATIONS = `
declare function read(): Promise<number>;
declare function readCached(): number | Promise<number>;
`;

it.each([
  ['Promise.all([read(), readCached()])', 1],
  ['Promise.all([readCached(), read()])', 0],
  ['Promise.all([read(), read()])', 0],
])('reports in %s: %i', async (expression, count) => {
  const [result] = await eslint.lintText(`${DECLARATIONS}export const all = ${expression};\n`, {
    filePath: 'sample.ts',
  });
  expect(result!.messages.map(({ messageId }) => messageId)).toEqual(Array.from({ length: count }, () => 'late'));
});
