/**
 * `GET /v1/verify/machines/{machineId}` (interface, Verify routes; evidence 2 and 3). Checks run in the order of evidence 3.3: path, method and rate
 * were checked before the handler.
 */
import { chain } from '../../actions/maybe-async.ts';
import { getVerifyRecord, type VerifyRecord } from '../../actions/verify-record.ts';
import { Fault } from '../../domain/faults.ts';
import { parseMachineId, type MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendUncached } from '../server/response.ts';
import type { RequestContext } from '../server/request-context.ts';
import { createCachedEncoder } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import type { Routes } from '../server/route-table.ts';
import { MACHINE_ID } from '../schemas/json-schema.ts';
import { VERIFY_PREFIX } from '../server/route-profiles.ts';
import { acceptsJson } from '../server/verify-headers.ts';
import { toVerifyRecord } from '../wire/verify-record.ts';

const REQUESTS_PER_MINUTE = 60;

const RECORD: RouteDescription = {
  operationId: 'getVerifyRecord',
  summary:
    'Get the Verify record of a main-chain machine: controller, operator, and the verification of operator and chip.',
  parameters: { machineId: MACHINE_ID },
  responses: { 200: 'VerifyRecord' },
  faults: [
    'NotAcceptable',
    'MachineDidMalformed',
    'MachineAbsent',
    'MachineRelocating',
    'MachineHomedElsewhere',
    'ClockInvalid',
    'ServiceNotInitialised',
    'StoreUnavailable',
  ],
  caching: 'never',
  block: 'never',
};

export function verifyRecordRoutes(routes: Routes, ctx: Ctx): void {
  const encode = createCachedEncoder((record: VerifyRecord) => toVerifyRecord(record, ctx.namespace));
  routes.get(
    `${VERIFY_PREFIX}machines/:machineId`,
    { profile: 'verify', requestsPerMinute: REQUESTS_PER_MINUTE, isImmediate: true, description: RECORD },
    (request) => {
      requireBareRead(request);
      return chain(getVerifyRecord(ctx, requireId(request.parameter('machineId'))), (record) =>
        sendUncached(request, 200, encode(record)),
      );
    },
  );
}

/** Throws unless the client accepts JSON and sends neither a query, not even a bare `?`, nor a body. */
function requireBareRead({ request: { rawHeaders, headers, url = '' } }: RequestContext): void {
  if (!acceptsJson(rawHeaders)) throw new Fault('NotAcceptable', {});
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  if (hasBody || url.includes('?')) throw new Fault('RequestMalformed', {});
}

function requireId(text: string): MachineId {
  const id = parseMachineId(text);
  if (id === undefined) throw new Fault('MachineDidMalformed', {});
  return id;
}
