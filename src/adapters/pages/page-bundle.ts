/** How do the sources of the explorer become one script? Only a working tree asks; a built service has the script beside it. */
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The minified module. `folder` holds `page.tsx`. */
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
