/**
 * Parser for the subset of YAML in `deploy/`: block maps and lists, single-line and folded scalars, comments on separate lines, braces with at
 * most one entry, empty brackets. Everything else is rejected, so that no file is misread. No YAML library is a dependency.
 */
export type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

/** Returns the parsed value. Throws with the line of the first error. */
export function parsePlainYaml(text: string): Plain {
  const lines = text.split('\n').flatMap((whole, index): Line[] => {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const number = index + 1;
    if (whole.includes('\t') || whole !== whole.trimEnd())
      throw new Error(`line ${number}: a tab or a space at its end`);
    return [{ indent: whole.length - trimmed.length, text: trimmed, number }];
  });
  const value = parseBlock(lines, lines[0]?.indent ?? 0);
  if (lines.length > 0) throw new Error(`line ${lines[0]!.number}: not where it belongs`);
  return value;
}

/** Parses a block and removes its lines from the front. */
function parseBlock(lines: Line[], indent: number): Plain {
  return lines[0]?.text.startsWith('- ') === true ? parseList(lines, indent) : parseMap(lines, indent);
}

function parseList(lines: Line[], indent: number): Plain[] {
  const items: Plain[] = [];
  while (lines[0]?.indent === indent && lines[0].text.startsWith('- ')) {
    const { text, number } = lines.shift()!;
    const rest = { indent: indent + 2, text: text.slice(2), number };
    if (!isEntry(rest.text)) items.push(parseScalar(rest));
    else {
      lines.unshift(rest);
      items.push(parseMap(lines, rest.indent));
    }
  }
  return items;
}

function parseMap(lines: Line[], indent: number): Plain {
  const map: Record<string, Plain> = {};
  while (lines[0]?.indent === indent && !lines[0].text.startsWith('- ')) {
    const line = lines.shift()!;
    const [, name, rest]: readonly (string | undefined)[] = ENTRY.exec(line.text) ?? [];
    if (name === undefined || Object.hasOwn(map, name)) throw new Error(`line ${line.number}: no entry, or one twice`);
    const next = lines.at(0);
    if (rest === '>-') map[name] = takeFolded(lines, indent);
    else if (rest !== undefined) map[name] = parseScalar({ ...line, text: rest });
    else map[name] = next !== undefined && next.indent > indent ? parseBlock(lines, next.indent) : null;
  }
  return map;
}

function takeFolded(lines: Line[], indent: number): string {
  const texts: string[] = [];
  while (lines[0] !== undefined && lines[0].indent > indent) texts.push(lines.shift()!.text);
  return texts.join(' ');
}

const ENTRY = /^([\w$./-]+):(?: (.+))?$/;
const isEntry = (text: string) => ENTRY.test(text);

function parseScalar({ text, number }: Line): Plain {
  if (text === '{}') return {};
  if (text === '[]') return [];
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d+$/.test(text)) return Number(text);
  if (/^"[^"\\]*"$/.test(text) || /^'[^']*'$/.test(text)) return text.slice(1, -1);
  const [, name, word] = /^\{ (\w+): ([\w.-]+) \}$/.exec(text) ?? [];
  if (name !== undefined) return { [name]: word! };
  if (/^[\w./@(-]/.test(text) && !/: | #/.test(text)) return text;
  throw new Error(`line ${number}: not a plain scalar`);
}
