/** Doctor check of TRUSTED_PROXIES: asks a running service whether its callers share one address. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { SAME_CALLER_METRIC } from '../../src/telemetry/service-metrics.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { examineTrustedProxies } from './trusted-proxies.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

async function examine(body: string) {
  server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return examineAt((server.address() as AddressInfo).port);
}

function examineAt(port: number | undefined) {
  const admin = port === undefined ? undefined : { host: '127.0.0.1', port };
  return examineTrustedProxies({ admin, trustedProxies: [] as readonly string[] } as Config);
}

describe('the check of TRUSTED_PROXIES', () => {
  it('warns when all callers come from one address that is not listed', async () => {
    expect(await examine(`# HELP x\n${SAME_CALLER_METRIC} 1200\n`)).toEqual([
      {
        state: 'warn',
        subject: 'TRUSTED_PROXIES',
        text: 'the last 1,200 requests came from one address that is not listed',
        remedy: 'if it is that of a load balancer, list it; otherwise all callers share one rate limit and call budget',
      },
    ]);
  });

  it('passes for several callers', async () => {
    expect(await examine(`${SAME_CALLER_METRIC} 3\n`)).toMatchObject([{ state: 'ok', subject: 'TRUSTED_PROXIES' }]);
  });

  it('returns no finding where no service runs, or another program responds', async () => {
    expect(await examineAt(undefined)).toEqual([]);
    expect(await examineAt(await findFreePort())).toEqual([]);
    expect(await examine('<html></html>')).toEqual([]);
  });
});
