import { defineConfig } from 'rolldown';

/** What is published: each entry with all that it needs and nothing of the others, so that reads stay small without a bundler too. */
export default defineConfig(
  ['client', 'monetization', 'statements', 'decision-log', 'evidence'].map((name) => ({
    input: { [name]: `${name}.ts` },
    platform: 'browser',
    output: { dir: 'dist', format: 'esm' },
  })),
);
