/**
 * Static checks of the files in `deploy/`. No engine runs: YAML is parsed, schemas are compiled, and every variable, metric, value and file that
 * they name must exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { listNeeded, LOADED } from '../deploy/prune-modules.ts';
import { SECRETS, VARIABLES } from '../src/config/variables.ts';
import { parsePlainYaml, type Plain } from '../testing/harness/plain-yaml.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const known: ReadonlySet<string> = new Set([...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`)]);
const documented = new Set([...read('docs/operating.md').matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name!));

/** Job that rules and dashboard select. */
const JOB = /job_name: (\S+)/.exec(read('deploy/prometheus/prometheus.yml'))![1]!;

/** The chart's `files` link to files outside it, and its `ci` values are checked with the chart. */
const PLAIN_FILES = globSync('deploy/**/*.{yaml,yml}', { cwd: ROOT }).filter(
  (path) => !/helm\/(?:templates|files|ci)\//.test(path),
);
const VALUE_SETS = globSync('deploy/helm/ci/*.yaml', { cwd: ROOT });
const TEMPLATES = globSync('deploy/helm/templates/*.yaml', { cwd: ROOT });

/** Returns whether a metric is documented, or one of the process. */
function isDocumented(metric: string): boolean {
  const name = metric.replace(/_(?:bucket|count|sum)$/, '');
  return documented.has(name) || /^(?:process|nodejs)_/.test(metric);
}

