/** Saves files that the page has put together. */

export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

const LINE_END = '\r\n';
const NEXT_LINK = /^<([^>]+)>; rel="next"$/;

/**
 * Loads a CSV that the service sends in parts, each with a link to the next one. Returns it with one header line; undefined when a part
 * cannot be loaded, because an incomplete file must not look complete.
 */
export async function loadCsv(path: string, report: (rows: number) => void): Promise<string | undefined> {
  let text = '';
  let rows = 0;
  let url: string | undefined = path;
  try {
    while (url !== undefined) {
      const part = await loadPart(url);
      if (part === undefined) return undefined;
      text += text === '' ? part.text : part.text.slice(part.text.indexOf(LINE_END) + LINE_END.length);
      rows += part.text.split(LINE_END).length - 2;
      report(rows);
      url = part.next;
    }
    return text;
  } catch {
    return undefined;
  }
}

async function loadPart(
  url: string,
): Promise<{ readonly text: string; readonly next: string | undefined } | undefined> {
  const response = await fetch(url, { headers: { Accept: 'text/csv' } });
  if (!response.ok) return undefined;
  const next = NEXT_LINK.exec(response.headers.get('link') ?? '')?.[1];
  return { text: await response.text(), next: next === undefined ? undefined : new URL(next, response.url).href };
}
