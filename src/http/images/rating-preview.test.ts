import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { formatPreview } from './rating-preview.ts';
import { SAMPLE_FACTS } from '../../../testing/fixtures/sample-card-facts.ts';

const parser = new XMLParser({ ignoreAttributes: true, preserveOrder: true });

test('renders this preview, apart from its style', () => {
  const lines = formatPreview(SAMPLE_FACTS).split('\n');
  expect([lines[0], ...lines.slice(2)]).toEqual([
    '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">',
    '<rect class="b" width="1200" height="630"/>',
    '<rect class="a" width="1200" height="12"/>',
    '<circle class="r" cx="250" cy="236" r="140" fill="none" stroke-width="28"/>',
    '<circle class="g" cx="250" cy="236" r="140" fill="none" stroke-width="28" stroke-dasharray="765.3 879.6" transform="rotate(-90 250 236)"/>',
    '<text class="l" x="250" y="256" text-anchor="middle">AA</text>',
    '<text class="m" x="250" y="302" text-anchor="middle">87 of 100</text>',
    '<text class="m" x="250" y="556" text-anchor="middle">machine rating</text>',
    '<clipPath id="c"><rect x="460" y="0" width="670" height="630"/></clipPath><g clip-path="url(#c)">',
    '<text class="t" x="460" y="130" text-anchor="start">Machine #42</text>',
    '<text class="m" x="460" y="182" text-anchor="start">bonded · 120 events</text>',
    '<text class="d" x="460" y="256" text-anchor="start">Rated AA with 87 of 100 points; largest</text>',
    '<text class="d" x="460" y="298" text-anchor="start">deduction: short tenure.</text>',
    '</g>',
    '<path class="r" d="M460 510H1130"/>',
    '<polyline class="c" fill="none" stroke-width="5" points="1114.9,510 1122.5,455 1130,414.3"/>',
    '<text class="m" x="460" y="556" text-anchor="start">as of 2026-09-08</text>',
    '<text class="m" x="1130" y="556" text-anchor="end">score of 3 days</text>',
    '</svg>',
    '',
  ]);
});

test.each(['NR', 'Provisioned'] as const)('has an empty ring, no number and no curve for %s', (letter) => {
  const image = formatPreview({ ...SAMPLE_FACTS, letter, score: 0, scores: [] });
  expect(image).not.toMatch(/class="[gc]"|of 100<\/text>|score of/);
  expect(image).toContain(`>${letter}</text>`);
});

test.each([
  '</text><script>alert(1)</script>',
  '"><image href="https://elsewhere.example/"/>',
  ']]><!DOCTYPE x [<!ENTITY e SYSTEM "file:///">]>&e;',
  'a\u0000b\u202ec\ud800d\uffffe',
  '\u{1f600}'.repeat(300),
])('escapes %j', (hostile) => {
  const image = formatPreview({ ...SAMPLE_FACTS, name: hostile, summary: hostile });
  expect(XMLValidator.validate(image)).toBe(true);
  const names = (text: string) => new Set(JSON.stringify(parser.parse(text)).match(/"[a-zA-Z]+":\[/g));
  expect(names(image)).toEqual(names(formatPreview(SAMPLE_FACTS)));
  expect(image).not.toMatch(/[\u0000\u202e\ud800\uffff]/u);
});
