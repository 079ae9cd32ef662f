/**
 * Explorer bundler for the working tree: builds the scripts from the sources. A built service reads the finished scripts instead. The first script has
 * all that the start page and the page of a machine need; each other page fetches a script of its own.
 */
import { join } from 'node:path';
import { rolldown, type OutputOptions } from 'rolldown';

/** Module of the pages. */
export interface PageScript {
  /** Name in the URL and in the imports of other scripts; changes with the content. */
  readonly name: string;
  readonly code: string;
}

/** Output of the bundler, here and in `rolldown.config.js`. Each name changes with the content; the first script is `page-…`. */
export const SCRIPT_OUTPUT: OutputOptions = {
  format: 'esm',
  minify: true,
  entryFileNames: 'page-[hash:12].js',
  chunkFileNames: '[name]-[hash:12].js',
  // Shared modules are part of the first script, so that a page needs no third one.
  codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] },
};

/** Returns the minified modules of `page.tsx` in `folder`. */
export async function bundlePages(folder: string): Promise<readonly PageScript[]> {
  const bundle = await rolldown({
    input: join(folder, 'page.tsx'),
    platform: 'browser',
    tsconfig: join(folder, 'tsconfig.json'),
    logLevel: 'silent',
  });
  try {
    const { output } = await bundle.generate(SCRIPT_OUTPUT);
    return output.filter((file) => file.type === 'chunk').map(({ fileName: name, code }) => ({ name, code }));
  } finally {
    await bundle.close();
  }
}
