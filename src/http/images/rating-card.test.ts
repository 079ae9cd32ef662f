import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { MAX_MACHINE_ID, type MachineId } from '../../domain/identifiers/identifiers.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { formatBadge } from './rating-badge.ts';
import { formatCard } from './rating-card.ts';
import type { CardFacts } from './rating-facts.ts';
import { SAMPLE_FACTS } from '../../../testing/fixtures/sample-card-facts.ts';

const WIDEST: CardFacts = {
  ...SAMPLE_FACTS,
  id: MAX_MACHINE_ID as MachineId,
  name: `Machine #${MAX_MACHINE_ID}`,
  letter: 'Provisioned',
  summary: 'x'.repeat(500),
  eventCount: Number.MAX_SAFE_INTEGER,
  scores: Array.from({ length: 365 }, (_, day) => 33 + (day % 67)),
};

const parser = new XMLParser({ ignoreAttributes: false, preserveOrder: true });

/** Returns the names of all elements in order. */
function elementsOf(image: string): string[] {
  expect(XMLValidator.validate(image)).toBe(true);
  const names: string[] = [];
  const visit = (nodes: readonly Record<string, unknown>[]): void => {
    for (const node of nodes) {
      for (const [name, children] of Object.entries(node)) {
        if (name === ':@' || name === '#text') continue;
        names.push(name);
        visit(children as Record<string, unknown>[]);
      }
    }
  };
  visit(parser.parse(image) as Record<string, unknown>[]);
  return names;
}

describe('the card', () => {
  test('equals this image byte for byte', () => {
    expect(formatCard(SAMPLE_FACTS).split('\n')).toEqual([
      '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="160" viewBox="0 0 480 160" role="img" aria-labelledby="t d">',
      '<title id="t">Machine #42: AA, 87 of 100</title><desc id="d">Rated AA with 87 of 100 points; largest deduction: short tenure.</desc>',
      '<style>.b{fill:#ffffff;stroke:#dfe3e8}.t{fill:#1a1d21;font-size:18px;font-weight:600}.m{fill:#59626d;font-size:13px}' +
        '.l{fill:#06381f;font-weight:700;font-size:28px}.s{font-size:14px}.r{stroke:#dfe3e8}.g,.c{stroke:#06381f}' +
        'text{font-family:system-ui,sans-serif}@media (prefers-color-scheme:dark){.b{fill:#14171a;stroke:#343b43}' +
        '.t{fill:#eef1f4;font-size:18px;font-weight:600}.m{fill:#a3adb8;font-size:13px}' +
        '.l{fill:#a5ecc8;font-weight:700;font-size:28px}.s{font-size:14px}.r{stroke:#343b43}.g,.c{stroke:#a5ecc8}' +
        'text{font-family:system-ui,sans-serif}}</style>',
      '<rect class="b" x=".5" y=".5" width="479" height="159" rx="12"/>',
      '<circle class="r" cx="80" cy="80" r="56" fill="none" stroke-width="11"/>',
      '<circle class="g" cx="80" cy="80" r="56" fill="none" stroke-width="11" stroke-dasharray="306.1 351.9" transform="rotate(-90 80 80)"/>',
      '<text class="l" x="80" y="86" text-anchor="middle">AA</text>',
      '<text class="m" x="80" y="106" text-anchor="middle">87 of 100</text>',
      '<text class="t" x="168" y="42" text-anchor="start">Machine #42</text>',
      '<text class="m" x="168" y="66" text-anchor="start">bonded · 120 events</text>',
      '<path class="r" d="M168 124H464"/>',
      '<polyline class="c" fill="none" stroke-width="2" points="457.3,124 460.7,106 464,92.7"/>',
      '<text class="m" x="464" y="146" text-anchor="end">score of 3 days</text>',
      '<text class="m" x="168" y="146" text-anchor="start">as of 2026-09-08</text>',
      '</svg>',
      '',
    ]);
  });

  test('is at most 8 KB, deterministic, and loads nothing', () => {
    rule('card-image.self-contained');
    const image = formatCard(WIDEST);
    expect(Buffer.byteLength(image)).toBeLessThanOrEqual(8_192);
    expect(formatCard({ ...WIDEST })).toBe(image);
    const asks = /<script|<image|<use|<a\b|<foreignObject|href|url\(|@import|\bon[a-z]+=|<!/i;
    expect(image).not.toMatch(asks);
    expect('<a href="x">').toMatch(asks);
    expect(image).toContain('score of 90 days');
  });

  test('shortens a long id and has it whole in the title', () => {
    const image = formatCard(WIDEST);
    expect(image).toContain('>Machine #115792…639935</text>');
    expect(image).toContain(`<title id="t">Machine #${MAX_MACHINE_ID}: Provisioned</title>`);
  });

  test.each(['NR', 'Provisioned'] as const)('has an empty ring and no number for %s', (letter) => {
    const image = formatCard({ ...SAMPLE_FACTS, letter, score: 0, scores: [] });
    expect(image).not.toMatch(/class="[gc]"|of 100<\/text>/);
    expect(image).toContain(`<title id="t">Machine #42: ${letter}</title>`);
  });

  test('has no curve for one day', () => {
    expect(formatCard({ ...SAMPLE_FACTS, scores: [87] })).not.toContain('polyline');
  });

  test.each([
    '</text><script>alert(1)</script>',
    '"><image href="https://elsewhere.example/"/>',
    ']]><!DOCTYPE x [<!ENTITY e SYSTEM "file:///">]>&e;',
    "' onload='alert(1)",
    'a\u0000b\u202ec\ud800d\uffffe',
  ])('escapes %j', (hostile) => {
    rule('card-image.hostile-text');
    const plain = elementsOf(formatCard(SAMPLE_FACTS));
    const image = formatCard({ ...SAMPLE_FACTS, name: hostile, summary: hostile });
    expect(elementsOf(image)).toEqual(plain);
    expect(image).not.toMatch(/[\u0000\u202e\ud800\uffff]/u);
    const badge = { name: hostile, letter: 'AA', score: 87 } as const;
    expect(elementsOf(formatBadge(badge))).toEqual(elementsOf(formatBadge({ ...badge, name: 'plain' })));
  });
});

test('renders the badge byte for byte', () => {
  expect(formatBadge({ name: 'Machine #42', letter: 'AA', score: 87 })).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="161" height="20" viewBox="0 0 161 20" role="img" aria-labelledby="t">\n' +
      '<title id="t">Machine #42: AA 87</title>\n' +
      '<clipPath id="c"><rect width="161" height="20" rx="3"/></clipPath><g clip-path="url(#c)">\n' +
      '<rect width="107" height="20" fill="#3d444d"/>\n' +
      '<rect x="107" width="54" height="20" fill="#06381f"/></g>\n' +
      '<g fill="#ffffff" font-family="system-ui,sans-serif" font-size="11" lengthAdjust="spacingAndGlyphs">\n' +
      '<text x="8" y="14" textLength="91">machine rating</text>\n' +
      '<text x="115" y="14" font-weight="700" textLength="38">AA 87</text></g>\n' +
      '</svg>\n',
  );
});
