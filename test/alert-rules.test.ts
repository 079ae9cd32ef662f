import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const rules = read('deploy/prometheus/alerts.yaml');
const JOB = /job_name: (\S+)/.exec(read('deploy/prometheus/prometheus.yml'))![1]!;
const documented = [...read('docs/operating.md').matchAll(/^\| `((?:svc|http)_[a-z_]+)`/gm)].map(([, name]) => name!);

test('alerts query documented metrics only', () => {
  const queried = [...rules.matchAll(/\b(?:svc|http)_[a-z_]+\b/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  );
  expect(queried.length).toBeGreaterThan(10);
  expect(queried.filter((name) => !documented.includes(name))).toEqual([]);
});

test('each alert has a unique name, an expression, a severity and an action', () => {
  const alerts = rules.split(/^ {6}- alert: /m).slice(1);
  const names = alerts.map((alert) => alert.slice(0, alert.indexOf('\n')));
  expect(names.length).toBe(rules.match(/\balert:/g)!.length);
  expect(names).toEqual([...new Set(names)]);
  for (const [index, alert] of alerts.entries()) {
    const keys = [...alert.matchAll(/^ {8}(\w+):/gm)].map(([, key]) => key);
    expect([names[index], keys.filter((key) => key !== 'for')]).toEqual([
      names[index],
      ['expr', 'labels', 'annotations'],
    ]);
    expect(alert).toMatch(/^ {8}labels: \{ severity: (?:page|ticket) \}$/m);
    expect([...alert.matchAll(/^ {10}(\w+): \S/gm)].map(([, key]) => key)).toContain('action');
  }
});

test('selects one job in every rule, so that other jobs cannot hide a failure', () => {
  const expressions = [...rules.matchAll(/^ {8}expr: (?:>-\n)?(.+(?:\n {10}.+)*)/gm)].map(([, text]) => text!);
  const selected = expressions.flatMap((text) => [...text.matchAll(/\b(?:up|(?:svc|http)_[a-z_]+)\b(\{[^}]*\})?/g)]);
  expect(expressions).toHaveLength(rules.match(/\balert:/g)!.length);
  expect(selected.length).toBeGreaterThan(expressions.length);
  const unselected = selected.filter(([, labels = '']) => !labels.includes(`job="${JOB}"`));
  expect(unselected.map(([text]) => text)).toEqual([]);
});

test('expects every alert to fire, with its severity, in a rule test', () => {
  const tests = read('deploy/prometheus/alerts.test.yaml');
  const alerts = [...rules.matchAll(/alert: (\w+)\n[\s\S]*?severity: (\w+)/g)].map(([, name, severity]) => [
    name,
    severity,
  ]);
  const expected = new Set(
    [...tests.matchAll(/alertname="(\w+)",severity="(\w+)"/g)].map(([, ...pair]) => pair.join()),
  );
  expect(alerts.length).toBeGreaterThan(5);
  expect(alerts.filter((pair) => !expected.has(pair.join()))).toEqual([]);
});

test('the manual names every alert', () => {
  const manual = read('docs/operating.md');
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
});
