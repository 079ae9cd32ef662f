import tseslint from 'typescript-eslint';
import prettier from 'eslint-config-prettier';

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', '.devnet/', 'data/', 'coverage/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strict, prettier],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['cli/**/*.ts', 'dev/**/*.ts', 'devnet/**/*.ts', 'contracts/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
