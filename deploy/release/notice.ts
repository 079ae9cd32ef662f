/** NOTICE of a release: name, version and license of every delivered package, with the texts that the licenses require. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveredPackage } from './delivered-packages.ts';

const TEXTS = '{LICENSE,LICENCE,License,license,licence,COPYING,NOTICE}*';
const RULER = `\n${'='.repeat(80)}\n\n`;

const HEAD = 'This distribution contains the following packages under their own licenses.\n';

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

interface Manifest {
  readonly author?: string | { readonly name: string };
}

/** Returns the text. Throws for a package whose license has no text. */
export function renderNotice(delivered: readonly DeliveredPackage[], root: string): string {
  const own = new Map(delivered.map((each) => [each, readTexts(join(root, each.path))]));
  const parts = delivered.map((each) => {
    const text = own.get(each) ?? standardText(each, root, own);
    return `${each.name} ${each.version} (${each.license})\n\n${text}\n`;
  });
  return [HEAD, ...parts].join(RULER);
}

/** Returns the license files of a package, or undefined when it has none. */
function readTexts(folder: string): string | undefined {
  const files = globSync(TEXTS, { cwd: folder }).sort();
  if (files.length === 0) return undefined;
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

/** Returns the text of the license that the manifest of a package without a license file names. */
function standardText(
  { path, license }: DeliveredPackage,
  root: string,
  own: ReadonlyMap<DeliveredPackage, string | undefined>,
): string {
  const { author } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest;
  const holder = typeof author === 'object' ? author.name : (author ?? 'the authors of the package');
  if (license === 'MIT') return `Copyright (c) ${holder}\n\n${MIT}`;
  const other = [...own].find(([each, text]) => each.license === license && text !== undefined)?.[0];
  if (other === undefined) throw new Error(`${path} has no license text, and ${license} has none here`);
  return `Copyright (c) ${holder}\n\nThe text of the license is that of ${other.name} in this file.`;
}
