/** Type-aware lint of all TypeScript. Every option that relaxes the preset states its reason. */
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { startedPromises } from './dev/lint/started-promises.ts';

/** Numbers and booleans have one obvious text; objects, `undefined` and `null` do not. */
const TEMPLATES = {
  allowNumber: true,
  allowBoolean: true,
  allowAny: false,
  allowNever: false,
  allowNullish: false,
  allowRegExp: false,
};

export default defineConfig(
  { ignores: ['node_modules/', 'dist/', '.devnet/', 'data/', 'coverage/', 'test/languages/generated/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, prettier],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './explorer/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { local: { rules: { 'started-promises': startedPromises } } },
    rules: {
      'local/started-promises': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      // A `default` covers the remaining members of a union; without one, every member needs its case.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // A rest pattern may omit a member by naming it.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', TEMPLATES],
      // `() => close()` and an early `return reject()` of a void function are idioms, not confusion.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A caught error is passed on as it is.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // The successor of the validator is a separate package; this one still validates.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'fast-xml-parser', name: 'XMLValidator' }] },
      ],
      // `noUncheckedIndexedAccess` requires `!` where an index is known to exist.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Ports are plain objects of closures: their methods do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      // `Record<never, never>` is the context of a fault without members.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
    },
  },
  {
    // Programs that print to the terminal.
    files: ['cli/**/*.ts', 'dev/**/*.ts', 'devnet/**/*.ts', 'contracts/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'testing/**/*.ts', 'sim/**/*.ts', 'bench/**/*.ts', 'devnet/**/*.ts'],
    rules: {
      // Fakes and simulated nodes implement asynchronous ports synchronously.
      '@typescript-eslint/require-await': 'off',
      // A failure message may print a value that is absent.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { ...TEMPLATES, allowAny: true, allowNullish: true },
      ],
    },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'testing/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // Parsed JSON bodies are `any`; the assertions check their shape.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // A fake object literal may stand for an instance.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Readers of JSON files take the expected type as their only type parameter.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
);