function metricsOf(expression: string): string[] {
  return [...expression.matchAll(/\b(?:svc|http|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
}

describe('plain YAML', () => {
  it('is parsed', () => {
    const text = `# a comment\na: 1\nb:\n  - x: "1: 2"\n    y: {}\n  - z\nc:\n  d: 'say "x"'\n  e:\nf: >-\n  g\n  h\n`;
    expect(parsePlainYaml(text)).toEqual({
      a: 1,
      b: [{ x: '1: 2', y: {} }, 'z'],
      c: { d: 'say "x"', e: null },
      f: 'g h',
    });
  });

  it.each(['a: 1\na: 2', 'a:\n\t- b', 'a: b: c', 'a: "', 'a: 1\n   b: 2', 'a: 1 ', 'a: [1'])(
    'is rejected as %j',
    (text) => {
      expect(() => parsePlainYaml(text)).toThrow(/^line \d+: /);
    },
  );
});

describe('every plain file', () => {
  const text = { type: 'string', minLength: 1 };
  /** Returns the schema of an object with the named members; `more` lists optional ones. */
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

  /** Schema of each file: the members that its engine requires and knows. */
  const FORMS: Readonly<Record<string, object>> = {
    'deploy/compose.yaml': closed({ name: text, services: map(service), volumes: { type: 'object' } }),
    'deploy/prometheus/prometheus.yml': closed({ rule_files: list(text), scrape_configs: list(job) }, ['global']),
    'deploy/prometheus/alerts.yaml': closed({ groups: list(closed({ name: text, rules: list(alert) })) }),
    'deploy/prometheus/alerts.test.yaml': closed({
      rule_files: { const: ['alerts.yaml'] },
      evaluation_interval: text,
      tests: list(
        closed({
          ...{ name: text, interval: text, input_series: list(closed({ series: text, values: text })) },
          promql_expr_test: list(closed({ expr: text, eval_time: text }, ['exp_samples'])),
        }),
      ),
    }),
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

  it('has a schema', () => {
    expect(Object.keys(FORMS).sort()).toEqual([...PLAIN_FILES].sort());
  });

  it.each(PLAIN_FILES)('contains the required members and no unknown one: %s', (path) => {
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

  it('sets only variables of the service', () => {
    const given = Object.keys(services['service']!['environment'] as object);
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    const example = [...read('deploy/service.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
    expect([given.length, example.length].map((count) => count > 2)).toEqual([true, true]);
    expect(example.filter((name) => !known.has(name))).toEqual([]);
    // What cannot be added once blocks are indexed.
    expect(example).toEqual(
      expect.arrayContaining([
        ...['MAIN_START_BLOCK', 'ADMIN_FLAGS_ADDRESS', 'ATTESTATION_REGISTRY_ADDRESS', 'ALT_FIRST_SLOT'],
      ]),
    );
  });

  it('mounts only existing files and volumes', () => {
    const sources = mounts.map((mount) => mount.split(':')[0]!);
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(ROOT, 'deploy', source)) : !Object.hasOwn(volumes, source),
    );
    expect(sources.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('gives the service a folder of files that it cannot write and that is not committed', () => {
    expect(services['service']!['volumes']).toEqual(['./files:/files:ro']);
    expect(read('deploy/files/.gitignore')).toMatch(/^\*\n!\.gitignore\n/m);
  });

  it('runs the service read-only and without privileges', () => {
    expect(services['service']).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('publishes ports on the loopback only', () => {
    const ports = Object.values(services).flatMap((service) => (service['ports'] ?? []) as string[]);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe('prometheus', () => {
  const { rule_files: files } = parsePlainYaml(read('deploy/prometheus/prometheus.yml')) as {
    readonly rule_files: string[];
  };

  it('loads existing rules about documented metrics', () => {
    for (const file of files) {
      const metrics = metricsOf(read(`deploy/prometheus/${file}`));
      expect(metrics.length).toBeGreaterThan(0);
      expect(metrics.filter((metric) => !isDocumented(metric))).toEqual([]);
    }
  });
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('deploy/grafana/dashboards/machine-rating.json')) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };

  it.each(panels)('queries documented metrics in $title', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      const metrics = metricsOf(expr);
      expect(metrics.length).toBeGreaterThan(0);
      expect(metrics.filter((metric) => !isDocumented(metric))).toEqual([]);
      expect(expr.match(/\{job="machine-rating"[,}]/g)).toHaveLength(metrics.length);
    }
  });
});

describe('the chart', () => {
  const values = parsePlainYaml(read('deploy/helm/values.yaml')) as Record<string, Plain>;
  const validate = new Ajv({ strict: true }).compile(JSON.parse(read('deploy/helm/values.schema.json')) as object);
  const judge = (changes: object) => validate({ ...values, ...changes });

  it('has values that its schema accepts', () => {
    expect([judge({}), validate.errors]).toEqual([true, null]);
  });

  it.each(VALUE_SETS)('accepts the value set %s', (path) => {
    expect([judge(parsePlainYaml(read(path)) as object), validate.errors]).toEqual([true, null]);
  });

  it('has at least ten value sets, which together set every value', () => {
    const set = VALUE_SETS.flatMap((path) => Object.keys(parsePlainYaml(read(path)) as object));
    expect(VALUE_SETS.length).toBeGreaterThanOrEqual(10);
    expect(Object.keys(values).filter((name) => !set.includes(name))).toEqual([]);
  });

  it.each<[name: string, changes: object]>([
    ['no replica', { replicas: 0 }],
    ['a value that no template reads', { replica: 2 }],
    ...SECRETS.map((name): [string, object] => [`${name} among the variables`, { environment: { [name]: 'x' } }]),
    ['a variable that the chart sets', { environment: { ONBOARDING_TOKENS_FILE: '/x' } }],
    ['a variable that is not a text', { environment: { MAIN_CHAIN_ID: 1 } }],
    ['a disruption budget that blocks every drain', { disruptionBudget: { maxUnavailable: 0 } }],
    ['an image name with a space', { image: { repository: 'a b' } }],
    ['a pull secret that is no name', { image: { repository: 'a', pullSecrets: ['A B'] } }],
    ['a file without a source', { files: [{ name: 'ca' }] }],
    ['a file with two sources', { files: [{ name: 'ca', secret: 'a', claim: 'b' }] }],
    ['a file whose name leaves its folder', { files: [{ name: '../tmp', secret: 'a' }] }],
    ['an ingress without a host', { ingress: { enabled: true, host: '' } }],
    ['a misspelled member of the ingress', { ingress: { enabled: true, host: 'a', hosts: ['b'] } }],
    ['an annotation that is not a text', { podAnnotations: { a: true } }],
    ['a label with a space', { nodeSelector: { 'a/b': 'c d' } }],
    ['a toleration with an unknown effect', { tolerations: [{ key: 'a', effect: 'Never' }] }],
    ['a misspelled affinity', { affinity: { nodeAfinity: {} } }],
    ['an affinity without terms', { affinity: { podAffinity: {} } }],
    ['a quantity with an unknown unit', { resources: { limits: { memory: '1GB' } } }],
    ['an unknown resource', { resources: { limits: { mem: '1Gi' } } }],
    ['an empty source of a network policy', { networkPolicy: { enabled: true, callers: [{}] } }],
    ['a source with a cidr and labels', { networkPolicy: { callers: [{ cidr: '::/0', podLabels: { a: 'b' } }] } }],
    ['a text instead of a switch', { autoscaling: { enabled: 'yes' } }],
    ['an interval without a unit', { serviceMonitor: { enabled: true, interval: '15' } }],
  ])('rejects %s', (_name, changes) => {
    expect(judge(changes)).toBe(false);
  });

  it('contains the rules and the dashboard of this repository', () => {
    expect(read('deploy/helm/files/alerts.yaml')).toBe(read('deploy/prometheus/alerts.yaml'));
    expect(read('deploy/helm/files/dashboard.json')).toBe(read('deploy/grafana/dashboards/machine-rating.json'));
    expect(parsePlainYaml(read('deploy/helm/Chart.yaml'))).toMatchObject({ name: JOB });
    expect(read('deploy/helm/templates/service-monitor.yaml')).toContain('jobLabel: app.kubernetes.io/name\n');
  });

  it.each(TEMPLATES)('uses existing values and closes its blocks in %s', (path) => {
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

  it('restricts the container and probes the health routes', () => {
    const template = read('deploy/helm/templates/deployment.yaml');
    const variables = [...template.matchAll(/- name: ([A-Z_]+)\n/g)].map(([, name]) => name!);
    expect(variables.length).toBeGreaterThan(0);
    expect(variables.filter((name) => !known.has(name))).toEqual([]);
    for (const part of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false']) {
      expect(template).toContain(part);
    }
    const probes = [...template.matchAll(/path: (\/(?:health|ready))\n\s+port: (\w+)\n/g)];
    expect(probes.map(([, path, port]) => `${port} ${path}`)).toEqual([
      'metrics /health',
      'metrics /health',
      'metrics /ready',
    ]);
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile');

  it('runs the build output as an unprivileged user', () => {
    const last = dockerfile.split(/^FROM /m).at(-1)!;
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^ENTRYPOINT \["node", "--max-semi-space-size=2", "--", "dist\/svc\.js"\]$/m);
    expect(last).not.toMatch(/npm|apt-get/);
  });

  it.each([
    [{}, 9464],
    [{ ADMIN_PORT: '9000' }, 9000],
    [{ ADMIN_PORT: '0' }, 8000],
    [{ ADMIN_PORT: '0', PORT: '8080' }, 8080],
  ])('checks the admin port, or the public one without it: %j', (env, port) => {
    const [, command] = /HEALTHCHECK[^\n]*\n\s+CMD (\[.*\])/.exec(dockerfile)!;
    const [, , script] = JSON.parse(command!) as [string, string, string];
    const requested: string[] = [];
    const fetch = (url: string) => {
      requested.push(url);
      return new Promise(() => undefined);
    };
    runInNewContext(script, { process: { env }, fetch });
    expect(requested).toEqual([`http://127.0.0.1:${port}/health`]);
  });

  it('retains the packages that the bundle leaves out, and what they depend on', () => {
    const external = /external: \[(.*)\]/.exec(read('rolldown.config.js'))![1]!;
    const names = [...external.matchAll(/'((?:@[\w-]+\/)?[\w-]+)(?:\/[\w.]+)?'/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(5);
    // Pages are built; fonts are found by their path.
    expect([...LOADED].sort()).toEqual([...names.filter((name) => name !== 'rolldown'), 'dejavu-fonts-ttf'].sort());
    const needed = listNeeded(join(ROOT, 'node_modules'));
    expect([...LOADED, 'pg-protocol', 'sonic-boom'].filter((name) => !needed.has(name))).toEqual([]);
    expect(['viem', 'typescript', 'fastify'].filter((name) => needed.has(name))).toEqual([]);
  });

  it('contains nothing else after pruning', () => {
    const folder = mkdtempSync(join(tmpdir(), 'modules-'));
    const needed = [...listNeeded(join(ROOT, 'node_modules'))].sort();
    for (const name of [...needed, 'viem', '@scure/base', '@resvg/other', '.bin']) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      const manifest = needed.includes(name)
        ? readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
        : '{}';
      writeFileSync(join(folder, 'node_modules', name, 'package.json'), manifest);
    }
    const { status, stdout } = spawnSync(process.execPath, ['deploy/prune-modules.ts', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const left = globSync('**/package.json', { cwd: join(folder, 'node_modules') })
      .map((path) => dirname(path))
      .sort();
    rmSync(folder, { recursive: true });
    expect([status, stdout.trimEnd().split('\n'), left]).toEqual([0, needed, needed]);
  });

  it('contains the inputs of the build', () => {
    const included = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
    expect(included.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const inputs = [...read('rolldown.config.js').matchAll(/'([a-z]+)\/[\w.-]+\.tsx?'/g)].map(([, folder]) => folder!);
    expect([included.length, inputs.length].map((count) => count > 0)).toEqual([true, true]);
    expect(inputs.filter((folder) => !included.includes(dirname(`${folder}/x`)))).toEqual([]);
  });
});

it('starts the built service with known variables from the systemd unit', () => {
  const unit = read('deploy/systemd/machine-rating.service');
  expect(unit).toMatch(
    /^ExecStart=\/usr\/bin\/node --max-semi-space-size=2 -- \/opt\/machine-rating\/dist\/svc\.js serve$/m,
  );
  expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
  const given = [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name!);
  // These two belong to Node and to the C library.
  expect(given.filter((name) => !known.has(name))).toEqual(['NODE_ENV', 'MALLOC_ARENA_MAX']);
});
