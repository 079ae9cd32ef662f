/** Module hook that plants a bug in the service as it is loaded: `PLANTED=<name> node --import ./sim/plant.ts …`. Changes no file. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLANTED_BUGS } from './planted-bugs.ts';

const bug = PLANTED_BUGS.find(({ name }) => name === process.env['PLANTED']);
if (bug === undefined) throw new Error('PLANTED names no bug');
const { file, line, replacement } = bug;
const target = pathToFileURL(join(import.meta.dirname, '../src', file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
    const parts = text.split(line);
    if (parts.length !== 2) throw new Error(`${file} must contain this line exactly once: ${line}`);
    return { ...loaded, source: parts.join(replacement) };
  },
});
