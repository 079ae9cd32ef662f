/** Legacy machines by bound wallet: `GET /solana/mcr/{solana_addr}` and `/solana/operator/{solana_addr}/machines` (interface, Address-keyed routes; http-facts 8). */
import { getBoundRating, listBoundFleet } from '../../actions/bound-addresses.ts';
import { parseAltKey, type AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { Fault } from '../../domain/faults.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendCacheableJson } from '../server/response.ts';
import { encodeJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import { describeIntegers, requireIntegers, toPosition } from './parameters.ts';
import type { Routes } from '../server/route-table.ts';
import { ALT_KEY_TEXT } from '../schemas/json-schema.ts';
import { toBoundFleet, toBoundRecord } from '../wire/bound-addresses.ts';
import { PAGE_RULES } from './fleet.ts';

export function boundAddressesRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  routes.get(
    '/solana/mcr/:solana_addr',
    { profile: 'bound-address', description: DESCRIPTIONS.rating },
    async (request) => {
      const wallet = requireWallet(request.parameter('solana_addr'));
      const machine = await getBoundRating(ctx, wallet);
      sendCacheableJson(request, encodeJson(toBoundRecord(machine, wallet, namespace)), machine.block);
    },
  );

  routes.get(
    '/solana/operator/:solana_addr/machines',
    { profile: 'bound-address', description: DESCRIPTIONS.fleet },
    async (request) => {
      const wallet = requireWallet(request.parameter('solana_addr'));
      const [offset, limit] = requireIntegers(request.query, PAGE_RULES) as [bigint, bigint];
      const page = await listBoundFleet(ctx, wallet, toPosition(offset), Number(limit));
      sendCacheableJson(request, encodeJson(toBoundFleet(page, { wallet, offset, limit }, namespace)), page.block);
    },
  );
}

/** Errors of both routes: those of resolving the wallet come first, then those of the ordinary route. */
const FAULTS = [
  'AltAddressMalformed',
  'WalletNotBound',
  'BindingRevoked',
  'BindingRegistryUnreadable',
  'ClockInvalid',
  'ServiceNotInitialised',
  'StoreUnavailable',
] as const;

const DESCRIPTIONS = {
  rating: {
    operationId: 'getBoundRating',
    summary: 'Get the rating of the legacy machine that a Solana wallet is bound to.',
    parameters: { solana_addr: ALT_KEY_TEXT },
    responses: { 200: 'BoundMcrRecord' },
    faults: [...FAULTS, 'MachineAbsent', 'EventIndexSyncing'],
    caching: 'revalidated',
    block: 'always',
  },
  fleet: {
    operationId: 'listBoundFleet',
    summary: 'List the legacy machines of the operator that a Solana wallet is bound to, by machine id.',
    parameters: { solana_addr: ALT_KEY_TEXT },
    query: describeIntegers(PAGE_RULES),
    responses: { 200: 'BoundFleet' },
    faults: [...FAULTS, 'ParametersInvalid', 'OperatorIndexSyncing', 'OperatorIndexStale'],
    caching: 'revalidated',
    block: 'always',
  },
} satisfies Record<string, RouteDescription>;

function requireWallet(text: string): AltKey {
  const wallet = parseAltKey(text);
  if (wallet === undefined) throw new Fault('AltAddressMalformed', {});
  return wallet;
}
