/** Tests that the printed configuration shows every variable and no secret. */
import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe-config.ts';
import { ALL, read, type Variables } from '../../testing/fixtures/sample-environment.ts';
import { VARIABLES } from './variables.ts';
import { rule } from '../../test/conformance/rule.ts';

describe('the configuration description', () => {
  it('lists every variable in the order of the documentation', () => {
    expect(Object.keys(describeConfig(read({}).config))).toEqual(VARIABLES);
  });

  it('shows the values that are set', () => {
    expect(describeConfig(read({ ...ALL, HOST: '::1', ADMIN_PORT: '0' }).config)).toMatchObject({
      PORT: '8000',
      ADMIN_PORT: '0',
      PUBLIC_URL: 'http://[::1]:8000',
      DATABASE_URL: 'sqlite:./data/svc.db',
      REDIS_URL: null,
      MAIN_CHAIN_ID: '31337',
      MULTICALL3_ADDRESS: 'canonical',
      TRUST_ROOT_SHA256: 'a'.repeat(64),
      KEEP_EVIDENCE: 'true',
      ONBOARDING_TOKENS: '2 set, not shown',
    });
  });

  const SECRET_URLS: Variables = {
    DATABASE_URL: 'postgres://hidden-user:hidden-word@db.example:5432/hidden-name?sslkey=hidden',
    DATABASE_READ_URL: 'postgres://hidden@copy.example/hidden',
    REDIS_URL: 'rediss://:hidden@cache.example:6380/3',
    MAIN_RPC_URLS: 'https://node.example/v2/hidden-key,https://hidden@other.example:8545/?key=hidden',
    ALT_RPC_URLS: 'https://alt.example/#hidden',
    FX_SOURCE: 'https://rates.example/hidden.csv?key=hidden',
    ONBOARDING_TOKENS: 'hidden-token',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/hidden',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hidden,x-tenant=hidden',
  };

  it('shows only scheme and host of a URL, and nothing of a token', () => {
    const description = describeConfig(read({ ...ALL, ...SECRET_URLS }).config);
    expect(description).toMatchObject({
      DATABASE_URL: 'postgres://db.example:5432',
      DATABASE_READ_URL: 'postgres://copy.example',
      REDIS_URL: 'rediss://cache.example:6380',
      MAIN_RPC_URLS: 'https://node.example, https://other.example:8545',
      ALT_RPC_URLS: 'https://alt.example',
      FX_SOURCE: 'https://rates.example',
      ONBOARDING_TOKENS: '1 set, not shown',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
      OTEL_EXPORTER_OTLP_HEADERS: '2 set, not shown',
    });
    expect(JSON.stringify(description)).not.toContain('hidden');
  });

  it('contains no secret in any problem or warning', () => {
    rule('security.configuration-problems', 'security.no-secret-in-errors');
    const broken = Object.fromEntries(VARIABLES.map((name) => [name, `hid den://${name}`]));
    const { config, problems, warnings } = read(broken);
    expect(problems.length).toBeGreaterThan(40);
    expect(JSON.stringify([problems, warnings])).not.toContain('hid den');
    expect(JSON.stringify(describeConfig(config))).not.toMatch(
      /hid den:\/\/(?!TOKENS_FILE|FX_SOURCE|SOURCES_FILE|NAMESPACE_FILE|STATEMENT_KEY_FILE|WATCH_FILE)/,
    );
  });
});
