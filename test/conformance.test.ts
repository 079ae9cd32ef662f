/** Every rule of the interface has a test that carries its id, and `docs/conformance.md` is up to date. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SECTIONS, textOf, type Rule, type Section } from '../docs/conformance/rules.ts';
import { CONFORMANCE_PAGE, renderConformance } from '../docs/render-conformance.ts';
import { buildApp } from '../src/app.ts';
import type { OpenapiDocument } from '../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';
import { readAllProofs, readProofs, type Proof } from './conformance/rule-markers.ts';
import { rule } from './conformance/rule.ts';

function findProblems(sections: readonly Section[], proofs: readonly Proof[]): string[] {
  const rules = sections.flatMap((section) => Object.entries(section.rules));
  const ids = rules.map(([id]) => id);
  const isProven = (id: string) => proofs.some((proof) => proof.id === id);
  const marks = proofs.map(({ id, path, titles }) => `${path}: ${titles.join(' › ')}: ${id}`);
  return [
    ...listRepeated(ids).map((id) => `${id}: two rules`),
    ...listRepeated(marks).map((mark) => `${mark}: marked twice`),
    ...rules.flatMap(([id, each]) => {
      if (typeof each === 'string') return isProven(id) ? [] : [`${id}: no test`];
      return isProven(id) ? [`${id}: a test, and a reason for none`] : [];
    }),
    ...proofs.filter(({ id }) => !ids.includes(id)).map(({ id, path }) => `${path}: unknown rule ${id}`),
  ];
}

function listRepeated(texts: readonly string[]): string[] {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}

describe('docs/conformance.md', () => {
  it('equals the output of docs/render-conformance.ts', async () => {
    expect(readFileSync(CONFORMANCE_PAGE, 'utf8')).toBe(await renderConformance());
  });

  it('has a test or a stated reason for every rule', () => {
    expect(findProblems(SECTIONS, readAllProofs())).toEqual([]);
  });

  it('names every route of the service', async () => {
    rule('versioning.no-other-prefix');
    const app = await buildApp(createStubCtx(), { rateLimits: 'off' });
    const { paths } = (await app.inject('/openapi.json')).json<OpenapiDocument>();
    await app.close();
    const named = SECTIONS.flatMap(({ rules }) => Object.values<Rule>(rules))
      .filter((each) => typeof each === 'string')
      .join('\n');
    expect(Object.keys(paths).filter((path) => !named.includes(`${path}\``))).toEqual([]);
  });

  it('states no rule twice under one heading', () => {
    for (const { rules } of SECTIONS) expect(listRepeated(Object.values<Rule>(rules).map(textOf))).toEqual([]);
  });
});

describe('this test reports', () => {
  const sections = [
    { heading: 'First', rules: { 'a.first': 'A rule.', 'a.second': { text: 'Another rule.', untested: 'not built' } } },
  ];
  const proof: Proof = { id: 'a.first', path: 'a.test.ts', titles: ['does it'] };

  it('nothing when every rule has a test or a reason', () => {
    expect(findProblems(sections, [proof])).toEqual([]);
  });

  it('a rule without a test', () => {
    expect(findProblems(sections, [])).toEqual(['a.first: no test']);
  });

  it('a rule with a test and a reason for none', () => {
    const problems = findProblems(sections, [proof, { ...proof, id: 'a.second' }]);
    expect(problems).toEqual(['a.second: a test, and a reason for none']);
  });

  it('an unknown id', () => {
    const problems = findProblems(sections, [proof, { ...proof, id: 'a.third' }]);
    expect(problems).toEqual(['a.test.ts: unknown rule a.third']);
  });

  it('an id of two rules', () => {
    const second = { heading: 'Second', rules: { 'a.first': 'A rule again.' } };
    expect(findProblems([...sections, second], [proof])).toEqual(['a.first: two rules']);
  });

  it('an id that one test carries twice', () => {
    expect(findProblems(sections, [proof, proof])).toEqual(['a.test.ts: does it: a.first: marked twice']);
  });
});

describe('the reader of rule markers', () => {
  const read = (body: string) => readProofs('a.test.ts', `import { rule } from './conformance/rule.ts';\n${body}`);

  it('finds markers of tests, tables of tests and groups', () => {
    const proofs = read(`
describe.each([1])('group %i', () => {
  rule('a.group');
  it.each\`x\`('case \${1}', async () => {
    rule('a.case', 'a.other');
  });
});
test('single', function () { rule('a.single'); });`);
    expect(proofs.map(({ id, titles }) => [id, ...titles])).toEqual([
      ['a.group', 'group %i'],
      ['a.case', 'group %i', 'case ${1}'],
      ['a.other', 'group %i', 'case ${1}'],
      ['a.single', 'single'],
    ]);
  });

  it.each([
    ["it('x', () => { f(); rule('a'); });", 'a rule marker is the first statement of a test or group'],
    ["beforeEach(() => { rule('a'); });", 'a rule marker is the first statement of a test or group'],
    ["it('x', () => rule('a'));", 'a rule marker is the first statement of a test or group'],
    ["it('x', () => { rule(a); });", 'the id of a rule is a string literal'],
    ["it.skip('x', () => { rule('a'); });", 'the marked test does not run'],
    ["describe.skip('x', () => { it('y', () => { rule('a'); }); });", 'the marked test does not run'],
  ])('rejects %s', (body, problem) => {
    expect(() => read(body)).toThrow(`a.test.ts:2: ${problem}`);
  });
});
