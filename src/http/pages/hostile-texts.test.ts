/** Markup injection: random hostile texts remain text in pages and images. A failure prints its seed. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import type { StaticAssets } from '../../ports/presentation.ts';
import { formatBadge } from '../images/rating-badge.ts';
import { formatCard } from '../images/rating-card.ts';
import type { CardFacts } from '../images/rating-facts.ts';
import { formatPreview } from '../images/rating-preview.ts';
import { formatPage, type PageDocument } from './html-shell.ts';
import { rule } from '../../../test/conformance/rule.ts';

const RUNS = {
  numRuns: Number(process.env['FC_RUNS'] ?? 500),
  seed: Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31),
};

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror="alert(1)">',
  "'><svg/onload=alert(1)>",
  '</title><meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '</text></svg><foreignObject><iframe/></foreignObject>',
  ']]><!DOCTYPE x [<!ENTITY e SYSTEM "file:///">]>&e;',
  '<!--',
  '--><a xlink:href="javascript:alert(1)">',
  '<?xml-stylesheet href="https://elsewhere.example"?>',
  'url(https://elsewhere.example)',
  'javascript:alert(1)',
  '{"a":"\\u003c/body>"}',
  '&lt;b&gt;&#60;b&#62;',
  '\u202eexe.txt\u2066\u200f',
  '\u0000\u001b[31m\r\n',
  '\ud800',
];
const text = fc.oneof(
  fc.constantFrom(...ATTACKS),
  fc
    .array(fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 5 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

describe(`texts of strangers (seed ${RUNS.seed})`, () => {
  const file = { contentType: '', content: Buffer.alloc(0), gzipped: Buffer.alloc(0) };
  const files: StaticAssets = {
    script: { ...file, name: 'page.js' },
    parts: [],
    style: { ...file, name: 'page.css' },
    icon: { ...file, name: 'icon.svg' },
  };
  const plain: PageDocument = {
    ...{ title: 'x', summary: 'x', url: 'x' },
    image: { url: 'x', width: 1200, height: 630, text: 'x' },
  };
  /** Returns every tag with the names of its attributes; content of quotes and between tags is text. */
  const tagsOf = (page: string) =>
    [...page.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""').replace(/'[^']*'/g, "''"));

  test('add no tag and no attribute to a page', () => {
    rule('hostile-text.no-markup');
    fc.assert(
      fc.property(text, text, text, text, (title, summary, url, alt) => {
        const image = { ...plain.image!, url, text: alt };
        const namespace = { ...DEFAULT_NAMESPACE, message_header: title, did_method: summary };
        const page = formatPage({ title, summary, url, image }, files, {
          namespace,
          chains: { main: { name: title }, alt: { name: summary, explorer: url } },
        });
        expect(tagsOf(page)).toEqual(
          tagsOf(
            formatPage(plain, files, {
              namespace: DEFAULT_NAMESPACE,
              chains: { main: { name: 'x' }, alt: { name: 'x' } },
            }),
          ),
        );
      }),
      RUNS,
    );
  });

  const parser = new XMLParser({ ignoreAttributes: true, preserveOrder: true, trimValues: false });
  const facts: CardFacts = {
    ...{ id: 42n as MachineId, name: 'Machine #42', letter: 'AA', score: 87, summary: 'x' },
    ...{ subscription: 'Active', eventCount: 120, scores: [0, 50, 87], today: 20_704 },
  };
  const pictures = {
    card: formatCard,
    preview: formatPreview,
    badge: ({ name, letter, score }: CardFacts) => formatBadge({ name, letter, score }),
  };
  /** Returns the elements in order; the number of lines of a preview depends on its summary. */
  const elementsOf = (image: string) =>
    JSON.stringify(parser.parse(image))
      .match(/"(?!#text)[a-zA-Z]+":\[/g)!
      .filter((name, place, names) => name !== names[place - 1]);

  test.each(Object.entries(pictures))('add no element to a %s, and leave no control characters', (_, format) => {
    rule('hostile-text.no-markup');
    const expected = elementsOf(format(facts));
    fc.assert(
      fc.property(text, text, (name, summary) => {
        const image = format({ ...facts, name, summary });
        expect(XMLValidator.validate(image)).toBe(true);
        expect(elementsOf(image)).toEqual(expected);
        expect(image).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u);
        expect(image.replace(/<style>[^<]*<\/style>| (?:xmlns|clip-path)="[^"]*"/g, '')).not.toMatch(
          /<[^>]*(?:href|url\(|\bon[a-z]+=)/i,
        );
      }),
      RUNS,
    );
  });
});
