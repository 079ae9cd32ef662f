/** Route registration with and without the additions. */
import { expect, test } from 'vitest';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import type { DescribedRoute } from '../schemas/openapi.ts';
import type { RouteOptions, Routes } from '../server/route-table.ts';
import { registerRoutes } from './register-routes.ts';
import { rule } from '../../../test/conformance/rule.ts';

const imageRenderer = { version: '1', render: async () => undefined };

function listRoutes(additions: 'on' | 'off'): string[] {
  const paths: string[] = [];
  const described: DescribedRoute[] = [];
  const add = (method: string) => (path: string, _options: RouteOptions) => void paths.push(`${method} ${path}`);
  const routes: Routes = { get: add('GET'), put: add('PUT'), post: add('POST'), described };
  registerRoutes(routes, createStubCtx({ additions, imageRenderer }));
  return paths;
}

test('registers the routes of the interface and the OpenAPI document with additions off', () => {
  rule('additions.off');
  expect(listRoutes('off').toSorted()).toEqual([
    `GET ${DEFAULT_NAMESPACE.well_known_path}`,
    'GET /health',
    'GET /machine/:did',
    'GET /machine/:key/monetization',
    'GET /machines/:machine_id',
    'GET /mcr/:did',
    'GET /metadata/:token_id',
    'GET /openapi.json',
    'GET /operator/:did/machines',
    'GET /ready',
    'GET /solana/mcr/:solana_addr',
    'GET /solana/operator/:solana_addr/machines',
    'GET /v1/verify/machines/:machineId',
    'POST /v1/verify/chip/challenge',
    'POST /v1/verify/chip/evidence',
    'PUT /machine/:key/monetization',
  ]);
});

test('also registers the additions by default', () => {
  const off = listRoutes('off');
  expect(listRoutes('on').filter((route) => !off.includes(route))).toEqual([
    'GET /mcr/:did/explanation',
    'GET /.well-known/svc-statements',
    'GET /mcr/:did/statement',
    'GET /mcr/:did/history',
    'GET /machines/:machine_id/events',
    'GET /machine/:key/monetization/history',
    'GET /machines/:machine_id/card.svg',
    'GET /machines/:machine_id/badge.svg',
    'GET /machines/:machine_id/card.png',
    'GET /identifiers/:did',
    'GET /machines/:machine_id/agent-registration.json',
    'GET /machines/:machine_id/agent-feedback.json',
    'GET /active-machines',
    'GET /operator/:did/fleet',
    'GET /operator/:did/fleet.csv',
    'GET /directory',
    'GET /directory.csv',
    'GET /directory/summary',
    'GET /changes',
    'GET /changes/stream',
    'GET /asyncapi.json',
    'GET /status',
    'GET /llms.txt',
  ]);
});
