/**
 * `GET` and `PUT /machine/{key}/monetization`, and the well-known document (interface, Monetization routes; http-facts 9). Checks run in the order
 * of http-facts 9.4: the key before the body is read, and the body before a chain is queried.
 */
import { getDecision, getPublishedDeployment, putDecision, type DecisionState } from '../../actions/monetization.ts';
import { Fault } from '../../domain/faults.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { parseStrictJson, type JsonValue } from '../../domain/json/strict-json.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendUncached, sendCacheableJson } from '../server/response.ts';
import type { RequestContext } from '../server/request-context.ts';
import { encodeJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import type { Additions } from './additions/additions.ts';
import { jsonInvalid, requireMachineKey } from './parameters.ts';
import { readBody } from '../server/request-body.ts';
import type { Routes } from '../server/route-table.ts';
import { DECISION_SCHEMA, machineKey } from '../schemas/monetization.ts';
import { toDecisionState, toPublishedDeployment } from '../wire/monetization.ts';

const MAX_BODY_BYTES = 4096;
const PATH = '/machine/:key/monetization';

/** Without `additions`, the state has the members of the interface alone. */
export function monetizationRoutes(routes: Routes, ctx: Ctx, additions: Additions | undefined): void {
  const { namespace } = ctx;
  const describe = describeRoutes(namespace);
  const encodeState = (state: DecisionState) =>
    encodeJson({ ...toDecisionState(state), ...additions?.toDecisionMembers(state) });

  // Its only own error is bare, as on the read routes.
  routes.get(namespace.well_known_path, { profile: 'read', description: describe.wellKnown }, (request) =>
    sendCacheableJson(request, encodeJson(toPublishedDeployment(getPublishedDeployment(ctx), namespace))),
  );

  routes.get(PATH, { profile: 'monetization', description: describe.state }, async (request) => {
    const state = await getDecision(ctx, requireMachineKey(request.parameter('key'), namespace));
    sendCacheableJson(request, encodeState(state), state.block);
  });

  routes.put(PATH, { profile: 'monetization', description: describe.decision }, async (request) => {
    const id = requireMachineKey(request.parameter('key'), namespace);
    const body = await readJson(request);
    const state = await putDecision(ctx, id, body, request);
    sendUncached(request, 200, encodeState(state), state.block);
  });
}

/** JSON that parsers read differently, or that nests too deep for ours, is a malformed decision rather than invalid JSON. */
async function readJson(context: RequestContext): Promise<JsonValue> {
  const body = await readBody(context, MAX_BODY_BYTES);
  const { value, problem } = parseStrictJson(body);
  if (problem === undefined) return value;
  if (problem.kind === 'ambiguity') {
    throw new Fault('DecisionMalformed', { member: problem.text === 'repeated member' ? 'body' : 'text' });
  }
  if (problem.text === 'nested too deep' && isAnyJson(body))
    throw new Fault('DecisionMalformed', { member: 'nesting' });
  throw jsonInvalid(problem.position, problem.text);
}

function isAnyJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

function describeRoutes(namespace: Namespace) {
  const ofMachine = {
    parameters: { key: machineKey(namespace) },
    responses: { 200: 'MonetizationState' },
    block: 'always',
  } as const;
  const unreadable = [
    'MachineDidMalformed',
    'MachineAbsent',
    'MachineRelocating',
    'MachineHomedElsewhere',
    'ServiceNotInitialised',
    'StoreUnavailable',
  ] as const;
  return {
    wellKnown: {
      operationId: 'getMonetizationDeployment',
      summary: 'Get the deployment that decisions are signed for, and the signing version.',
      group: 'Monetization',
      responses: { 200: 'PublishedDeployment' },
      faults: ['ServiceNotInitialised'],
      caching: 'revalidated',
      block: 'never',
    },
    state: {
      ...ofMachine,
      operationId: 'getMonetization',
      summary: 'Get whether a machine is opted in, and who decided it when.',
      faults: unreadable,
      caching: 'revalidated',
    },
    decision: {
      ...ofMachine,
      operationId: 'putMonetization',
      summary: 'Opt a machine in or out with the signature of its owner or controller.',
      body: DECISION_SCHEMA,
      faults: [
        ...unreadable,
        'ParametersInvalid',
        'DecisionMalformed',
        'ClockInvalid',
        'DecisionOutsideWindow',
        'SignatureUnrecoverable',
        'SignerUnauthorized',
        'DecisionNotNewer',
        'MachineNotBonded',
        'MachineDeactivated',
        'MachinePaused',
      ],
      caching: 'never',
    },
  } satisfies Record<string, RouteDescription>;
}
