/** Explorer bundler for the working tree: builds one script from the sources. A built service reads the finished script instead. */
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Returns the minified module of `page.tsx` in `folder`. */
export async function bundlePages(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: join(folder, 'page.tsx'),
    platform: 'browser',
    tsconfig: join(folder, 'tsconfig.json'),
    logLevel: 'silent',
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
