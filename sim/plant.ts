/** Changes one line of the service as it is loaded: `PLANTED=<name> node --import ./sim/plant.ts …`. No file is touched. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLANTED_BUGS } from './planted-bugs.ts';

const bug = PLANTED_BUGS.find(({ name }) => name === process.env['PLANTED']);
if (bug === undefined) throw new Error('PLANTED names no bug');
const { file, line, instead } = bug;
const place = pathToFileURL(join(import.meta.dirname, '../src', file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== place) return loaded;
    const parts = String(loaded.source instanceof Uint8Array ? Buffer.from(loaded.source) : loaded.source).split(line);
    if (parts.length !== 2) throw new Error(`${file} does not hold this once: ${line}`);
    return { ...loaded, source: parts.join(instead) };
  },
});
