/**
 * Would an engine take the files of `deploy/`, and do they speak of this service? No engine runs here: forms are read, schemas compiled, and every variable,
 * metric, value and file that they name is held against what there is.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../src/config/variables.ts';
import { parsePlainYaml, type Plain } from '../testing/harness/plain-yaml.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const known: ReadonlySet<string> = new Set(VARIABLES);
const promised = new Set([...read('docs/operating.md').matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name!));

const PLAIN_FILES = globSync('deploy/**/*.{yaml,yml}', { cwd: ROOT }).filter((path) => !path.includes('templates/'));
const TEMPLATES = globSync('deploy/helm/templates/*.yaml', { cwd: ROOT });

/** Of a metric that is not the service's own, only that it is of the process. */
function isPromised(metric: string): boolean {
  const name = metric.replace(/_(?:bucket|count|sum)$/, '');
  return promised.has(name) || /^(?:process|nodejs)_/.test(metric);
}

function metricsOf(expression: string): string[] {
  return [...expression.matchAll(/\b(?:svc|http|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
}

describe('plain YAML', () => {
  it('is read', () => {
    const text = `# a comment\na: 1\nb:\n  - x: "1: 2"\n    y: {}\n  - z\nc:\n  d: 'say "x"'\n  e:\nf: >-\n  g\n  h\n`;
    expect(parsePlainYaml(text)).toEqual({
      a: 1,
      b: [{ x: '1: 2', y: {} }, 'z'],
      c: { d: 'say "x"', e: null },
      f: 'g h',
    });
  });

  it.each(['a: 1\na: 2', 'a:\n\t- b', 'a: b: c', 'a: "', 'a: 1\n   b: 2', 'a: 1 ', 'a: [1'])(
    '%j is refused',
    (text) => {
      expect(() => parsePlainYaml(text)).toThrow(/^line \d+: /);
    },
  );
});

describe('every plain file', () => {
  const text = { type: 'string', minLength: 1 };
  /** An object that holds the named members; `more` lists those that it may hold besides. */
  const closed = (properties: Record<string, object>, more: readonly string[] = []) => ({
    type: 'object',
    required: Object.keys(properties),
    properties: { ...Object.fromEntries(more.map((name) => [name, {}])), ...properties },
    additionalProperties: false,
  });
  const list = (items: object) => ({ type: 'array', minItems: 1, items });
  const map = (additionalProperties: object) => ({ type: 'object', minProperties: 1, additionalProperties });
  const service = { type: 'object', anyOf: [{ required: ['image'] }, { required: ['build'] }] };
  const alert = closed({ alert: text, expr: text, labels: map(text), annotations: map(text) }, ['for']);
  const job = closed({ job_name: text, static_configs: list(closed({ targets: list(text) })) });

  /** What the engine of each file requires, and the members that it knows. */
  const FORMS: Readonly<Record<string, object>> = {
    'deploy/compose.yaml': closed({ name: text, services: map(service), volumes: { type: 'object' } }),
    'deploy/prometheus/prometheus.yml': closed({ rule_files: list(text), scrape_configs: list(job) }, ['global']),
    'deploy/prometheus/alerts.yaml': closed({ groups: list(closed({ name: text, rules: list(alert) })) }),
    'deploy/grafana/provisioning/dashboards/files.yaml': closed({
      apiVersion: { const: 1 },
      providers: list(closed({ name: text, type: { const: 'file' }, options: closed({ path: text }) })),
    }),
    'deploy/grafana/provisioning/datasources/prometheus.yaml': closed({
      apiVersion: { const: 1 },
      datasources: list(closed({ name: text, uid: text, type: text, url: text }, ['isDefault'])),
    }),
    'deploy/helm/Chart.yaml': closed(
      { apiVersion: { const: 'v2' }, name: text, version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' } },
      ['description', 'type', 'appVersion'],
    ),
    'deploy/helm/values.yaml': JSON.parse(read('deploy/helm/values.schema.json')) as object,
  };

  it('has an entry in the table of forms', () => {
    expect(Object.keys(FORMS).sort()).toEqual([...PLAIN_FILES].sort());
  });

  it.each(PLAIN_FILES)('holds what its engine requires, and no unknown member: %s', (path) => {
    const validate = new Ajv({ strict: true, strictRequired: false }).compile(FORMS[path]!);
    validate(parsePlainYaml(read(path)));
    expect(validate.errors).toBeNull();
  });
});

describe('compose', () => {
  const { services, volumes } = parsePlainYaml(read('deploy/compose.yaml')) as {
    readonly services: Readonly<Record<string, Record<string, Plain>>>;
    readonly volumes: object;
  };
  const mounts = Object.values(services).flatMap((service) => (service['volumes'] ?? []) as string[]);

  it('gives the service variables that it knows', () => {
    const given = Object.keys(services['service']!['environment'] as object);
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    const example = [...read('deploy/service.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
    expect([given.length, example.length].map((count) => count > 2)).toEqual([true, true]);
    expect(example.filter((name) => !known.has(name))).toEqual([]);
  });

  it('mounts what is there', () => {
    const sources = mounts.map((mount) => mount.split(':')[0]!);
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(ROOT, 'deploy', source)) : !Object.hasOwn(volumes, source),
    );
    expect(sources.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('lets the service write nowhere and gain nothing', () => {
    expect(services['service']).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('opens ports to this machine alone', () => {
    const ports = Object.values(services).flatMap((service) => (service['ports'] ?? []) as string[]);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe('prometheus', () => {
  const { rule_files: files } = parsePlainYaml(read('deploy/prometheus/prometheus.yml')) as {
    readonly rule_files: string[];
  };

  it('loads rules that are there, about metrics that are promised', () => {
    for (const file of files) {
      const metrics = metricsOf(read(`deploy/prometheus/${file}`));
      expect(metrics.length).toBeGreaterThan(0);
      expect(metrics.filter((metric) => !isPromised(metric))).toEqual([]);
    }
  });
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('deploy/grafana/dashboards/machine-rating.json')) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };

  it.each(panels)('$title asks for metrics that are promised', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      const metrics = metricsOf(expr);
      expect(metrics.length).toBeGreaterThan(0);
      expect(metrics.filter((metric) => !isPromised(metric))).toEqual([]);
    }
  });
});

describe('the chart', () => {
  const values = parsePlainYaml(read('deploy/helm/values.yaml')) as Record<string, Plain>;
  const validate = new Ajv({ strict: true }).compile(JSON.parse(read('deploy/helm/values.schema.json')) as object);
  const judge = (changes: object) => validate({ ...values, ...changes });

  it('has values that its schema takes', () => {
    expect([judge({}), validate.errors]).toEqual([true, null]);
  });

  it.each([
    ['no replica', { replicas: 0 }],
    ['a value that nobody reads', { replica: 2 }],
    ['a secret among the variables', { environment: { DATABASE_URL: 'postgres://x' } }],
    ['a variable that is no text', { environment: { MAIN_CHAIN_ID: 1 } }],
  ])('refuses %s', (_name, changes) => {
    expect(judge(changes)).toBe(false);
  });

  it.each(TEMPLATES)('%s uses values that there are, and ends what it begins', (path) => {
    const template = read(path);
    const missing = [...template.matchAll(/\.Values((?:\.\w+)+)/g)].filter(([, names]) => {
      const found = names!
        .slice(1)
        .split('.')
        .reduce<Plain | undefined>((at, name) => (at as Record<string, Plain> | undefined)?.[name], values);
      return found === undefined;
    });
    expect(missing.map(([whole]) => whole)).toEqual([]);
    const count = (form: RegExp) => [...template.matchAll(form)].length;
    expect(count(/\{\{-? (?:if|range) /g)).toBe(count(/\{\{-? end /g) + count(/\{\{-? end\}\}/g));
    expect(count(/\{\{/g)).toBe(count(/\}\}/g));
  });

  it('is as locked down as the image, and probed where the service answers', () => {
    const template = read('deploy/helm/templates/deployment.yaml');
    const variables = [...template.matchAll(/- name: ([A-Z_]+)\n/g)].map(([, name]) => name!);
    expect(variables.length).toBeGreaterThan(0);
    expect(variables.filter((name) => !known.has(name))).toEqual([]);
    for (const part of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false']) {
      expect(template).toContain(part);
    }
    expect([...template.matchAll(/path: (\/(?:health|ready))\n/g)].map(([, path]) => path)).toEqual([
      '/health',
      '/health',
      '/ready',
    ]);
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile');

  it('runs as somebody who may nothing, and what the build makes', () => {
    const last = dockerfile.split(/^FROM /m).at(-1)!;
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^ENTRYPOINT \["node", "--max-semi-space-size=2", "--", "dist\/svc\.js"\]$/m);
    expect(last).not.toMatch(/npm|apt-get/);
  });

  it('is built from what the build needs', () => {
    const kept = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
    expect(kept.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const inputs = [...read('rolldown.config.js').matchAll(/'([a-z]+)\/[\w.-]+\.tsx?'/g)].map(([, folder]) => folder!);
    expect([kept.length, inputs.length].map((count) => count > 0)).toEqual([true, true]);
    expect(inputs.filter((folder) => !kept.includes(dirname(`${folder}/x`)))).toEqual([]);
  });
});

it('the unit of systemd starts the built service, with variables that it knows', () => {
  const unit = read('deploy/systemd/machine-rating.service');
  expect(unit).toMatch(
    /^ExecStart=\/usr\/bin\/node --max-semi-space-size=2 -- \/opt\/machine-rating\/dist\/svc\.js serve$/m,
  );
  expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
  const given = [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name!);
  // These two are of Node and of the C library.
  expect(given.filter((name) => !known.has(name))).toEqual(['NODE_ENV', 'MALLOC_ARENA_MAX']);
});
