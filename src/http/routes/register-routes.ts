/** Route registration: the routes of the interface, the documents and pages, and the additions unless `ADDITIONS=off`. */
import type { Ctx } from '../../ports/ctx.ts';
import type { Routes } from '../server/route-table.ts';
import { ADDITIONS } from './additions/additions.ts';
import { boundAddressesRoutes } from './bound-addresses.ts';
import { chipRoutes } from './chip.ts';
import { openapiRoutes } from './openapi-document.ts';
import { fleetRoutes } from './fleet.ts';
import { healthRoutes } from './health.ts';
import { machinesRoutes } from './machines.ts';
import { monetizationRoutes } from './monetization.ts';
import { pagesRoutes } from './pages.ts';
import { verifyRecordRoutes } from './verify-record.ts';

export function registerRoutes(routes: Routes, ctx: Ctx): void {
  // The only place that reads the switch.
  const additions = ctx.additions === 'off' ? undefined : ADDITIONS;
  machinesRoutes(routes, ctx, additions);
  fleetRoutes(routes, ctx);
  boundAddressesRoutes(routes, ctx);
  monetizationRoutes(routes, ctx, additions);
  verifyRecordRoutes(routes, ctx);
  chipRoutes(routes, ctx);
  healthRoutes(routes, ctx);
  additions?.register(routes, ctx);
  openapiRoutes(routes, ctx);
  pagesRoutes(routes, ctx, additions);
}
